"""The ids of the core. Each is a plain string underneath; none knows a chat product."""

from typing import NewType

SessionId = NewType("SessionId", str)
"""The durable conversation of one thread."""

TurnId = NewType("TurnId", str)
"""One turn: from a person's message to the final answer. Unique over all sessions."""

RunId = NewType("RunId", str)
"""One agent's execution of the loop: `root`, or `<parent>.<key>` for a child."""

ToolCallId = NewType("ToolCallId", str)
"""The model's id of a tool call, unique in its run."""

UserId = NewType("UserId", str)
"""A person, as `team:user`. Tools that act for a person use this person's accounts."""

SOMEBODY = UserId("")
"""Whoever wrote what nobody is known to have written: never the one who asks."""

AgentId = NewType("AgentId", str)
"""A run for the outside, `<turn>/<run>`: unique over all sessions, and no turn has a `/` in it."""

AskId = NewType("AskId", str)
"""An Ask: a question, an approval or a connection that a person decides about."""

ProcessId = NewType("ProcessId", str)
"""One process of the bot, from its start to its end."""

ROOT_RUN = RunId("root")


def child_run(parent: RunId, key: str) -> RunId:
    """The id of the run that a run starts under a key, such as a tool call's id."""
    return RunId(f"{parent}.{key.replace('.', '-')}")


def parent_run(run: RunId) -> RunId:
    """The run that started a run; the root run for itself."""
    return RunId(run.rpartition(".")[0] or ROOT_RUN)


def depth_of(run: RunId) -> int:
    """How many levels a run is below the root run."""
    return run.count(".")


def turn_of(key: str) -> TurnId:
    """The turn that the message of a key begins."""
    return TurnId(f"turn:{key}")


def agent_id(turn: TurnId, run: RunId) -> AgentId:
    """The run's name for the outside."""
    return AgentId(f"{turn}/{run}")


def run_of(agent: AgentId) -> tuple[TurnId, RunId]:
    """The turn and the run that are meant; two ids of nothing where it is no agent's id."""
    turn, _, run = agent.partition("/")
    return TurnId(turn), RunId(run)


def is_in_branch(run: RunId, branch: RunId) -> bool:
    """Whether a run is `branch` or below it."""
    return run == branch or run.startswith(f"{branch}.")
