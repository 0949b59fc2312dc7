"""Settings by scope: what a team, a channel or a thread has for itself, and what holds there.

To add a setting, add a field to `ScopedSettings`: the file, the database, `bot config effective`,
Home and the reader of people's words go through its fields. Instructions shape answers and widen
nothing; `approvals` only tightens the policy.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from agent_core.yaml_files import read_form

Origin = Literal[
    "default",
    "environment",
    "team",
    "channel",
    "thread",
    "file",
]
ApprovalRule = Literal["policy", "ask", "refuse"]

SCOPES: tuple[Origin, ...] = ("team", "channel", "thread")
STRICTNESS: tuple[ApprovalRule, ...] = get_args(ApprovalRule)


def _split(value: object) -> object:
    """A list may be one text with commas, as the database stores it."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",")]


STRICTEST = Field(json_schema_extra={"merge": "strictest"})
"""A narrower scope tightens, and never loosens. Unmarked, the nearest scope's value holds."""
ALL = Field(json_schema_extra={"merge": "all"})
"""The value of each scope holds."""

ReplyRule = Literal["meant", "two_party", "mention"]
Switch = Annotated[bool, STRICTEST]
Safeguard = Annotated[ApprovalRule, STRICTEST]
Dollars = Annotated[
    float,
    Field(ge=0, allow_inf_nan=False),
]
MonthlyBudget = Annotated[Dollars | None, STRICTEST]
Days = Annotated[int, Field(ge=1)] | None
ModelId = Annotated[str, Field(pattern="^[A-Za-z0-9_.:@/-]+$", max_length=100)]
Instructions = Annotated[
    str,
    Field(max_length=1_000),
    ALL,
]
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(_split),
    ALL,
]


class ScopedSettings(BaseModel):
    """The settings of one scope. What stands below a field explains it to operators and models."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )

    instructions: Instructions = ""
    """How answers are to be: language, tone, length, which sources come first."""
    model: ModelId = "main"
    """Which model answers: `main` (AGENT_MODEL), `small` (CLASSIFIER_MODEL), or a model's id."""
    tools: Names = ("*",)
    """Tools and tool servers that may be used, by name with * and ?: `local_toolkit` is the web and
    the files, `composio` the apps, `GMAIL_*` Gmail. One behind `!` may not."""
    follow_ups: ReplyRule = "meant"
    """Which replies in a thread are answered without a mention: those `meant` for the bot, those in
    threads between one person and it (`two_party`), or none (`mention`)."""
    budget: MonthlyBudget = None
    """US dollars that may be spent in a month."""
    guests: Switch = False
    """Whether guests of the workspace may use the bot."""
    digests: Switch = True
    """Whether scheduled digests may be ordered and posted."""
    approvals: Safeguard = "policy"
    """What becomes of a call with an effect: as the `policy` says, always `ask` a person first, or
    `refuse`. Never looser than the policy."""
    cite_or_stay_silent: bool = False
    """Whether an answer without a source is withheld."""
    footer: bool = False
    """Whether answers end with pages read, time and cost."""
    keep_workspaces_days: Days = None
    """Days after its last use for which a thread's files are kept; for ever without it."""
    keep_transcripts_days: Days = None
    """Days for which what was said and done in a thread is kept."""
    keep_reports_days: Days = None
    """Days for which a thread's reports and other work products are kept."""


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
        if self.value is None:
            return ""
        return str(self.value)


Layer = Mapping[str, HeldValue]
"""What one origin sets, by setting."""


Held = Mapping[str, Sequence[HeldValue]]


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """What holds in one team, channel or thread, with the origin of each value."""

    held: Held
    """By setting; the last one is in force. Of a setting that is merged by `all`, each one is."""

    @property
    def values(self) -> ScopedSettings:
        """The values in force; of several that hold, the nearest scope's."""
        return DEFAULTS.model_copy(
            update={name: values[-1].value for name, values in self.held.items()}
        )

    def lets(self, server: str, tool: str) -> bool:
        """Whether a tool of a server may be used; the agent's own tools have no server."""
        return not server or all(
            _is_listed((server, tool), each.value) for each in self.held.get("tools", ())
        )


NOTHING_SET = EffectiveSettings({})


def layer(values: Mapping[str, Any], origin: Origin, author: str = "") -> Layer:
    """The values that one origin sets; a stored one that this version refuses is not set."""
    held: dict[str, HeldValue] = {}
    for name in SETTINGS.keys() & values.keys():
        with suppress(ValidationError):
            checked = ScopedSettings(**{name: values[name]})
            held[name] = HeldValue(
                getattr(checked, name),
                origin,
                author,
            )
    return held


def merged(layers: Sequence[Layer]) -> EffectiveSettings:
    """What holds under these layers, the widest first; what a file sets wins over all others."""
    held: dict[str, Sequence[HeldValue]] = {}
    for name, info in SETTINGS.items():
        values = [each[name] for each in layers if name in each]
        values = [each for each in values if each.origin == "file"] or values
        if info.json_schema_extra == STRICTEST.json_schema_extra:
            values.sort(key=_strictness)
        if info.json_schema_extra != ALL.json_schema_extra:
            values = values[-1:]
        held[name] = values or [HeldValue(info.default, "default")]
    return EffectiveSettings(held)


def _strictness(held: HeldValue) -> float:
    """Higher is stricter, within one setting: a refusal, a smaller amount."""
    value: Any = held.value
    if value is None:
        return float("-inf")
    if value in STRICTNESS:
        return STRICTNESS.index(value)
    return -value


def _is_listed(names: Iterable[str], patterns: Any) -> bool:
    """Whether a name fits a pattern, and none fits one behind `!`."""
    is_allowed = all(each.startswith("!") for each in patterns)
    for pattern in patterns:
        form = pattern.removeprefix("!").upper()
        if any(fnmatchcase(name.upper(), form) for name in names):
            if pattern.startswith("!"):
                return False
            is_allowed = True
    return is_allowed


def scopes_of(scope: str) -> dict[Origin, str]:
    """A scope and those that it lies in: the parts of its id nest, team, channel, thread."""
    parts = scope.split(":")
    return {kind: ":".join(parts[: number + 1]) for number, kind in enumerate(SCOPES[: len(parts)])}


ChannelId = Annotated[str, Field(pattern="^[A-Z0-9]+$")]


class SettingsFile(BaseModel):
    """The operator's file: what it sets for the team or a channel wins over what people set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    team: ScopedSettings = DEFAULTS
    channels: dict[ChannelId, ScopedSettings] = Field(default_factory=dict)
    """By the channel's id."""

    def layers(self, scope: str) -> list[Layer]:
        """What the file sets for a scope: the team's part, then the channel's."""
        _, channel, *_ = [*scope.split(":"), ""]
        return [
            layer(part.model_dump(exclude_unset=True), "file")
            for part in (self.team, self.channels.get(channel, DEFAULTS))
        ]


def read_settings_file(path: Path | None) -> SettingsFile:
    """The operator's file; an empty one where there is none.

    Raises SettingsError: it cannot be read, or has an unknown name (with the nearest) or value.
    """
    if path is None:
        return SettingsFile()
    return read_form(path, SettingsFile, SETTINGS)
