"""The planner: one structured call that looks at a new task before the work on it begins."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter

from agent_core.context.history import repaired, spoken
from agent_core.context.wishes import with_wishes
from agent_core.errors import ModelError
from agent_core.events import Usage
from agent_core.messages import Message, Payer, is_visible, user_message
from agent_core.models import Model, ModelRequest, ToolSpec, filled_form
from agent_core.prompts import prompt, schema
from agent_core.scoped_settings import NOTHING_SET, EffectiveSettings

logger = logging.getLogger(__name__)

PLAN = "plan"
MAX_SUB_QUESTIONS = 4
MAX_OPTIONS = 5
PATIENCE_S = 20.0
CONTINUING = frozenset({"continue", "resumed", "scheduled", "wrap_up"})
"""Why a message is surely no new task; of any other the planner itself says whether it is one."""
_PlanText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]


class SubQuestion(BaseModel):
    """A part of the task that can be looked into by itself."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    """For people, in a few words."""
    question: _PlanText


class Plan(BaseModel):
    """What is to be asked and explored first; nothing of it where the planner failed."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    is_continuation: bool = False
    """It is no new task: nothing is asked or explored first."""
    question: _PlanText = ""
    """For the person; empty for none."""
    is_blocking: bool = False
    default: _PlanText = ""
    """What is taken when nobody answers; empty for a question that blocks the work."""
    options: tuple[_PlanText, ...] = ()
    """Answers to choose from, the default among them."""
    sub_questions: tuple[SubQuestion, ...] = ()
    usage: Usage = Usage()


PLANNED: TypeAdapter[Plan] = TypeAdapter(Plan)


async def make_plan(
    model: Model,
    opening: str,
    earlier: Sequence[Message],
    *,
    today: date,
    payer: Payer | None = None,
    settings: EffectiveSettings = NOTHING_SET,
) -> Plan:
    """The plan for a task, of which `earlier` is what was said in the session before.

    A failure of any kind costs the plan and nothing else.
    """
    request = ModelRequest(
        system=with_wishes(prompt("plan", today=today.strftime("%A, %d %B %Y")), settings),
        messages=repaired((*spoken(earlier), user_message(opening))),
        tools=(PLAN_SPEC,),
        must_call=PLAN,
        max_tokens=2_000,
        payer=payer,
    )
    try:
        draft, usage = await filled_form(model, request, Plan, patience_s=PATIENCE_S)
    except (ModelError, TimeoutError) as error:
        logger.warning("no plan was made: %s", type(error).__name__)
        return Plan()
    return _checked(draft or Plan(), usage)


def _checked(draft: Plan, usage: Usage) -> Plan:
    """A question that does not block needs what is taken without an answer."""
    if draft.is_continuation:
        return Plan(usage=usage)
    parts = {each.question: each for each in draft.sub_questions if is_visible(each.question)}
    default = "" if draft.is_blocking else draft.default
    is_asked = is_visible(draft.question) and (draft.is_blocking or is_visible(default))
    options = [each for each in dict.fromkeys(draft.options) if is_visible(each)]
    if default and options and default not in options:
        options.insert(0, default)
    return Plan(
        question=draft.question if is_asked else "",
        default=default if is_asked else "",
        options=tuple(options[:MAX_OPTIONS]) if is_asked and len(options) > 1 else (),
        sub_questions=tuple(parts.values())[:MAX_SUB_QUESTIONS] if len(parts) > 1 else (),
        usage=usage,
    )


class PlanAhead:
    """Speculative planning: a plan made beside the classifier, for a message that may need one.

    A task in memory and no step: whoever needs the plan records it, and whoever does not drops it.
    """

    def __init__(self) -> None:
        self._making: asyncio.Task[Plan] | None = None

    def begin(self, make: Callable[[], Awaitable[Plan]]) -> None:
        """Begin to make the plan. `make` must end by itself, since nobody may come for the plan."""
        self._making = asyncio.ensure_future(make())

    async def plan(self, make: Callable[[], Awaitable[Plan]]) -> Plan:
        """The plan that was begun; made now where none was, as after a restart."""
        making, self._making = self._making, None
        return await (making if making is not None else make())

    async def drop(self) -> None:
        """End the making of a plan that nobody needs, and with it what the model call costs."""
        making, self._making = self._making, None
        if making is not None:
            making.cancel()
            await asyncio.wait({making})
            if not making.cancelled():
                making.exception()  # looked at, so that asyncio does not warn of it


PLAN_SPEC = ToolSpec(
    name=PLAN,
    description="Says what has to be asked first, and what can be explored side by side.",
    input_schema=schema(PLAN),
)
