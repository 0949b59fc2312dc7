"""The two small decisions before the work: SIMPLE or COMPLEX, and whether to hand over."""

import re

from bot.sandbox.model.arguments import use
from bot.sandbox.model.conversation import Conversation
from bot.sandbox.model.files import files_meant
from bot.sandbox.model.intent import needs_tools
from bot.sandbox.model.purposes import Tool
from bot.sandbox.model.replies import Reply, call, say
from bot.sandbox.model.wire import Json, as_list, as_object, text_of

QUERY_LABEL = re.compile(
    r"^[ \t*_#>-]*(?:the |user'?s? |new )?query[*_]*[ \t]*:[*_]*", re.IGNORECASE | re.MULTILINE
)
OTHER_LABEL = re.compile(
    r"^[ \t*_#>-]*(?:the |user'?s? |new )?(?:message|request|question|text)[*_]*[ \t]*:[*_]*",
    re.IGNORECASE | re.MULTILINE,
)
QUERY_TAG = re.compile(
    r"<(?P<tag>query|message|request|question|text)>(?P<query>.*?)</(?P=tag)>",
    re.IGNORECASE | re.DOTALL,
)
CLOSING_LINE = re.compile(
    r"\n\s*(?:answer|reply|respond|classif|decision|output|your |category|label|return|only )"
    r"[^\n]*$",
    re.IGNORECASE,
)
REASON = "The request needs tools, fresh data or several steps."


def asks_for_route(body: Json) -> bool:
    """Whether a request without tools wants one of the words SIMPLE and COMPLEX."""
    if as_list(body.get("tools")):
        return False
    prompt = text_of(body.get("system")) + "\n" + _last_text(body)
    return re.search(r"\bSIMPLE\b", prompt) is not None and (
        re.search(r"\bCOMPLEX\b", prompt) is not None
    )


def classify(body: Json) -> Reply:
    """One word: COMPLEX where the query needs tools, otherwise SIMPLE."""
    query = query_in(_last_text(body))
    return say("COMPLEX" if needs_tools(query) else "SIMPLE", "classify")


def query_in(text: str) -> str:
    """The query in a classification prompt: in its tag, after its label, or the whole text."""
    tagged = list(QUERY_TAG.finditer(text))
    if tagged:
        return tagged[-1]["query"].strip()
    labels = list(QUERY_LABEL.finditer(text)) or list(OTHER_LABEL.finditer(text))[:1]
    query = text[labels[-1].end() :] if labels else text
    return CLOSING_LINE.sub("", query.rstrip()).strip().strip("\"'`“”")


def escape_tool(conversation: Conversation) -> Tool | None:
    """The one tool on offer, if it hands the request over."""
    if len(conversation.tools) == 1 and conversation.tools[0].purpose == "hand_over":
        return conversation.tools[0]
    return None


def hand_over(tool: Tool, conversation: Conversation) -> Reply | None:
    """A call of the escape tool where the last text needs tools or files, otherwise nothing."""
    if not (needs_tools(conversation.asked) or files_meant(conversation)):
        return None
    reasons = dict.fromkeys(tool.properties, REASON)
    return call(use(tool, reasons, topic=REASON), kind="escape", thought=REASON)


def _last_text(body: Json) -> str:
    users = [
        as_object(message)
        for message in as_list(body.get("messages"))
        if as_object(message).get("role") == "user"
    ]
    return text_of(users[-1].get("content")) if users else ""
