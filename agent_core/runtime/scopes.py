"""Effective settings of a team, channel or thread: defaults, environment, what people set, a file.

`at` is the one function that says what holds and from where; `change` is the one that sets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agent_core.ids import SessionId, UserId
from agent_core.scoped_settings import (
    DEFAULTS,
    NO_FILE,
    EffectiveSettings,
    Layer,
    ScopedSettings,
    SettingsFile,
    as_text,
    checked_settings,
    kind_of_scope,
    merged,
    stored_settings,
    wider_scopes,
)
from agent_core.sessions import AuditLog, AuditRecord, Preferences, ScheduleStore
from agent_core.settings import CoreSettings

AUTHOR = "instructions_by"
"""The preference that names whose words a scope's instructions are."""


def environment_settings(core: CoreSettings, follow_ups: str = "") -> ScopedSettings:
    """What the environment sets for every scope; `follow_ups` is empty where it does not."""
    values: dict[str, str] = {}
    if "agent_model" in core.model_fields_set:
        values["model"] = core.agent_model
    if follow_ups:
        values["follow_ups"] = follow_ups
    return checked_settings(values)


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """What holds in a scope, and changes of it."""

    _stored: Preferences
    _schedules: ScheduleStore
    _audit: AuditLog
    file: SettingsFile = NO_FILE
    environment: ScopedSettings = DEFAULTS

    async def at(self, scope: str) -> EffectiveSettings:
        """What holds in a team, a channel or a thread, and from where.

        A scope is a session's id, or as many of its parts as name the scope: `team:channel`.
        """
        scopes = wider_scopes(scope)
        layers = [Layer("environment", self.environment)]
        texts = await self._stored.of_each(scopes)
        for each, stored in zip(scopes, texts, strict=True):
            author = stored.get(AUTHOR, "")
            layers.append(Layer(kind_of_scope(each), stored_settings(stored), author))
        return merged([*layers, *self.file.layers(scope)])

    async def of_session(self, session: SessionId) -> EffectiveSettings:
        """What holds for a session; a digest's is in the channel that it is posted to."""
        return await self.at(await self._scope_of(session))

    async def change(
        self,
        scope: str,
        values: Mapping[str, object],
        by: UserId,
        *,
        key: str,
        now: datetime,
    ) -> None:
        """Set values of one scope; None takes a value back. Noted in the audit once for a `key`.

        Raises SettingFault: a name or a value is none.
        """
        wanted = {name: value for name, value in values.items() if value is not None}
        set_values = checked_settings(wanted).set_values()
        texts = dict.fromkeys(values, "") | {n: as_text(v) for n, v in set_values.items()}
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
        if "instructions" in texts:
            await self._stored.put(scope, AUTHOR, by if texts["instructions"] else "")

    async def _scope_of(self, session: SessionId) -> str:
        slot = await self._schedules.slot_of(session)
        schedule = await self._schedules.find(slot.schedule) if slot else None
        if schedule is None:
            return session
        return f"{schedule.order.team}:{schedule.order.place}"
