"""Settings by scope: what a team, a channel or a thread has for itself, and what holds there.

To add a setting, add a field to `ScopedSettings` with its description, examples and merge rule:
the file, the database, `bot config effective`, Home and the reader of people's words go through
the fields. Instructions shape answers and widen nothing; `approvals` only tightens the policy.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic import ValidationError as _Invalid

from agent_core.errors import SettingsError
from agent_core.yaml_files import nearest, read_yaml

Origin = Literal["default", "environment", "team", "channel", "thread", "file"]
ScopeKind = Literal["team", "channel", "thread"]
ApprovalRule = Literal["policy", "ask", "refuse"]
Value = str | bool | float | tuple[str, ...] | None

SCOPES: tuple[ScopeKind, ...] = get_args(ScopeKind)
STRICTNESS: tuple[ApprovalRule, ...] = get_args(ApprovalRule)
MAX_INSTRUCTIONS_CHARS = 1_000


def _split(value: object) -> object:
    """A list may be written as one text with commas, as the database stores it."""
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


Days = Annotated[float | None, Field(ge=1, allow_inf_nan=False, examples=["90"])]
_Names = Annotated[tuple[str, ...], BeforeValidator(_split)]


MergeRule = Literal["nearest", "strictest", "all"]


@dataclass(frozen=True, slots=True)
class Merge:
    """How values of several scopes meet; without this mark the nearest scope's value holds.

    `strictest`: a narrower scope can tighten, never loosen. `all`: each scope's value holds.
    """

    rule: MergeRule


class ScopedSettings(BaseModel):
    """The settings of one scope; only those that were set count (`model_fields_set`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    instructions: Annotated[str, Merge("all")] = Field(
        default="",
        max_length=MAX_INSTRUCTIONS_CHARS,
        description="How answers are to be: language, tone, length, which sources come first.",
        examples=["answer in German, cite our wiki first"],
    )
    model: str = Field(
        default="main",
        pattern=r"^[\w.:@/-]{1,100}$",
        description="Which model answers: `main` (AGENT_MODEL), `small` (CLASSIFIER_MODEL), or a "
        "model's id.",
        examples=["main", "small"],
    )
    tools: Annotated[_Names, Merge("all")] = Field(
        default=("*",),
        description="Tools that may be used, by name with * and ?; one behind `!` may not.",
        examples=["*, !GMAIL_SEND_EMAIL"],
    )
    servers: Annotated[_Names, Merge("all")] = Field(
        default=("*",),
        description="Tool servers that may be used, by name (`local_toolkit` reads the web, "
        "`composio` holds the apps); one behind `!` may not.",
        examples=["local_toolkit, composio", "*, !composio"],
    )
    follow_ups: Literal["meant", "two_party", "mention"] = Field(
        default="meant",
        description="Which replies in a thread are answered without a mention: those `meant` for "
        "the bot, only those in threads between one person and it (`two_party`), or none "
        "(`mention`).",
        examples=["meant", "two_party", "mention"],
    )
    budget: Annotated[float | None, Merge("strictest")] = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        description="US dollars that may be spent in a month.",
        examples=["25"],
    )
    guests: Annotated[bool, Merge("strictest")] = Field(
        default=False,
        description="Whether guests of the workspace may use the bot.",
        examples=["true", "false"],
    )
    digests: Annotated[bool, Merge("strictest")] = Field(
        default=True,
        description="Whether scheduled digests may be ordered and posted.",
        examples=["true", "false"],
    )
    approvals: Annotated[ApprovalRule, Merge("strictest")] = Field(
        default="policy",
        description="What becomes of a call that has an effect: as the `policy` says, always "
        "`ask` a person first, or `refuse`. Never looser than the policy.",
        examples=[*STRICTNESS],
    )
    cite_or_stay_silent: bool = Field(
        default=False,
        description="Whether an answer without a source is withheld.",
        examples=["true", "false"],
    )
    footer: bool = Field(
        default=False,
        description="Whether answers end with pages read, time and cost.",
        examples=["true", "false"],
    )

    keep_workspaces_days: Days = Field(
        default=None,
        description="Days for which a thread's files are kept; for ever where it is not set.",
    )
    keep_transcripts_days: Days = Field(
        default=None,
        description="Days for which what was said and done in a thread is kept.",
    )
    keep_reports_days: Days = Field(
        default=None,
        description="Days for which reports and other work products are kept.",
    )

    def set_values(self) -> dict[str, Value]:
        """The settings that were set, by name."""
        return {name: getattr(self, name) for name in self.model_fields_set}


SETTINGS = ScopedSettings.model_fields
DEFAULTS = ScopedSettings()


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value that holds, and the scope that it comes from."""

    value: Value
    origin: Origin
    author: str = ""
    """The id of the person whose words a scope's instructions are; empty for the operator's."""


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """What holds in one team, channel or thread, with the origin of each value."""

    held: Mapping[str, tuple[HeldValue, ...]] = field(
        default_factory=lambda: {
            name: (HeldValue(getattr(DEFAULTS, name), "default"),) for name in SETTINGS
        }
    )
    """By setting; the last one is in force. Of a setting that is merged by `all`, each one is."""

    @property
    def values(self) -> ScopedSettings:
        """The values in force; of several that hold, the nearest scope's."""
        in_force = {name: held[-1].value for name, held in self.held.items()}
        return ScopedSettings.model_construct(None, **in_force)

    def origin(self, name: str) -> Origin:
        """Where the value in force comes from."""
        return self.held[name][-1].origin

    @property
    def instructions(self) -> tuple[HeldValue, ...]:
        """The instructions of every scope, the widest scope's first."""
        return tuple(each for each in self.held["instructions"] if each.value)

    def lets(self, server: str, tool: str) -> bool:
        """Whether a tool of a server may be used; the agent's own tools have no server."""
        if not server:
            return True
        names = {"servers": server, "tools": tool}
        return all(
            _is_listed(name, held.value) for key, name in names.items() for held in self.held[key]
        )


NOTHING_SET = EffectiveSettings()


@dataclass(frozen=True, slots=True)
class Layer:
    """What one origin sets."""

    origin: Origin
    settings: ScopedSettings
    author: str = ""
    """As in `HeldValue`."""


def merged(layers: Sequence[Layer]) -> EffectiveSettings:
    """What holds under these layers, the widest first; what a file sets wins over all others."""
    held: dict[str, tuple[HeldValue, ...]] = {}
    for name, info in SETTINGS.items():
        values = list(_values_of(name, layers))
        values = [each for each in values if each.origin == "file"] or values
        marks = [mark.rule for mark in info.metadata if isinstance(mark, Merge)]
        rule = marks[0] if marks else "nearest"
        if not values:
            values = [HeldValue(getattr(DEFAULTS, name), "default")]
        elif rule == "strictest":
            values = [max(values, key=lambda each: _strictness(each.value))]
        elif rule == "nearest":
            values = values[-1:]
        held[name] = tuple(values)
    return EffectiveSettings(held)


def _values_of(name: str, layers: Sequence[Layer]) -> Iterator[HeldValue]:
    for layer in layers:
        if name in layer.settings.model_fields_set:
            yield HeldValue(getattr(layer.settings, name), layer.origin, layer.author)


def _strictness(value: Value) -> float:
    """Higher is stricter, within one setting."""
    if isinstance(value, bool):
        return float(not value)
    if isinstance(value, float):
        return -value
    if value in STRICTNESS:
        return float(STRICTNESS.index(value))
    return float("-inf")


def _is_listed(name: str, patterns: Value) -> bool:
    """Whether a name fits a pattern and none behind `!`; a list that only denies lets others in."""
    listed = patterns if isinstance(patterns, tuple) else ()
    denied = [each[1:] for each in listed if each.startswith("!")]
    allowed = [each for each in listed if not each.startswith("!")]
    if denied and not allowed:
        allowed = ["*"]
    return _fits(name, allowed) and not _fits(name, denied)


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name.upper(), each.upper()) for each in patterns)


def as_text(value: Value) -> str:
    """A value as it is stored, and as it may be written in the file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else ""


def wider_scopes(scope: str) -> tuple[str, ...]:
    """A scope behind those that it lies in: the parts of its id nest, team, channel, thread."""
    parts = scope.split(":")[: len(SCOPES)]
    return tuple(":".join(parts[: n + 1]) for n in range(len(parts)))


def kind_of_scope(scope: str) -> ScopeKind:
    """Which kind of scope an id names, by the number of its parts."""
    return SCOPES[min(scope.count(":"), len(SCOPES) - 1)]


class SettingFault(Exception):
    """A setting that is refused: an unknown name, with the nearest one, or a wrong value."""

    def __init__(self, name: str, problem: str, known: Iterable[str] = ()) -> None:
        super().__init__(name)
        self.name = name
        self.is_unknown = not problem
        self.near = nearest(name, known)
        self._problem = problem
        self._known = known

    def __str__(self) -> str:
        if not self.is_unknown:
            return f"`{self.name}`: {self._problem}"
        hint = f"There are: {', '.join(self._known)}."
        if self.near:
            hint = f"Did you mean `{self.near}`?"
        return f"there is no setting `{self.name}`. {hint}"


def checked_settings(values: Mapping[str, object]) -> ScopedSettings:
    """Settings from values or texts. Raises SettingFault for the first that is refused."""
    try:
        return ScopedSettings.model_validate(values)
    except _Invalid as error:
        raise _fault(error, SETTINGS)[0] from error


def stored_settings(texts: Mapping[str, str]) -> ScopedSettings:
    """The settings among stored texts; one that this version refuses counts as not set."""
    known = {name: text for name, text in texts.items() if name in SETTINGS}
    try:
        return ScopedSettings.model_validate(known)
    except _Invalid as error:
        refused = {each["loc"][0] for each in error.errors(include_url=False)}
        return ScopedSettings.model_validate(
            {name: text for name, text in known.items() if name not in refused}
        )


def _fault(error: _Invalid, names: Iterable[str]) -> tuple[SettingFault, str]:
    """The fault to tell, and in which part of a file; an unknown name explains the others."""
    first = min(error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden")
    *part, name = [step for step in first["loc"] if isinstance(step, str)]
    problem = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        problem = ""
    known = SETTINGS if part else names
    return SettingFault(name, problem, known), ".".join(part)


_ScopeId = Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]+$")]


class SettingsFile(BaseModel):
    """The operator's file: what it sets for the team or a channel wins over what people set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    team: ScopedSettings = DEFAULTS
    channels: dict[_ScopeId, ScopedSettings] = Field(default_factory=dict)
    """By the channel's id."""

    def layers(self, scope: str) -> list[Layer]:
        """What the file sets for a scope: the team's part, then the channel's."""
        channel = "".join(scope.split(":")[1:2])
        parts = [self.team, self.channels.get(channel, DEFAULTS)]
        return [Layer("file", part) for part in parts]


NO_FILE = SettingsFile()


def read_settings_file(path: Path | None) -> SettingsFile:
    """The operator's file; an empty one where there is none.

    Raises SettingsError: the file cannot be read, or has a name or value that is none.
    """
    if path is None:
        return NO_FILE
    try:
        return SettingsFile.model_validate(read_yaml(path, "CHANNEL_SETTINGS_FILE"))
    except _Invalid as error:
        fault, part = _fault(error, SettingsFile.model_fields)
        where = f"{path.name}, {part}" if part else path.name
        raise SettingsError(f"{where}: {fault}") from error
