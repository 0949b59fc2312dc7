"""What a step of an errand can come to: a call, a question to the person, or its end in words."""

from bot.sandbox.model.arguments import field_holding, use
from bot.sandbox.model.errands.apps import AppTool
from bot.sandbox.model.errands.composing import compose
from bot.sandbox.model.errands.errand import Errand
from bot.sandbox.model.errands.filling import Role
from bot.sandbox.model.errands.telling import Reason, missing, question, tell_not_done
from bot.sandbox.model.replies import Reply, ToolUse, call
from bot.sandbox.model.wire import as_list

Step = Reply | str | None
"""A call to make, the last word on the order, or nothing to do at this point."""


def make(errand: Errand, *tools: ToolUse, thought: str) -> Reply | str:
    """The calls, or that they were not made because no more are allowed."""
    if not errand.conversation.may_call_tools:
        return not_done(errand, "stopped")
    return call(*tools, kind="research", thought=thought)


def not_done(errand: Errand, reason: Reason, **details: str) -> str:
    """That the order was not carried out, and why."""
    values = compose(errand, errand.found)
    return tell_not_done(values, errand.language, reason, **details)


def ask_for_schema(errand: Errand, tool: AppTool) -> Step:
    """A call for what a tool takes; None where that was asked, or nobody can be asked."""
    asker = errand.conversation.tool("get_schemas")
    values = [v for call in errand.schema_calls for v in call.arguments.values()]
    if asker is None or any(tool.slug in as_list(value) for value in values):
        return None
    wanted = use(asker, {field_holding(asker, "slug"): [tool.slug]}, topic=tool.slug)
    return make(errand, wanted, thought=f"Asking what {tool.slug} takes.")


def ask(errand: Errand, role: Role, **details: str) -> Reply | str:
    """A question for what has to be known; the end where it was asked, or cannot be asked."""
    tool = errand.conversation.tool("ask_person")
    if tool is None or errand.answer(role, **details) is not None:
        what = missing("recipient" if role == "named" else role, errand.language, **details)
        return not_done(errand, "missing", what=what)
    text = question(role, errand.language, **details)
    asking = use(tool, {field_holding(tool, "question", "message", "text"): text}, topic=text)
    return make(errand, asking, thought="Asking for what I need to know.")
