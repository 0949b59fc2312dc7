"""The `ask_user` tool: a question to the person in the thread, whose answer the turn waits for."""

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agent_core.ids import ToolCallId
from agent_core.loop.agent import BodyTool, RunScope
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.prompts import prompt, schema
from agent_core.sessions import Ask, Question, ask_id

ASK_USER = "ask_user"
MAX_OPTIONS = 10
PATIENCE = timedelta(days=7)
"""How long a question waits for its answer."""


QuestionText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=3_000)
]
OptionText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class AskArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    question: QuestionText
    options: Annotated[tuple[OptionText, ...], Field(max_length=MAX_OPTIONS)] = ()


def ask_user_tool() -> BodyTool:
    """The tool of the agent that speaks with the person."""

    async def ask(call: ToolCall, scope: RunScope) -> Ask:
        arguments = AskArguments.model_validate(call.arguments)
        question = Question(text=arguments.question, options=arguments.options)
        return question_ask(question, call.id, scope, PATIENCE)

    spec = ToolSpec(
        name=ASK_USER,
        description=prompt(ASK_USER),
        input_schema=schema(ASK_USER),
    )
    return BodyTool(spec=spec, run=ask)


def question_ask(question: Question, call: ToolCallId, scope: RunScope, patience: timedelta) -> Ask:
    """The Ask of a question to the person for whom the run acts; the planner's has no call."""
    context = scope.context
    return Ask(
        id=ask_id(context.turn, context.run, call, "question"),
        session=context.session,
        turn=context.turn,
        run=context.run,
        call_id=call,
        asker=context.asker,
        deadline=scope.clock() + patience,
        body=question,
    )
