"""Talks to m1nd with the official Python SDK: lists tools, calls some, reads what goes with them."""

import asyncio
import inspect
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client import streamable_http

try:
    from mcp import Client
except ImportError:  # before version 2, which brought the era without sessions
    Client = None

from talk import check, done, field

NEWEST = "2026-07-28"

async def talk(name, session):
    tools = (await session.list_tools()).tools
    names = [tool.name for tool in tools]
    check(f"{name}: tools are listed", {"search", "view", "help"} <= set(names), names)
    check(f"{name}: every tool has annotations", all(tool.annotations for tool in tools))

    found = await session.call_tool("search", {"agent_id": "python", "query": "println"})
    body = field(found, "structured_content", "structuredContent")
    check(f"{name}: search succeeds", not field(found, "is_error", "isError"), found)
    check(f"{name}: text and object agree", json.loads(found.content[0].text) == body)
    check(f"{name}: search finds", "src/main.rs" in json.dumps(body), body)

    # The SDK checks every result against the tool's output schema, errors too.
    refused = await session.call_tool("search", {"agent_id": "python", "no_such_argument": 1})
    check(f"{name}: a wrong argument is a tool error", field(refused, "is_error", "isError"), refused)
    unknown = await session.call_tool("no_such_tool", {"agent_id": "python"})
    check(f"{name}: an unknown tool is a tool error", field(unknown, "is_error", "isError"), unknown)

    await remember(name, session)

    for resource in (await session.list_resources()).resources:
        contents = (await session.read_resource(resource.uri)).contents
        check(f"{name}: {resource.uri} can be read", bool(contents[0].text))
    prompts = (await session.list_prompts()).prompts
    check(f"{name}: prompts are listed", isinstance(prompts, list))


async def remember(name, session):
    """A plan, a task, a note and a decision; then what a new session would be told."""

    async def call(tool, **arguments):
        answer = await session.call_tool(tool, {"workspace": name.replace(" ", "-"), **arguments})
        check(f"{name}: {tool}", not field(answer, "is_error", "isError"), answer)
        return json.loads(answer.content[0].text)

    plan = (await call("tasks_create", title="Plan"))["id"]
    step = {"title": "Step", "success_criteria": ["it holds"]}
    task = (await call("tasks_create", title="Task", parent=plan, steps=[step]))["id"]
    claim = await call("tasks_claim", task=task, agent_id="python")
    await call("branchmind_notes_commit", target=task, content="Learned.", meta={"handoff": True})
    decision = {"id": "D1", "type": "decision", "title": "Decided"}
    await call("branchmind_think_card", target=task, card=decision)
    proof = {"criteria": {"confirmed": True, "evidence": {"command": "true", "exit_code": 0}}}
    at = {"task": task, "path": "s:0", "claim_token": claim["claim_token"]}
    await call("tasks_verify", **at, checkpoints=proof)
    done = await call("tasks_done", **at)
    check(f"{name}: the task is done with its step", done.get("task_status") == "done", done)
    brief = await call("brief")
    told = brief["handoff"]["text"] == "Learned." and brief["decisions"][0]["id"] == "D1"
    check(f"{name}: the brief tells what was learned", told, brief)


async def with_handshake(name, transport):
    async with transport as streams, ClientSession(streams[0], streams[1]) as session:
        opened = await session.initialize()
        server = field(opened, "server_info", "serverInfo")
        check(f"{name}: the server is m1nd", server.name == "m1nd", server)
        check(f"{name}: it has instructions", bool(opened.instructions))
        await talk(name, session)
        await session.send_ping()
        check(f"{name}: ping is answered", True)


async def without_handshake(name, transport):
    async with Client(transport, mode=NEWEST) as client:
        check(f"{name}: the newest revision is spoken", client.protocol_version == NEWEST)
        await talk(name, client)


def http_transport(url, token):
    headers = {"Authorization": f"Bearer {token}"}
    connect = getattr(streamable_http, "streamable_http_client", None) or streamable_http.streamablehttp_client
    if "headers" in inspect.signature(connect).parameters:
        return connect(url, headers=headers)
    try:
        import httpx2 as httpx
    except ImportError:
        import httpx
    return connect(url, http_client=httpx.AsyncClient(headers=headers, timeout=30))


async def main():
    binary, workspace, state, url, token = sys.argv[1:6]
    server = StdioServerParameters(
        command=binary, args=["serve", "--workspace", workspace, "--runtime-root", state]
    )
    await asyncio.wait_for(with_handshake("stdio", stdio_client(server)), 60)
    await asyncio.wait_for(with_handshake("http", http_transport(url, token)), 60)
    if Client is not None:
        await asyncio.wait_for(without_handshake("modern stdio", stdio_client(server)), 60)
        await asyncio.wait_for(without_handshake("modern http", http_transport(url, token)), 60)


asyncio.run(main())
done("protocol")
