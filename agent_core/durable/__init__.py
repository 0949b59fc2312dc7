"""Work that survives the process: what a step has done once is never done again."""

from agent_core.durable.dbos_turns import (
    CannotReplay,
    ChildBody,
    GuardedSteps,
    Steps,
    as_recorded,
    cannot_replay,
    causes,
)

__all__ = [
    "CannotReplay",
    "ChildBody",
    "GuardedSteps",
    "Steps",
    "as_recorded",
    "cannot_replay",
    "causes",
]
