"""Walks, trails, locks, small facts and coverage, as their contract states them, over the wire and across restarts."""

import asyncio
import os
import pathlib
import sys

from talk import Agent, check, done, server

# Each module calls the next, in folders inside each other, so that no folder is a short way.
DEPTH = 12


def lay_out(folder):
    inner = folder
    for at in range(DEPTH):
        inner = pathlib.Path(inner, f"p{at}")
        inner.mkdir(parents=True)
        inner.joinpath("__init__.py").write_text("")
        further = ".".join(f"p{n}" for n in range(at + 2))
        calls = f"from {further}.step import go{at + 1}\n\n\n" if at + 1 < DEPTH else ""
        body = f"    return go{at + 1}(x)\n" if at + 1 < DEPTH else "    return x\n"
        inner.joinpath("step.py").write_text(f"{calls}def go{at}(x):\n{body}")
    write(folder, "app/__init__.py", "")
    write(folder, "app/store.py", STORE)
    write(folder, "app/main.py", MAIN)
    write(folder, "app/lonely.py", "def alone():\n    return 1\n")
    write(folder, "tests/test_store.py", TESTS)
    many = "".join(f"def user{n}(item):\n    return save(item)\n\n\n" for n in range(25))
    write(folder, "app/users.py", f"from app.store import save\n\n\n{many}")


STORE = '''"""Keeps items."""


def check(item):
    assert item


def save(item):
    """Saves an item that was checked."""
    check(item)
    return [item]
'''

MAIN = '''from app.store import save


def handle(request):
    return save(request)


def route(request):
    return handle(request)
'''

TESTS = '''from app.store import save


def test_save():
    assert save(1) == [1]
'''


def write(folder, path, text):
    file = pathlib.Path(folder, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def way_to(stand, name):
    return next(route for route in stand["routes"] if route["node_id"].endswith(f"::{name}"))


async def all_routes(agent, walk, **more):
    first = await agent.call("perspective_routes", perspective_id=walk, page_size=10, **more)
    found = list(first["routes"])
    for page in range(2, first["pages"] + 1):
        found += (await agent.call("perspective_routes", perspective_id=walk, page_size=10, page=page, **more))["routes"]
    return found, first


async def walks(agent, other):
    begun = await agent.call("perspective_start", node_id="save")
    walk, version = begun["perspective_id"], begun["route_set_version"]
    check("a walk begins anchored at its focus", begun["mode"] == "anchored" and begun["anchor_hops"] == 0, begun)
    check("a page has six routes", len(begun["routes"]) == 6 and begun["pages"] > 1, begun)
    scores = [route["score"] for route in begun["routes"]]
    check("the best route comes first", scores == sorted(scores, reverse=True), scores)

    routes, first = await all_routes(agent, walk)
    ids = [route["route_id"] for route in routes]
    check("pages have every route once", len(set(ids)) == len(ids) == first["total_routes"], ids)
    families = {route["family"] for route in routes}
    check("routes have families", {"calls", "called_by", "inside"} <= families, families)
    only, _ = await all_routes(agent, walk, family="calls")
    check("one family can be asked for", [one["node_id"][-7:] for one in only] == ["::check"], only)
    for size, meant in [(0, 1), (11, 10)]:
        clamped = await agent.call("perspective_routes", perspective_id=walk, page_size=size)
        good = len(clamped["routes"]) == meant and clamped["clamped"] == ["page_size"]
        check(f"a page size of {size} is moved into its range and said", good, clamped)
    await agent.refused("perspective_routes", "invalid_params", perspective_id=walk, family="nonsense")
    await agent.refused("perspective_routes", "unknown_target", perspective_id="persp_999")

    again = await agent.call("perspective_start", node_id="save")
    same, _ = await all_routes(agent, again["perspective_id"])
    check("ids of routes come from what they are", sorted(ids) == sorted(one["route_id"] for one in same), same)

    check_route = next(route for route in routes if route["node_id"].endswith("::check"))
    wish = {"perspective_id": walk, "route_id": check_route["route_id"]}
    seen = await agent.call("perspective_inspect", **wish)
    factors = seen["factors"]
    five = {"local_activation", "path_coherence", "novelty", "anchor_relevance"}
    check("a score has factors", five <= set(factors), seen)
    check("each is a share", all(0 <= value <= 1 for value in factors.values()), factors)
    check("inspect says where it is written", seen["written_at"] == ["app/store.py:10"], seen)
    peeked = await agent.call("perspective_peek", **wish)
    check("peek shows the source", peeked["source"].startswith("def check"), peeked)
    await agent.refused("perspective_peek", "invalid_params", **wish, lines=201)
    await agent.refused("perspective_inspect", "unknown_target", perspective_id=walk, route_id="rt_nothing")

    fork = await agent.call("perspective_branch", perspective_id=walk, name="tests")
    moved = await agent.call("perspective_follow", **wish, route_set_version=version)
    check("a step was taken", moved["followed"] and moved["steps"] == 2, moved)
    check("it led where the route leads", moved["focus"]["node_id"].endswith("::check"), moved)
    after = await agent.call("perspective_inspect", perspective_id=walk, route_id=moved["routes"][0]["route_id"])
    check("after a step there is continuity", "continuity" in after["factors"], after)
    suggested = await agent.call("perspective_suggest", perspective_id=fork["perspective_id"])
    check("what is suggested says why", bool(suggested["because"]), suggested)
    user = next(route for route in routes if route["node_id"].endswith("::user3"))
    elsewhere = await agent.call("perspective_follow", perspective_id=fork["perspective_id"], route_id=user["route_id"])
    compared = await agent.call("perspective_compare", perspective_id=walk, other_id=fork["perspective_id"])
    good = compared["common_steps"] == 1 and elsewhere["focus"]["node_id"] in compared["only_second"]
    check("two walks are compared", good, compared)
    if compared.get("next_suggested_tool"):
        await agent.call(compared["next_suggested_tool"], file_path=compared["next_suggested_target"])
    near = await agent.call("perspective_affinity", perspective_id=walk, node_id="save")
    far = await agent.call("perspective_affinity", perspective_id=walk, node_id="alone")
    check("what is near has more affinity", near["affinity"] > far["affinity"], (near, far))
    back = await agent.call("perspective_back", perspective_id=walk)
    check("back leads back", back["focus"]["node_id"].endswith("::save") and back["steps"] == 1, back)
    await agent.refused("perspective_back", "invalid_params", perspective_id=walk)

    check("walks are one's own", (await other.call("perspective_list"))["total"] == 0)
    await other.refused("perspective_routes", "unknown_target", perspective_id=walk)
    listed = await agent.call("perspective_list")
    check("the list has where each stands", {one["perspective_id"] for one in listed["perspectives"]}
          == {walk, again["perspective_id"], fork["perspective_id"]}, listed)
    return walk, version, routes


async def far_walk(agent):
    stand = await agent.call("perspective_start", node_id="go0")
    walk = stand["perspective_id"]
    for at in range(1, DEPTH):
        routes, _ = await all_routes(agent, walk, family="calls")
        stand = await agent.call("perspective_follow", perspective_id=walk, route_id=routes[0]["route_id"])
        wanted = "anchored" if at <= 8 else "local"
        check(f"{at} calls from its anchor a walk is {wanted}", stand["mode"] == wanted, stand)
    local = await agent.call("perspective_start", query="save an item", mode="local")
    check("a walk may be local from the start", local["mode"] == "local", local)
    for walk in [walk, local["perspective_id"]]:
        closed = await agent.call("perspective_close", perspective_id=walk)
        check("a walk ends", closed["closed"] is True, closed)
        await agent.refused("perspective_routes", "unknown_target", perspective_id=walk)


async def stale_routes(agent, folder, walk, version, routes):
    gone = next(route for route in routes if route["node_id"].endswith("::handle"))
    stays = next(route for route in routes if route["node_id"].endswith("::check"))
    same = await agent.call("perspective_routes", perspective_id=walk, route_set_version=version)
    check("a current version is not stale", "stale" not in same, same)
    write(folder, "app/main.py", "def other():\n    return 1\n")
    asked = {"perspective_id": walk, "route_set_version": version}

    def told(tool, answer):
        good = answer.get("stale") is True and answer.get("requested_version") == version
        check(f"{tool} answers an old version with stale", good and answer["route_set_version"] != version, answer)

    fresh = await agent.call("perspective_routes", **asked)
    told("perspective_routes", fresh)
    check("the routes are fresh", all(one["route_id"] != gone["route_id"] for one in fresh["routes"]), fresh)
    for tool in ["perspective_inspect", "perspective_peek", "perspective_follow"]:
        answer = await agent.call(tool, **asked, route_id=gone["route_id"])
        told(tool, answer)
        check(f"{tool} has the ways on now", bool(answer["routes"]), answer)
    for tool in ["perspective_inspect", "perspective_peek", "perspective_follow"]:
        told(tool, await agent.call(tool, **asked, route_id=stays["route_id"]))
    write(folder, "app/main.py", MAIN)


async def full_shelf(agent):
    have = (await agent.call("perspective_list"))["total"]
    for _ in range(20 - have):
        await agent.call("perspective_start", node_id="alone")
    said = await agent.refused("perspective_start", "too_large", node_id="alone")
    check("a full shelf names the list", said["recovery"].get("next_tool") == "perspective_list", said)


async def trails(agent, other, folder):
    strict = {"statement": "check is too strict", "confidence": 0.8, "supporting": ["check", "save"]}
    drops = {"statement": "handle drops requests", "confidence": 0.6, "status": "supported", "supporting": ["handle"]}
    first = await agent.call(
        "trail_save",
        label="saving items",
        visited=["save", "check", "handle"],
        hypotheses=[strict, drops],
        conclusions=[{"statement": "save calls check", "confidence": 0.9, "supporting": ["save"]}],
        open_questions=["who calls handle", "is it fast"],
        tags=["bug"],
        summary="Items are saved after a check.",
        boosts=[{"node_id": "alone", "boost": 0.9}],
    )
    check("a trail counts what it keeps", (first["nodes"], first["hypotheses"], first["open_questions"]) == (3, 2, 2), first)
    await agent.refused("trail_save", "invalid_params", label="nothing")
    seen = await other.call("trail_resume", trail_id=first["trail_id"])
    check("a trail is shared", seen["agent"] == agent.name and len(seen["nodes"]) == 3, seen)
    check("it has the next question", seen["next_question"] == "who calls handle", seen)
    check("it has the next focus", seen["next_focus"]["node_id"] in seen["nodes"], seen)
    next_tool = (seen["next_suggested_tool"], seen["next_suggested_target"])
    check("it has the next tool", next_tool == ("seek", "who calls handle"), seen)

    write(folder, "app/store.py", "def save(item):\n    return [item, item]\n")
    seen = await agent.call("trail_resume", trail_id=first["trail_id"])
    ends = {field: [node.split("::")[-1] for node in seen[field]] for field in ["gone", "changed"]}
    check("it says what is gone and what changed", ends == {"gone": ["check"], "changed": ["save"]}, seen)
    thought = seen["hypotheses"][0]
    check("support that vanished counts less", thought["was"] == 0.8 and thought["confidence"] == 0.2, seen)
    check("what is whole stays", "was" not in seen["hypotheses"][1], seen)
    write(folder, "app/store.py", "X = 1\n")
    said = await agent.refused("trail_resume", "stale", trail_id=first["trail_id"])
    check("it says how to go on", "force" in str(said["recovery"]), said)
    forced = await agent.call("trail_resume", trail_id=first["trail_id"], force=True)
    check("force resumes it", forced["stale"] is True, forced)
    write(folder, "app/store.py", STORE)

    agreed = {"statement": "Check is too strict", "confidence": 0.7}
    sure = {"statement": "handle drops requests", "confidence": 0.95, "status": "rejected"}
    second = await other.call("trail_save", label="other", visited=["route"], hypotheses=[agreed, sure], tags=["bug", "b"])
    merged = await agent.call("trail_merge", trail_ids=[first["trail_id"], second["trail_id"]], label="both")
    check("they agree", [one["statement"] for one in merged["agreements"]] == ["check is too strict"], merged)
    conflict = merged["conflicts"][0]
    check("they contradict each other", conflict["statement"] == "handle drops requests", merged)
    check("what is surer wins", conflict["decision"] not in ("undecided", None) and conflict["margin"] > 0.1, conflict)
    check("they touch", bool(merged["bridges"]), merged)
    doubt = {"statement": "check is too strict", "confidence": 0.9, "status": "rejected"}
    fourth = await other.call("trail_save", label="fourth", visited=["check"], hypotheses=[doubt])
    merged = await agent.call("trail_merge", trail_ids=[first["trail_id"], fourth["trail_id"]])
    check("who leaves open what another rejects does not agree", not merged["agreements"], merged)
    close = {"statement": "handle drops requests", "confidence": 0.62, "status": "rejected"}
    third = await other.call("trail_save", label="third", visited=["handle"], hypotheses=[close])
    merged = await agent.call("trail_merge", trail_ids=[first["trail_id"], third["trail_id"]])
    check("what is close is undecided", merged["conflicts"][0]["decision"] == "undecided", merged)
    listed = await agent.call("trail_list", tags=["bug", "b"])
    check("trails are found by tags", [one["trail_id"] for one in listed["trails"]][-1:] == [second["trail_id"]], listed)
    check("and by who saved them", (await agent.call("trail_list", of_agent=other.name))["total"] == 3)
    await agent.refused("trail_resume", "unknown_target", trail_id="trail_999")
    return first["trail_id"]


async def locks(agent, other, folder):
    held = await agent.call("lock_create", region="path", nodes=["app/store.py"])
    lock = held["lock_id"]
    check("nothing changed yet", (await agent.call("lock_diff", lock_id=lock))["has_changed"] is False)
    write(folder, "app/lonely.py", "def alone():\n    return 2\n")
    check("what is elsewhere does not count", (await agent.call("lock_watch", lock_id=lock))["has_changed"] is False)

    async def edit_later():
        await asyncio.sleep(0.3)
        write(folder, "app/store.py", STORE.replace("    check(item)\n", "") + "\n\ndef new():\n    return 1\n")

    waited, _ = await asyncio.gather(agent.call("lock_watch", lock_id=lock, wait_ms=8000), edit_later())
    check("a watch ends with the change", waited["has_changed"] is True, waited)
    seen = await agent.call("lock_diff", lock_id=lock)
    ends = {field: [one.split("::")[-1] for one in seen.get(field, [])] for field in ["changed", "added", "edges_removed"]}
    good = "save" in ends["changed"] and ends["added"] == ["new"] and "check" in ends["edges_removed"]
    check("a diff has texts, nodes and relations", good, seen)
    check("rebase says what was different", (await agent.call("lock_rebase", lock_id=lock))["has_changed"] is True)
    check("and begins anew", (await agent.call("lock_diff", lock_id=lock))["has_changed"] is False)
    write(folder, "app/store.py", STORE)
    write(folder, "app/lonely.py", "def alone():\n    return 1\n")

    await agent.call("lock_create", region="node", nodes=["save"])
    sizes = []
    for radius in [1, 4]:
        made = await agent.call("lock_create", region="subgraph", nodes=["route"], radius=radius)
        sizes.append(made["nodes"])
    check("a larger radius holds more", sizes[0] < sizes[1], sizes)
    for radius in [0, 5]:
        await agent.refused("lock_create", "invalid_params", region="subgraph", nodes=["route"], radius=radius)
    await agent.call("lock_create", region="query_neighborhood", query="save an item")
    chain = await agent.call("lock_create", region="path", nodes=["route", "check"])
    check("a path may be a chain", chain["nodes"] >= 4, chain)
    await agent.refused("lock_create", "node_not_found", region="path", nodes=["no_such_thing"])
    have = len((await agent.call("lock_diff"))["locks"])
    for _ in range(10 - have):
        await agent.call("lock_create", region="node", nodes=["alone"])
    await agent.refused("lock_create", "too_large", region="node", nodes=["alone"])
    check("others have their own", not (await other.call("lock_diff")).get("locks"))
    await other.refused("lock_diff", "unknown_target", lock_id=lock)
    await agent.call("lock_release", lock_id=lock)
    await agent.refused("lock_watch", "unknown_target", lock_id=lock)


async def facts(agent, other):
    put = await agent.call("boot_memory", action="set", key="tests", value="pytest -q")
    check("a fact is set", put["done"] == "set", put)
    got = await other.call("boot_memory", action="get", key="tests")
    check("facts are shared", got["facts"][0]["value"] == "pytest -q", got)
    await agent.refused("boot_memory", "invalid_params", action="set", key="tests", value="x" * 1001)
    await agent.refused("boot_memory", "invalid_params", action="delete", key="tests")
    await agent.call("boot_memory", action="set", key="gone", value="x")
    check("a fact is deleted", (await agent.call("boot_memory", action="delete", key="gone", confirm=True))["done"] == "deleted")
    await agent.refused("boot_memory", "unknown_target", action="get", key="gone")
    check("the list has the rest", (await agent.call("boot_memory", action="list"))["total"] == 1)


async def coverage(agent):
    await agent.call("callers", node_id="save")
    await agent.call("view", file_path="app/store.py")
    seen = await agent.call("coverage_session", scope="app")
    check("what was read is counted", seen["read"] == 1 and seen["files"] >= 4, seen)
    check("what was pointed to is named", "app/main.py" in seen["unread"] or "app/users.py" in seen["unread"], seen)
    check("what was read is not", "app/store.py" not in seen["unread"], seen)


async def flow(binary, folder, state):
    lay_out(folder)
    async with server(binary, folder, state) as session:
        agent, other = Agent(session, "walker"), Agent(session, "somebody else")
        await agent.call("ingest")
        walk, version, routes = await walks(agent, other)
        await far_walk(agent)
        await stale_routes(agent, folder, walk, version, routes)
        trail = await trails(agent, other, folder)
        await locks(agent, other, folder)
        await facts(agent, other)
        await coverage(Agent(session, "reader"))
        before = await agent.call("perspective_list")
    async with server(binary, folder, state) as session:
        agent = Agent(session, "walker")
        after = await agent.call("perspective_list")
        shown = [(one["perspective_id"], one["focus"], one["steps"]) for one in before["perspectives"]]
        check("walks outlive the server", shown == [(one["perspective_id"], one["focus"], one["steps"]) for one in after["perspectives"]], after)
        check("trails do", (await agent.call("trail_resume", trail_id=trail))["trail_id"] == trail)
        check("locks do", len((await agent.call("lock_diff"))["locks"]) == 9)
        check("facts do", (await agent.call("boot_memory", action="get", key="tests"))["facts"][0]["value"] == "pytest -q")
        await full_shelf(agent)
    check("nothing was written into the repository", not [name for name in os.listdir(folder) if "m1nd" in name])


asyncio.run(asyncio.wait_for(flow(*sys.argv[1:4]), 120))
done("navigation")
