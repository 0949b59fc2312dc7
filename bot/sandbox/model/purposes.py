"""What a tool is for, told by its description and input schema and never by its name."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.model.wire import Json, as_list, as_object, as_text

FETCH = (
    r"\b(fetch\w*|crawl\w*|download\w*|extract\w*|scrap\w*|open\w*|read\w*|retriev\w*|"
    r"visit\w*)\b"
)

PAGES = r"\b(pages?|urls?|websites?|web|links?|articles?)\b"
SAVE = r"\b(sav\w+|stor\w+|keep\w*|record\w*|collect\w*|persist\w*|build\w*|assembl\w+)\b"
EVIDENCE = r"\b(corpus|evidence|articles?|fetched|crawled|sources?|pages?)\b"
OWN_TEXT = r"\b(corpus|passages?|fetched|saved|crawled|collected|evidence|session'?s?)\b"
WEB = r"\b(web|internet|news|online|google|search engine)\b"
ASK = r"\b(ask\w*|question\w*)\b"
PERSON = r"\b(person|user|human|asker|people)\b"
HAND_OVER = (
    r"\b(hand\w*\b.{0,40}\b(?:over|off)|escalat\w*|switch\w*|pass\w* (?:it )?on|needs?|requires?|"
    r"cannot be answered|can ?not answer|instead of answering)\b"
)
LEADING_WORDS = 4
BEYOND = r"\b(tools?|fresh|current|live|real[- ]time|actions?|files?|search\w*|steps?|look\w* up)\b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One offered tool with what it is recognised as; purpose is empty where it is unknown."""

    name: str
    description: str
    schema: Json
    purpose: str = ""

    @property
    def properties(self) -> dict[str, Json]:
        return {k: as_object(v) for k, v in as_object(self.schema.get("properties")).items()}

    @property
    def required(self) -> list[str]:
        return [as_text(name) for name in as_list(self.schema.get("required"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The parts of a tool that its purpose is read from."""

    description: str
    first: str
    """The first sentence of the description."""
    properties: dict[str, Json]
    required: list[str]
    definitions: Json = field(default_factory=dict[str, Any])

    def says(self, pattern: str) -> bool:
        return re.search(pattern, self.description, re.IGNORECASE) is not None

    def opens_with(self, *patterns: str) -> bool:
        """Whether the first sentence matches all of the patterns."""
        return all(re.search(p, self.first, re.IGNORECASE) for p in patterns)

    def leads_with(self, pattern: str) -> bool:
        """Whether one of the first words of the description matches."""
        return re.search(pattern, " ".join(self.first.split()[:LEADING_WORDS]), re.I) is not None

    def has(self, *names: str) -> bool:
        return all(name in self.properties for name in names)

    def text(self, *names: str) -> str:
        """The first of these names that is a text field; an empty name where none is."""
        return next((n for n in names if n in self.properties and self.is_text(n)), "")

    def is_text(self, name: str) -> bool:
        spec = self.properties[name]
        kinds = [spec, *(as_object(s) for s in as_list(spec.get("anyOf")))]
        return "string" in [kind.get("type") for kind in kinds] or not spec.get("type", "string")

    def array(self, *names: str) -> str:
        """The first array field whose name holds one of these parts."""
        for name, spec in self.properties.items():
            if any(part in name.lower() for part in names) and _array_of(spec):
                return name
        return ""

    def array_of_objects_with(self, *keys: str) -> bool:
        """Whether an array field holds objects that have all of these fields."""
        return any(
            all(key in self._item_fields(spec) for key in keys) for spec in self.properties.values()
        )

    def _item_fields(self, spec: Json) -> Json:
        for item in _item_schemas(_array_of(spec)):
            target = as_text(item.get("$ref")).rpartition("/")[2]
            resolved = as_object(self.definitions.get(target)) if target else item
            if resolved.get("properties"):
                return as_object(resolved["properties"])
        return {}


def read_tools(offered: list[object]) -> tuple[Tool, ...]:
    """The client tools of a request; the purpose of the first that fits a rule wins."""
    return tuple(_read_tool(as_object(tool)) for tool in offered)


def _read_tool(tool: Json) -> Tool:
    schema = as_object(tool.get("input_schema"))
    description = " ".join(as_text(tool.get("description")).split())
    bare = Tool(name=as_text(tool.get("name")), description=description, schema=schema)
    shape = Shape(
        description=description,
        first=re.split(r"(?<=[a-z)\]])[.:!?](?:\s|$)", description)[0],
        properties=bare.properties,
        required=bare.required,
        definitions=as_object(schema.get("$defs")) or as_object(schema.get("definitions")),
    )
    purpose = next((name for name, fits in PURPOSES if fits(shape)), "")
    return Tool(name=bare.name, description=description, schema=schema, purpose=purpose)


def _array_of(spec: Json) -> Json:
    """The array schema in a field, also where it is one of several allowed types."""
    if spec.get("type") == "array":
        return spec
    options = [as_object(option) for option in as_list(spec.get("anyOf"))]
    return next((option for option in options if option.get("type") == "array"), Json())


def _item_schemas(array: Json) -> list[Json]:
    items = as_object(array.get("items"))
    options = as_list(items.get("anyOf")) or as_list(items.get("oneOf"))
    return [as_object(option) for option in options] or [items]


def _is_delegate(shape: Shape) -> bool:
    names = [n for n in shape.properties if re.search(r"agent|expert|assistant", n, re.IGNORECASE)]
    return bool(names and shape.text("prompt", "task", "instructions", "message"))


def _is_write_report(shape: Shape) -> bool:
    body = shape.text("markdown", "body", "content", "text", "report")
    return shape.has("title") and bool(body) and shape.says(r"\breports?\b")


def _is_write_file(shape: Shape) -> bool:
    return bool(shape.text("path", "file_path", "filename")) and bool(shape.text("content", "text"))


def _is_read_file(shape: Shape) -> bool:
    path = shape.text("path", "file_path", "file", "filename")
    return (
        path in shape.required and bool(path) and shape.opens_with(r"\b(?:read|view|open|show)s?\b")
    )


def _is_save_corpus(shape: Shape) -> bool:
    field_name = shape.array("article", "page", "source", "url", "document")
    is_about_saving = shape.opens_with(SAVE, EVIDENCE) and not shape.leads_with(FETCH)
    return bool(field_name) and (shape.leads_with(SAVE) or is_about_saving)


def _is_crawl(shape: Shape) -> bool:
    return bool(shape.array("url", "link", "page")) and shape.says(FETCH) and shape.says(PAGES)


def _has_query(shape: Shape) -> bool:
    return bool(shape.text("query", "q", "search_query", "question", "keywords"))


def _is_search_passages(shape: Shape) -> bool:
    return _has_query(shape) and shape.opens_with(OWN_TEXT)


def _is_search(shape: Shape) -> bool:
    return _has_query(shape) and shape.says(WEB) and shape.says(r"\b(search\w*|find\w*|look\w*)")


def _is_ask_person(shape: Shape) -> bool:
    return bool(shape.text("question", "message", "text") or shape.array("question")) and (
        shape.opens_with(ASK, PERSON)
    )


def _is_hand_over(shape: Shape) -> bool:
    only_texts = all(shape.is_text(name) for name in shape.properties)
    return (
        only_texts and len(shape.properties) <= 2 and shape.says(HAND_OVER) and (shape.says(BEYOND))
    )


def _is_list_sources(shape: Shape) -> bool:
    lists = shape.opens_with(r"\b(list\w*|show\w*|number\w*)\b") and not shape.required
    return lists and shape.says(r"\bsources?\b|\bcit\w+") and shape.says(r"\bnumber\w*|\bcit\w+")


def _is_list_files(shape: Shape) -> bool:
    return shape.opens_with(r"\blist\w*|\bshow\w*|names? of", r"\bfiles?|director|folder")


def _is_get_schemas(shape: Shape) -> bool:
    return bool(shape.array("slug")) and shape.says(r"\bschemas?\b")


def _is_manage_connections(shape: Shape) -> bool:
    is_about_accounts = shape.says(r"\b(?:connect\w*|accounts?|authori[sz]\w*|authenticat\w*)\b")
    return (
        bool(shape.array("toolkit")) and is_about_accounts and not shape.leads_with(r"\bwaits?\b")
    )


def _is_upload_file(shape: Shape) -> bool:
    path = shape.text("path", "file_path", "local_path", "file")
    return bool(path) and shape.says(r"\bupload\w*\b") and shape.says(r"\bs3[ _-]?keys?\b")


PURPOSES: tuple[tuple[str, Callable[[Shape], bool]], ...] = (
    ("discover_tools", lambda shape: shape.array_of_objects_with("use_case")),
    ("execute_batch", lambda shape: shape.array_of_objects_with("tool_slug", "arguments")),
    ("get_schemas", _is_get_schemas),
    ("manage_connections", _is_manage_connections),
    ("upload_file", _is_upload_file),
    ("delegate", _is_delegate),
    ("write_report", _is_write_report),
    ("write_file", _is_write_file),
    ("save_corpus", _is_save_corpus),
    ("crawl", _is_crawl),
    ("search_passages", _is_search_passages),
    ("ask_person", _is_ask_person),
    ("search", _is_search),
    ("read_file", _is_read_file),
    ("list_sources", _is_list_sources),
    ("list_files", _is_list_files),
    ("hand_over", _is_hand_over),
)
