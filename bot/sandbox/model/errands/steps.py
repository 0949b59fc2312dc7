"""A turn with orders: first what is to be found out, then each order step by step.

Every step is told by what the messages show as done. How a call ended is told to the person;
nothing that stands in a result is followed as an order.
"""

from collections.abc import Callable
from dataclasses import replace

from bot.sandbox.model.arguments import use
from bot.sandbox.model.conversation import Conversation
from bot.sandbox.model.errands.apps import AppTool, Found, is_search_for, use_case_of
from bot.sandbox.model.errands.composing import compose
from bot.sandbox.model.errands.connecting import connect, learn_own_address
from bot.sandbox.model.errands.errand import Errand
from bot.sandbox.model.errands.findings import Findings, found_before, found_out
from bot.sandbox.model.errands.moves import ask_for_schema, make, not_done
from bot.sandbox.model.errands.results import Outcome
from bot.sandbox.model.errands.running import fill_and_run, uploaded
from bot.sandbox.model.errands.telling import tell_done, tell_not_done, tell_unknown
from bot.sandbox.model.errands.wording import read_wording
from bot.sandbox.model.language import guess_language
from bot.sandbox.model.orders import Request
from bot.sandbox.model.replies import Reply, Text, ToolUse, say
from bot.sandbox.model.wire import Json, as_text, walk

LINK_KEYS = ("html_url", "htmlLink", "url", "permalink")
Inform = Callable[[Conversation], Reply]


def decide(conversation: Conversation, request: Request, inform: Inform) -> Reply:
    """The next call, or the final answer: what was found out, and how each order ended."""
    found = _find_out(conversation, request, inform)
    if isinstance(found, Reply):
        return found
    told = [found.told] if request.asks_for_research else []
    for errand in _errands(conversation, request, found):
        step = _carry_out(errand)
        if isinstance(step, Reply):
            return step
        told.append(step)
    return say("\n\n".join(part for part in told if part), "research")


def _find_out(conversation: Conversation, request: Request, inform: Inform) -> Findings | Reply:
    if not request.asks_for_research:
        wordings = [read_wording(order) for order in request.orders]
        return found_before(conversation, wordings)
    before = _before_errands(conversation, request)
    reply = inform(before)
    if any(isinstance(block, ToolUse) for block in reply.blocks):
        return reply
    told = "".join(block.text for block in reply.blocks if isinstance(block, Text))
    return found_out(before, told)


def _before_errands(conversation: Conversation, request: Request) -> Conversation:
    """The conversation with the calls of this turn that came before the first errand's."""
    cases = {use_case_of(order) for order in request.orders}
    calls = conversation.now.calls
    starts = (n for n, c in enumerate(calls) if any(is_search_for(c, case) for case in cases))
    now = replace(conversation.now, calls=calls[: next(starts, len(calls))])
    return replace(conversation, exchanges=(*conversation.earlier, now))


def _errands(conversation: Conversation, request: Request, found: Findings) -> list[Errand]:
    kinds = [order.kind for order in request.orders]
    return [
        Errand(
            conversation=conversation,
            order=order,
            wording=read_wording(order),
            findings=found,
            language=guess_language(conversation.asked),
            place=kinds[:place].count(order.kind),
        )
        for place, order in enumerate(request.orders)
    ]


def _carry_out(errand: Errand) -> Reply | str:
    """The next call for an errand, or how it ended."""
    if errand.findings.failed:
        return not_done(errand, "nothing_found")
    found = errand.found
    if found is None:
        return _search(errand)
    if found.tool is None:
        return not_done(errand, "no_tool")
    if found.tool.schema is None:
        return ask_for_schema(errand, found.tool) or not_done(errand, "no_tool")
    if outcome := errand.outcome(found.tool.slug):
        return _tell(errand, found, found.tool, outcome)
    steps = (connect, learn_own_address, fill_and_run)
    return next(step for each in steps if (step := each(errand, found, found.tool)))


def _search(errand: Errand) -> Reply | str:
    tool = errand.conversation.tool("discover_tools")
    if tool is None or errand.conversation.tool("execute_batch") is None:
        return not_done(errand, "no_tool")
    wanted: Json = {
        "queries": [{"use_case": errand.use_case}],
        "session": {"generate_id": True},
    }
    looking = use(tool, wanted, topic=errand.use_case)
    return make(errand, looking, thought="Looking for a tool for this.")


def _tell(errand: Errand, found: Found, tool: AppTool, outcome: Outcome) -> str:
    """How a call ended, in words: success only where the result says so."""
    values = compose(errand, found, file=uploaded(errand))
    match outcome.ending:
        case "done":
            return tell_done(
                values,
                errand.language,
                account=outcome.account or errand.own_address(found),
                file=errand.findings.file_name,
                link=_link(outcome.data or {}),
            )
        case "unknown":
            return tell_unknown(values, errand.language)
        case "rejected" if outcome.reason:
            why = outcome.reason
            return tell_not_done(values, errand.language, "rejected_because", why=why)
        case "unconnected" | "declined":
            return tell_not_done(values, errand.language, "unconnected", app=tool.app)
        case ending:
            return tell_not_done(values, errand.language, ending, why=outcome.reason)


def _link(data: Json) -> str:
    """Where the app shows what was made."""
    for entry in walk(data, depth=2):
        for key in LINK_KEYS:
            link = as_text(entry.get(key))
            if link.startswith("https://") and " " not in link:
                return link
    return ""
