"""Arguments drawn from schemas: those of the shipped tools, and a schema with every common word."""

from pathlib import Path
from random import Random

import pytest
from mcp import Client

from agent_core.messages import JsonObject
from agent_core.testing.chaos_arguments import broken_arguments, drawn_arguments, huge_arguments
from agent_core.tools.schemas import fault_of_arguments
from mcp_local.server import build_server
from mcp_local.settings import Settings
from tests.agent_core.testing.chaos_world import DEEP_SCHEMA

DRAWS = 100


async def shipped_schemas(root: Path) -> dict[str, JsonObject]:
    async with Client(build_server(Settings(workspaces_root=root))) as client:
        return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}


def randoms() -> list[Random]:
    return [Random(seed) for seed in range(DRAWS)]  # noqa: S311 (not for secrets)


def faults(schema: JsonObject) -> set[str]:
    drawn = (drawn_arguments(schema, random) for random in randoms())
    return {fault for arguments in drawn if (fault := fault_of_arguments(arguments, schema))}


async def test_drawn_arguments_fit_the_schemas_of_the_shipped_tools(tmp_path: Path) -> None:
    schemas = await shipped_schemas(tmp_path)
    assert schemas
    assert {name: faults(schema) for name, schema in schemas.items() if faults(schema)} == {}


@pytest.mark.parametrize(
    "schema",
    [
        DEEP_SCHEMA,
        {"type": "object"},
        {
            "type": "object",
            "properties": {
                "short": {"type": "string", "minLength": 3, "maxLength": 5},
                "few": {"type": "array", "items": {"enum": [1, "x"]}, "minItems": 2, "maxItems": 2},
                "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                "one": {"oneOf": [{"type": "string"}, {"type": "integer", "minimum": 4}]},
                "listed": {"type": "array"},
            },
            "required": ["short", "few", "share", "one", "listed"],
        },
    ],
)
def test_drawn_arguments_fit_whatever_common_words_a_schema_uses(schema: JsonObject) -> None:
    assert faults(schema) == set()


def test_broken_arguments_mostly_break_the_schema() -> None:
    broken = [broken_arguments(DEEP_SCHEMA, random) for random in randoms()]
    refused = [arguments for arguments in broken if fault_of_arguments(arguments, DEEP_SCHEMA)]
    assert len(refused) > DRAWS / 2


def test_huge_arguments_are_huge_with_and_without_a_place_for_text() -> None:
    for schema in (DEEP_SCHEMA, {"type": "object", "properties": {"q": {"type": "string"}}}):
        texts = huge_arguments(schema, Random(1)).values()  # noqa: S311 (not for secrets)
        assert any(isinstance(text, str) and len(text) >= 60_000 for text in texts)
