"""From a failing test to a proof packet, as an agent goes that follows every hint.

A small program is laid out in which a test fails. What the test says goes to `trace`; from there on each answer's
next_suggested_tool is called with its next_suggested_target, which must not be an error, until the mistake is mended, the
tests that the batch names pass, and `m1nd verify` finds the packet of the mission intact.
"""

import asyncio
import json
import pathlib
import subprocess
import sys

from talk import Agent, check, done, server

FILES = {
    "ledger/__init__.py": "",
    "ledger/money.py": '''"""Amounts of money, in cents."""


def parse_amount(text):
    """Cents of an amount such as `12.50`."""
    whole, _, cents = text.strip().partition(".")
    return int(whole) * 100 + int(cents or 0)


def show_amount(cents):
    return f"{cents // 100}.{cents % 100:02d}"
''',
    "ledger/entry.py": '''"""Lines of a statement."""

from dataclasses import dataclass

from ledger.money import parse_amount


@dataclass
class Entry:
    account: str
    cents: int


def parse_line(line):
    """An entry from `account; amount`."""
    account, amount = line.split(";")
    return Entry(account.strip(), parse_amount(amount))


def parse_statement(text):
    return [parse_line(line) for line in text.splitlines() if line.strip()]
''',
    "ledger/balance.py": '''"""What accounts hold."""

from ledger.entry import parse_statement
from ledger.money import show_amount


def balances(text):
    """Cents by account."""
    found = {}
    for entry in parse_statement(text):
        found[entry.account] = found.get(entry.account, 0) + entry.cents
    return found


def report(text):
    return "\\n".join(f"{name}: {show_amount(cents)}" for name, cents in sorted(balances(text).items()))
''',
    "ledger/cli.py": '''"""`python -m ledger.cli FILE` prints what accounts hold."""

import sys

from ledger.balance import report


def main(path):
    with open(path) as file:
        print(report(file.read()))


if __name__ == "__main__":
    main(sys.argv[1])
''',
    "tests/__init__.py": "",
    "tests/test_balance.py": '''import unittest

from ledger.balance import balances, report


class BalanceTest(unittest.TestCase):
    def test_amounts_are_added(self):
        self.assertEqual(balances("cash; 1.50\\ncash; 2.25\\n"), {"cash": 375})

    def test_thousands_may_have_separators(self):
        self.assertEqual(report("bank; 1,234.50\\n"), "bank: 1234.50")
''',
    "tests/test_money.py": '''import unittest

from ledger.money import parse_amount, show_amount


class MoneyTest(unittest.TestCase):
    def test_cents_are_read(self):
        self.assertEqual(parse_amount("12.50"), 1250)

    def test_cents_are_shown(self):
        self.assertEqual(show_amount(1205), "12.05")
''',
}

# The argument that a suggested target is for, where the tool has it.
TARGETS = ["file_path", "node_id", "query", "claim_id", "mission_id", "batch_id"]


def git(folder, *arguments):
    who = ["-c", "user.name=Agent", "-c", "user.email=agent@example.com"]
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


def run_tests(folder, *names):
    command = [sys.executable, "-B", "-m", "unittest", *(names or ["discover"])]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


class Guided(Agent):
    """An agent that tries every hint it is given."""

    def __init__(self, session, name, schemas):
        super().__init__(session, name)
        self.schemas = schemas
        self.mission = None

    async def step(self, tool, **arguments):
        """Calls a tool, and then what its answer suggests. The answer, the tool that was suggested, and its answer."""
        if self.mission and not tool.startswith("mission_"):
            arguments.setdefault("mission_id", self.mission)
        body = await self.call(tool, **arguments)
        size = len(json.dumps(body))
        check(f"{tool} is short enough to read", size <= 16_000, size)
        return body

    async def hint(self, body):
        """Calls what an answer suggests with the target that it suggests."""
        tool, target = body.get("next_suggested_tool"), body.get("next_suggested_target")
        if tool is None:
            check("an answer without a next tool says what to do", bool(body.get("next_step_hint")), body)
            return None, None
        if tool == "mission_close":
            # The last step, which is taken when everything else was.
            return tool, None
        if tool not in self.schemas:
            # It is not listed, and can be called all the same.
            _, unknown = await self.ask("help", tool=tool)
            check(f"{tool}, which was suggested, exists", not unknown)
            self.schemas[tool] = {"properties": dict.fromkeys(TARGETS[:1])}
        arguments = self.arguments(tool, target)
        answer, wrong = await self.ask(tool, **arguments)
        check(f"{tool} can be called with {target}", not wrong, (arguments, answer))
        return tool, answer

    def arguments(self, tool, target):
        properties = self.schemas[tool]["properties"]
        found = {"mission_id": self.mission} if "mission_id" in self.schemas[tool].get("required", []) else {}
        if tool == "validate_plan":
            return {**found, "actions": [{"action_type": "modify", "file_path": target}]}
        if tool == "apply_batch":
            # The place is known, the edit is the agent's own: it must at least be one that can be edited.
            return {**found, "edits": [{"file_path": target, "delete": True}], "dry_run": True, "verify": "none"}
        if tool == "mission_claim":
            # What is concluded is the agent's own, too.
            return {**found, "claim": "Amounts with separators are not read"}
        name = next((name for name in TARGETS if name in properties and name not in found), None)
        if target is not None and name is not None:
            found[name] = target
        return found


async def flow(binary, folder, state):
    for path, text in FILES.items():
        file = pathlib.Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Read statements and add them up")
    failing = run_tests(folder)
    check("a test fails at first", failing.returncode != 0, failing.stderr)

    async with server(binary, folder, state, "--toolsets", "core,change,edit,mission") as session:
        schemas = {tool.name: schema_of(tool) for tool in (await session.list_tools()).tools}
        agent = Guided(session, "guided", schemas)
        await agent.call("ingest")
        goal = "Reading 1,234.50 from a statement fails"
        mission = await agent.step("mission_start", goal=goal, mode="edit")
        agent.mission = mission["mission_id"]
        await agent.hint(mission)

        traced = await agent.step("trace", error_text=failing.stderr)
        suspect = traced["suspects"][0]
        check("the first suspect is where it failed", suspect["node_id"].endswith("::parse_amount"), traced)
        check("trace leads to its line", traced.get("next_suggested_tool") == "view", traced)
        _, seen = await agent.hint(traced)

        seen = await agent.step("view", file_path=traced["next_suggested_target"])
        check("the line that failed is shown", "int(whole)" in seen["content"], seen)
        tool, context = await agent.hint(seen)
        check("view leads to the context of an edit", tool == "surgical_context_v2", seen)

        context = await agent.step("surgical_context_v2", node_id=suspect["node_id"])
        check("the caller's line is there", "parse_amount(amount)" in json.dumps(context), context)
        tests = [test["node_id"] for test in context["tests"]]
        check("a test of it is there", any(test.endswith("test_cents_are_read") for test in tests), tests)
        check("it may be edited", context["proof_state"] == "ready_to_edit", context)
        tool, _ = await agent.hint(context)
        check("the context leads to a plan", tool == "validate_plan", context)

        action = {"action_type": "modify", "file_path": context["next_suggested_target"]}
        plan = await agent.step("validate_plan", actions=[action])
        tool, _ = await agent.hint(plan)
        check("a plan leads to a batch, or to what it forgot", tool in ("apply_batch", "view", "impact"), plan)

        old = '    whole, _, cents = text.strip().partition(".")\n'
        new = '    whole, _, cents = text.strip().replace(",", "").partition(".")\n'
        edit = {
            "file_path": "ledger/money.py",
            "edits": [{"old": old, "new": new}],
            "expected_sha256": context["sha256"],
        }
        made = await agent.step("apply_batch", edits=[edit])
        check("the graph has it", made["graph_updated"] is True, made)
        await agent.hint(made)
        names = [test_name(test["node_id"]) for test in made["tests"]["run"]]
        check("the test that failed is named", any("test_thousands" in name for name in names), made["tests"])
        passing = run_tests(folder, *names)
        check("the tests that are named pass", passing.returncode == 0, passing.stderr)

        run = await agent.step(
            "mission_event",
            mission_id=agent.mission,
            phase="verify",
            event_type="test_run",
            target=f"python -m unittest {' '.join(names)}",
            evidence_class="test_run",
            outcome="passed",
        )
        tool, advice = await agent.hint(run)
        check("a step leads to the next", tool == "mission_next", run)
        await agent.hint(advice)
        claim = await agent.step(
            "mission_claim",
            mission_id=agent.mission,
            claim="parse_amount did not take separators of thousands; it does now",
            event_ids=[run["event_id"]],
        )
        _, verified = await agent.hint(claim)
        verified = verified or {}
        check("the claim holds", verified.get("verdict") == "verified_for_mission", verified)
        await agent.hint(verified)
        # What the first finding may hide: whoever else reads amounts.
        await agent.step("search", query="int(", mode="literal")
        await agent.step("view", file_path="ledger/money.py")
        sweep = await agent.step(
            "mission_event",
            mission_id=agent.mission,
            phase="sweep",
            event_type="file_read",
            target="ledger/money.py",
            evidence_class="direct_source",
            outcome="read",
            note="No other place reads amounts.",
        )
        await agent.hint(sweep)
        packet = await agent.step("mission_close", mission_id=agent.mission)
        await agent.hint(packet)
        check("one claim was verified", len(packet["verified_claims"]) == 1, packet)

    verdict = subprocess.run([binary, "verify", packet["packet_path"], "--root", folder], capture_output=True, text=True)
    check("the packet is intact and its files are as they were", verdict.returncode == 0, verdict)
    text = pathlib.Path(packet["packet_path"]).read_text()
    forged = pathlib.Path(packet["packet_path"]).with_name("forged.json")
    forged.write_text(text.replace("passed", "failed", 1))
    verdict = subprocess.run([binary, "verify", str(forged), "--root", folder], capture_output=True, text=True)
    check("a packet that was changed is found out", verdict.returncode == 1, verdict)


def schema_of(tool):
    return getattr(tool, "input_schema", None) or tool.inputSchema


def test_name(node_id):
    """`method::tests/test_money.py::MoneyTest.test_x` as unittest names it."""
    _, path, name = node_id.split("::")
    return f"{path.removesuffix('.py').replace('/', '.')}.{name}"


asyncio.run(asyncio.wait_for(flow(*sys.argv[1:4]), 120))
done("guided flow")
