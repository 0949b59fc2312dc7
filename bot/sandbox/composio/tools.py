"""What a tool and a toolkit of the stand-in are, and how their schemas are told to a model."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.sandbox.composio.accounts import Account
from bot.sandbox.composio.outcome import Data, Outcome, describe_invalid
from bot.sandbox.composio.sessions import Session

Tag = Literal[
    "readOnlyHint", "createHint", "updateHint", "destructiveHint", "openWorldHint", "important"
]
VERSION = "20261101_00"
Arguments = TypeVar("Arguments", bound=BaseModel)


class AppArguments(BaseModel):
    """Arguments of an app tool; a name that the tool does not have is an error."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """For whom a tool runs, and with which account where it needs one."""

    session: Session
    account: Account | None = None

    @property
    def user_id(self) -> str:
        return self.session.user_id

    @property
    def identity(self) -> str:
        return self.account.identity if self.account else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool by its slug; `execute` is the only way to run it."""

    slug: str
    title: str
    toolkit: str
    description: str
    tags: tuple[Tag, ...]
    input_schema: Data
    keywords: frozenset[str]
    """Words of a use case that this tool serves."""
    run: Callable[[Caller, Mapping[str, Any]], Awaitable[Outcome]]

    @classmethod
    def define(
        cls,
        slug: str,
        arguments: type[Arguments],
        run: Callable[[Caller, Arguments], Awaitable[Outcome]],
        *,
        title: str,
        toolkit: str,
        description: str,
        tags: tuple[Tag, ...],
        keywords: frozenset[str] = frozenset(),
    ) -> Self:
        """A tool whose arguments are checked by a Pydantic model before `run` sees them."""

        async def check_and_run(caller: Caller, raw: Mapping[str, Any]) -> Outcome:
            try:
                checked = arguments.model_validate(raw)
            except ValidationError as error:
                return Outcome(error=describe_invalid(slug, error))
            return await run(caller, checked)

        return cls(
            slug=slug,
            title=title,
            toolkit=toolkit,
            description=description,
            tags=tags,
            input_schema=build_schema(arguments),
            keywords=keywords,
            run=check_and_run,
        )

    @property
    def reads_only(self) -> bool:
        return "readOnlyHint" in self.tags

    async def execute(self, caller: Caller, arguments: Mapping[str, Any]) -> Outcome:
        """The tool's outcome; arguments that do not fit are an error in it."""
        return await self.run(caller, arguments)

    def as_schema(self) -> Data:
        """The tool's entry in an answer about schemas."""
        return {
            "tool_slug": self.slug,
            "toolkit": self.toolkit,
            "description": self.description,
            "hasFullSchema": True,
            "input_schema": self.input_schema,
        }

    def as_reference(self) -> Data:
        """The entry that only says where the schema is to be had."""
        return {
            "tool_slug": self.slug,
            "toolkit": self.toolkit,
            "description": self.description,
            "hasFullSchema": False,
            "schemaRef": {
                "tool": "COMPOSIO_GET_TOOL_SCHEMAS",
                "args": {"tool_slugs": [self.slug]},
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """An app: its tools, and whether they need somebody's account."""

    slug: str
    name: str
    description: str
    tools: tuple[Tool, ...]
    no_auth: bool = False

    def as_record(self, tool: Tool) -> Data:
        """The full record of one of its tools."""
        toolkit = {"slug": self.slug, "name": self.name, "logo": ""}
        return {
            "slug": tool.slug,
            "name": tool.title,
            "description": tool.description,
            "human_description": tool.title,
            "tags": list(tool.tags),
            "scopes": [],
            "scope_requirements": None,
            "version": VERSION,
            "available_versions": [VERSION],
            "is_deprecated": False,
            "no_auth": self.no_auth,
            "input_parameters": tool.input_schema,
            "output_parameters": {"type": "object", "properties": {}},
            "toolkit": toolkit,
            "deprecated": {
                "available_versions": [VERSION],
                "displayName": tool.title,
                "is_deprecated": False,
                "toolkit": {"logo": ""},
                "version": VERSION,
            },
        }


def build_schema(model: type[BaseModel]) -> Data:
    """The JSON Schema of a model with its references resolved and its generated titles gone."""
    schema = model.model_json_schema()
    definitions = cast(Data, schema.pop("$defs", {}))
    schema.pop("description", None)
    return cast(Data, _resolve(schema, definitions))


def _resolve(node: object, definitions: Data) -> object:
    if isinstance(node, list):
        return [_resolve(item, definitions) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    fields = cast(Data, node)
    if "$ref" in fields:
        return _resolve(definitions[fields["$ref"].rpartition("/")[2]], definitions)
    kept = {key: value for key, value in fields.items() if not _is_label(key, value)}
    return {key: _resolve(value, definitions) for key, value in kept.items()}


def _is_label(key: str, value: object) -> bool:
    return key == "title" and isinstance(value, str)
