"""Settings by scope: what a team, a channel or a thread has for itself, and what holds there.

To add a setting, add a field to `ScopedSettings`: the file, the database, `bot config effective`,
Home and the reader of people's words go through its fields. Instructions shape answers and widen
nothing; `approvals` only tightens the policy.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from agent_core.errors import SettingsError
from agent_core.yaml_files import read_yaml

Origin = Literal["default", "environment", "team", "channel", "thread", "file"]
ApprovalRule = Literal["policy", "ask", "refuse"]
MergeRule = Literal["nearest", "strictest", "all"]
"""How values of several scopes meet. `strictest`: a narrower scope tightens, and never loosens."""

SCOPES: tuple[Origin, ...] = ("team", "channel", "thread")
STRICTNESS: tuple[ApprovalRule, ...] = get_args(ApprovalRule)


def _split(value: object) -> object:
    """A list may be one text with commas, as the database stores it."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
Strictest = Field(json_schema_extra={"merge": "strictest"})
All = Field(json_schema_extra={"merge": "all"})


class ScopedSettings(BaseModel):
    """The settings of one scope. What stands below a field explains it to operators and models."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    instructions: Annotated[str, All, Field(max_length=1_000)] = ""
    """How answers are to be: language, tone, length, which sources come first."""
    model: Annotated[str, Field(pattern=r"^[\w.:@/-]{1,100}$")] = "main"
    """Which model answers: `main` (AGENT_MODEL), `small` (CLASSIFIER_MODEL), or a model's id."""
    tools: Annotated[Names, All] = ("*",)
    """Tools and tool servers that may be used, by name with * and ?: `local_toolkit` is the web and
    the files, `composio` the apps, `GMAIL_*` Gmail. One behind `!` may not."""
    follow_ups: Literal["meant", "two_party", "mention"] = "meant"
    """Which replies in a thread are answered without a mention: those `meant` for the bot, those in
    threads between one person and it (`two_party`), or none (`mention`)."""
    budget: Annotated[float | None, Strictest, Field(ge=0, allow_inf_nan=False)] = None
    """US dollars that may be spent in a month."""
    guests: Annotated[bool, Strictest] = False
    """Whether guests of the workspace may use the bot."""
    digests: Annotated[bool, Strictest] = True
    """Whether scheduled digests may be ordered and posted."""
    approvals: Annotated[ApprovalRule, Strictest] = "policy"
    """What becomes of a call with an effect: as the `policy` says, always `ask` a person first, or
    `refuse`. Never looser than the policy."""
    cite_or_stay_silent: bool = False
    """Whether an answer without a source is withheld."""
    footer: bool = False
    """Whether answers end with pages read, time and cost."""


SETTINGS = ScopedSettings.model_fields
DEFAULTS = ScopedSettings()


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value that holds, and the scope that it comes from."""

    value: str | float | tuple[str, ...] | None
    origin: Origin
    author: str = ""
    """The id of the person whose words they are; empty for the operator's."""

    @property
    def text(self) -> str:
        """As it is stored, and as it may be written in the file."""
        if isinstance(self.value, tuple):
            return ", ".join(self.value)
        return "" if self.value is None else str(self.value)


Layer = Mapping[str, HeldValue]
"""What one origin sets, by setting."""


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """What holds in one team, channel or thread, with the origin of each value."""

    held: Mapping[str, Sequence[HeldValue]] = field(default_factory=dict[str, Sequence[HeldValue]])
    """By setting; the last one is in force. Of a setting that is merged by `all`, each one is."""

    @property
    def values(self) -> ScopedSettings:
        """The values in force; of several that hold, the nearest scope's."""
        return DEFAULTS.model_copy(
            update={name: each[-1].value for name, each in self.held.items()}
        )

    def lets(self, server: str, tool: str) -> bool:
        """Whether a tool of a server may be used; the agent's own tools have no server."""
        lists = self.held.get("tools", ())
        return not server or all(_is_listed((server, tool), each.value) for each in lists)


NOTHING_SET = EffectiveSettings()


def layer(values: Mapping[str, Any], origin: Origin, author: str = "") -> Layer:
    """The values that one origin sets; a stored one that this version refuses is not set."""
    held: dict[str, HeldValue] = {}
    for name in SETTINGS.keys() & values.keys():
        with suppress(ValidationError):
            value = getattr(ScopedSettings(**{name: values[name]}), name)
            held[name] = HeldValue(value, origin, author)
    return held


def merged(layers: Sequence[Layer]) -> EffectiveSettings:
    """What holds under these layers, the widest first; what a file sets wins over all others."""
    held: dict[str, Sequence[HeldValue]] = {}
    for name, info in SETTINGS.items():
        values = [each[name] for each in layers if name in each]
        values = [each for each in values if each.origin == "file"] or values
        rule: Any = info.json_schema_extra or {"merge": "nearest"}
        if rule["merge"] == "strictest":
            values.sort(key=lambda each: _strictness(each.value))
        if rule["merge"] != "all":
            values = values[-1:]
        held[name] = values or [HeldValue(info.default, "default")]
    return EffectiveSettings(held)


def _strictness(value: Any) -> float:
    """Higher is stricter, within one setting: a refusal, a smaller amount."""
    if value is None:
        return float("-inf")
    return STRICTNESS.index(value) if value in STRICTNESS else -value


def _is_listed(names: Iterable[str], patterns: Any) -> bool:
    """Whether a name fits a pattern, and none fits one behind `!`."""
    fitting = [each for each in patterns for name in names if _fits(name, each)]
    has_allowed = any(not each.startswith("!") for each in patterns)
    return not any(each.startswith("!") for each in fitting) and bool(fitting or not has_allowed)


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name.upper(), pattern.removeprefix("!").upper())


def scopes_of(scope: str) -> dict[Origin, str]:
    """A scope and those that it lies in: the parts of its id nest, team, channel, thread."""
    parts = scope.split(":")[: len(SCOPES)]
    return {kind: ":".join(parts[: n + 1]) for n, kind in enumerate(SCOPES[: len(parts)])}


class SettingsFile(BaseModel):
    """The operator's file: what it sets for the team or a channel wins over what people set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    team: ScopedSettings = DEFAULTS
    channels: dict[Annotated[str, Field(pattern="^[A-Z0-9]+$")], ScopedSettings] = Field(
        default_factory=dict
    )
    """By the channel's id."""

    def layers(self, scope: str) -> list[Layer]:
        """What the file sets for a scope: the team's part, then the channel's."""
        channel = self.channels.get("".join(scope.split(":")[1:2]), DEFAULTS)
        return [layer(part.model_dump(exclude_unset=True), "file") for part in (self.team, channel)]


def read_settings_file(path: Path | None) -> SettingsFile:
    """The operator's file; an empty one where there is none.

    Raises SettingsError: it cannot be read, or has an unknown name (with the nearest) or value.
    """
    if path is None:
        return NO_FILE
    try:
        return SettingsFile.model_validate(read_yaml(path, "CHANNEL_SETTINGS_FILE"))
    except ValidationError as error:
        faults = error.errors(include_url=False)
        first = min(faults, key=lambda fault: fault["type"] != "extra_forbidden")
        *part, name = [str(step) for step in first["loc"]]
        problem = first["msg"]
        if first["type"] == "extra_forbidden":
            problem = near_miss(name, SETTINGS if part else SettingsFile.model_fields)
        where = ", ".join([path.name, *filter(None, [".".join(part)])])
        raise SettingsError(f"{where}: `{name}`: {problem}") from error


NO_FILE = SettingsFile()


def near_miss(name: str, known: Iterable[str] = SETTINGS) -> str:
    """That a name is none, with the nearest one that is."""
    nearest = difflib.get_close_matches(name.casefold(), known, n=1)
    hint = f"Did you mean `{nearest[0]}`?" if nearest else f"There are: {', '.join(known)}."
    return f"nothing is called so here. {hint}"
