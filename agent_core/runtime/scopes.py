"""Effective settings of a team, channel or thread: defaults, environment, what people set, a file.

`at` is the one function that says what holds and from where; `change` is the one that sets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pydantic_settings import BaseSettings

from agent_core.ids import SessionId, UserId
from agent_core.scoped_settings import (
    SETTINGS,
    EffectiveSettings,
    Layer,
    SettingsFile,
    layer,
    merged,
    read_settings_file,
    scopes_of,
)
from agent_core.sessions import AuditLog, AuditRecord, Database, Preferences, ScheduleStore
from agent_core.settings import CoreSettings

AUTHOR = "instructions_by"
"""The preference that names whose words a scope's instructions are."""


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """What holds in a scope, and changes of it."""

    _stored: Preferences
    _schedules: ScheduleStore
    _audit: AuditLog
    file: SettingsFile
    environment: Layer

    async def at(self, scope: str) -> EffectiveSettings:
        """What holds in a team, a channel or a thread, and from where.

        A scope is a session's id, or as many of its parts as name the scope: `team:channel`.
        """
        layers = [self.environment]
        for kind, each in scopes_of(scope).items():
            texts = await self._stored.of(each)
            layers.append(layer(texts, kind, texts.get(AUTHOR, "")))
        return merged([*layers, *self.file.layers(scope)])

    async def of_session(self, session: SessionId) -> EffectiveSettings:
        """What holds for a session; a digest's is in the channel that it is posted to."""
        return await self.at(await self._scope_of(session))

    async def budgets(self, session: SessionId) -> dict[tuple[str, str], float | None]:
        """What a session's team, channel and thread may spend, by kind and scope.

        None where it is not set; what only a wider scope has set is that scope's.
        """
        budgets: dict[tuple[str, str], float | None] = {}
        layers = [self.environment]
        for kind, scope in scopes_of(await self._scope_of(session)).items():
            layers.append(layer(await self._stored.of(scope), kind))
            held = merged([*layers, *self.file.layers(scope)]).held.get("budget", ())
            own = held[-1] if held and held[-1].origin in ("file", kind) else None
            usd = own.value if own else None
            budgets[kind, scope] = usd if isinstance(usd, float) else None
        return budgets

    async def _scope_of(self, session: SessionId) -> str:
        slot = await self._schedules.slot_of(session)
        schedule = await self._schedules.find(slot.schedule) if slot else None
        order = schedule.order if schedule else None
        return f"{order.team}:{order.place}" if order else session

    def fault(self, scope: str, name: str, text: str) -> str:
        """Why a value cannot be set by words: `in-file`, `unknown`, `wrong`; empty where it can."""
        if any(name in each for each in self.file.layers(scope)):
            return "in-file"
        if name in SETTINGS and (not text or layer({name: text}, "team")):
            return ""
        return "wrong" if name in SETTINGS else "unknown"

    async def change(
        self, scope: str, texts: Mapping[str, str], by: UserId, *, key: str, now: datetime
    ) -> None:
        """Set checked values of one scope, as texts; an empty one is taken back.

        It is in the audit once for a `key`.
        """
        record = AuditRecord(
            at=now,
            kind="setting",
            who=by,
            about={"scope": scope, "names": sorted(texts)},
            contents={"values": texts},
            key=f"setting:{key}",
        )
        await self._audit.audit(record)
        for name, text in texts.items():
            await self._stored.put(scope, name, text)
            if name == "instructions":
                await self._stored.put(scope, AUTHOR, by if text else "")


def scope_settings(
    database: Database, core: CoreSettings, surface: BaseSettings | None = None
) -> ScopeSettings:
    """Settings by scope over what the core's and the surface's environment sets.

    Raises SettingsError: the file of channels' settings is wrong.
    """
    values = core.model_dump(exclude_unset=True)
    if surface is not None:
        values |= surface.model_dump(exclude_unset=True)
    if "agent_model" in values:
        values["model"] = values["agent_model"]
    return ScopeSettings(
        Preferences(database),
        ScheduleStore(database),
        AuditLog(database),
        read_settings_file(core.channel_settings_file),
        layer(values, "environment"),
    )
