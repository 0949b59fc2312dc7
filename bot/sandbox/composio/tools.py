"""What a tool of the stand-in is, and how its schema is told to a model."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ValidationError

from bot.sandbox.composio.outcome import Data, Outcome, describe_invalid
from bot.sandbox.composio.sessions import Session

Effect = Literal["reads", "acts"]
Arguments = TypeVar("Arguments", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool by its slug; `execute` is the only way to run it."""

    slug: str
    title: str
    toolkit: str
    description: str
    effect: Effect
    input_schema: Data
    keywords: frozenset[str]
    """Words of a use case that this tool serves."""
    run: Callable[[Session, Mapping[str, Any]], Awaitable[Outcome]]

    @classmethod
    def define(
        cls,
        slug: str,
        arguments: type[Arguments],
        run: Callable[[Session, Arguments], Awaitable[Outcome]],
        *,
        title: str,
        toolkit: str,
        description: str,
        effect: Effect,
        keywords: frozenset[str] = frozenset(),
    ) -> Self:
        """A tool whose arguments are checked by a Pydantic model before `run` sees them."""

        async def check_and_run(session: Session, raw: Mapping[str, Any]) -> Outcome:
            try:
                checked = arguments.model_validate(raw)
            except ValidationError as error:
                return Outcome(error=describe_invalid(slug, error))
            return await run(session, checked)

        return cls(
            slug=slug,
            title=title,
            toolkit=toolkit,
            description=description,
            effect=effect,
            input_schema=build_schema(arguments),
            keywords=keywords,
            run=check_and_run,
        )

    async def execute(self, session: Session, arguments: Mapping[str, Any]) -> Outcome:
        """The tool's outcome; arguments that do not fit are an error in it."""
        return await self.run(session, arguments)

    def as_schema(self) -> Data:
        """The tool's entry in an answer about schemas."""
        return {
            "tool_slug": self.slug,
            "toolkit": self.toolkit,
            "description": self.description,
            "hasFullSchema": True,
            "input_schema": self.input_schema,
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
