"""What the scripts of this folder share: checks that are counted, and a server to talk to with the official SDK."""

import contextlib
import importlib.metadata
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

passed = 0
failed = 0


def check(what, good, shown=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"failed: {what} {shown}")
    return good


def done(name):
    print(f"{name} with python sdk {importlib.metadata.version('mcp')}: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def field(thing, *names):
    """A field under its name of either major version of the SDK."""
    for name in names:
        if hasattr(thing, name):
            return getattr(thing, name)
    raise AttributeError(names[0])


class Agent:
    """Somebody who calls tools under a name."""

    def __init__(self, session, name):
        self.session = session
        self.name = name

    async def ask(self, tool, /, **arguments):
        """The answer, and whether it is an error."""
        answer = await self.session.call_tool(tool, {"agent_id": self.name, **arguments})
        text, wrong = answer.content[0].text, field(answer, "is_error", "isError")
        # `help` answers in plain text.
        return json.loads(text) if text.startswith("{") else {"text": text}, wrong

    async def call(self, tool, /, **arguments):
        body, wrong = await self.ask(tool, **arguments)
        check(f"{tool} {json.dumps(arguments)[:120]}", not wrong, body)
        return body

    async def refused(self, tool, code, /, **arguments):
        body, wrong = await self.ask(tool, **arguments)
        said = body.get("error", {})
        check(f"{tool} is refused as {code}", wrong and said.get("code") == code, body)
        check(f"{tool}: the refusal says what to do", bool(said.get("recovery", {}).get("hint")), body)
        return said


@contextlib.asynccontextmanager
async def server(binary, workspace, state, *options):
    """A session with a server of its own."""
    arguments = ["serve", "--workspace", workspace, "--runtime-root", state, *options]
    parameters = StdioServerParameters(command=binary, args=arguments)
    async with stdio_client(parameters) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        yield session
