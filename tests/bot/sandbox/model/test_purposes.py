"""What a tool is for is read from its description and schema, whatever its name."""

from typing import Any

import pytest

from bot.sandbox.model.arguments import fill, use
from bot.sandbox.model.experts import choose_expert
from bot.sandbox.model.purposes import Tool, read_tools
from tests.bot.sandbox.model import world

PURPOSES = {
    "look_for_helpers": "discover_tools",
    "run_many": "execute_batch",
    "seek": "search",
    "pass_on": "delegate",
    "grab": "crawl",
    "stow": "save_corpus",
    "dig": "search_passages",
    "numbering": "list_sources",
    "peek": "read_file",
    "publish": "write_report",
    "not_me": "hand_over",
}
TEXT = {"type": "string"}
NAMES = {"type": "array", "items": TEXT}
CONNECTS = "manage_connections"


def read(description: str, required: list[str], **fields: Any) -> Tool:
    schema = {"type": "object", "properties": fields, "required": required}
    (tool,) = read_tools([{"name": "t1", "description": description, "input_schema": schema}])
    return tool


def test_every_tool_of_the_world_is_recognised_under_another_name() -> None:
    offered = [*world.MAIN_TOOLS, *world.EXPERT_TOOLS, world.WEB_SEARCH, world.ESCAPE]
    renamed = [{**tool, "name": f"t{place}"} for place, tool in enumerate(offered)]
    known = [tool.purpose for tool in read_tools(list(renamed))]
    assert known == [PURPOSES[tool["name"]] for tool in offered]


@pytest.mark.parametrize(
    ("description", "required", "fields", "purpose"),
    [
        ("Write a text file.", ["path", "content"], {"path": TEXT, "content": TEXT}, "write_file"),
        ("List the files of the session.", [], {"path": TEXT}, "list_files"),
        ("Ask the person a question.", ["question"], {"question": TEXT}, "ask_person"),
        ("Fetches the pages of these URLs.", ["urls"], {"urls": world.URLS}, "crawl"),
        ("Save the pages of these URLs for later.", ["urls"], {"urls": world.URLS}, "save_corpus"),
        ("Connects accounts of apps.", ["toolkits"], {"toolkits": NAMES}, CONNECTS),
        ("Waits until accounts are connected.", ["toolkits"], {"toolkits": NAMES}, ""),
        ("Returns the input schemas of tools.", ["slugs"], {"tool_slugs": NAMES}, "get_schemas"),
        ("Upload a file, get its s3 key.", ["path"], {"path": TEXT}, "upload_file"),
        ("Upload a file to the remote place.", ["path"], {"path": TEXT}, ""),
        ("Sends an email.", ["to", "body"], {"to": TEXT, "body": TEXT}, ""),
        ("Adds two numbers.", ["a"], {"a": {"type": "number"}}, ""),
    ],
)
def test_a_purpose_follows_from_words_and_shape(
    description: str, required: list[str], fields: dict[str, Any], purpose: str
) -> None:
    assert read(description, required, **fields).purpose == purpose


def test_array_items_behind_a_reference_are_looked_up() -> None:
    schema = {
        "type": "object",
        "properties": {"queries": {"type": "array", "items": {"$ref": "#/$defs/Query"}}},
        "$defs": {"Query": {"type": "object", "properties": {"use_case": TEXT}}},
    }
    (tool,) = read_tools([{"name": "x", "description": "", "input_schema": schema}])
    assert tool.purpose == "discover_tools"


def test_missing_required_fields_are_filled_by_type() -> None:
    schema = {
        "type": "object",
        "properties": {
            "query": TEXT,
            "short": {"type": "string", "maxLength": 3},
            "region": {"type": "string", "enum": ["eu", "us"]},
            "fast": {"type": "boolean"},
            "count": {"type": "integer", "minimum": 2},
            "tags": {"type": "array", "items": TEXT},
            "pair": {"type": "array", "items": TEXT, "minItems": 1},
            "deep": {"type": "object", "properties": {"q": TEXT}, "required": ["q"]},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "page": {"type": "integer", "default": 7},
            "left_out": TEXT,
        },
        "required": [
            "query", "short", "region", "fast", "count", "tags", "pair", "deep", "maybe", "page",
        ],
    }  # fmt: skip
    filled = fill(schema, {"query": "mine"}, topic="topic")
    world.check(filled, schema)
    assert filled["query"] == "mine"
    assert filled["page"] == 7
    assert "left_out" not in filled


def test_arguments_that_a_tool_does_not_know_are_left_out() -> None:
    tool = read("Searches the web.", ["query"], query=TEXT)
    assert use(tool, {"query": "x", "limit": 3}).input == {"query": "x"}


@pytest.mark.parametrize(
    "listing",
    [
        "- poet: writes verse.\n- smith-of-papers: every report and analysis.",
        "Agents: \n* **poet** (writes verse)\n* **smith-of-papers** (every report, in-depth work)",
    ],
)
def test_the_expert_for_reports_is_found_in_the_description(listing: str) -> None:
    tool = read(f"Delegates. {listing}", ["agent", "prompt"], agent=TEXT, prompt=TEXT)
    spread = Tool(name="t", description=listing, schema=tool.schema, purpose="delegate")
    assert choose_expert(spread, "agent", "Write a report on cats") == "smith-of-papers"


def test_the_expert_is_taken_from_the_schema_where_it_lists_them() -> None:
    kinds = {"type": "string", "enum": ["poet", "reporter"]}
    tool = read("poet: verse. reporter: any report.", ["kind"], agent_kind=kinds, prompt=TEXT)
    assert choose_expert(tool, "agent_kind", "Write a report on verse") == "reporter"
