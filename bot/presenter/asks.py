"""Asks in the thread: each card posted once, and edited once when its Ask has ended.

What the card of an approval says stands in `approval.py`; who clicks on a card is
handled in `bot/asks`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from agent_core.errors import AgentError
from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    AskDecided,
    AuthRequired,
    MessageTaken,
    QuestionAsked,
    StepFinished,
    StepStarted,
    TurnFinished,
)
from agent_core.ids import (
    ROOT_RUN,
    AskId,
    TurnId,
    UserId,
)
from agent_core.messages import JsonObject
from agent_core.snapshot import Wait
from agent_core.words import Words
from bot import clicks
from bot.clicks import ConnectionClick, QuestionClick, QuestionForm
from bot.presenter.answer import ThreadFiles, post_answer, sent_op, thread_drafts
from bot.presenter.approval import (
    approval_draft,
    approval_file,
    consent_button,
    decided_draft,
    file_name,
    is_short,
)
from bot.presenter.journal import Destination
from bot.presenter.progress import live_view_button
from bot.presenter.tools import app_name, app_names
from bot.render import (
    PostDraft,
    actions,
    card,
    context,
    foreign_line,
    limits,
    local_time,
    mention,
    none_live,
    sections,
    split,
    text_entry,
    to_text,
)
from bot.slack_api import (
    ContentRefused,
    Op,
    SlackApi,
    SlackError,
    SlackRefused,
    Upload,
)
from bot.threads import ThreadRef, parse_user

_log = logging.getLogger(__name__)

ConnectLink = Callable[[AskId, UserId, str], Awaitable[str]]
"""Gives a person a fresh link for an app. Raises `AskRefused` where they get none."""


class AskPosts:
    """The cards of one turn. What raises SlackError had no answer, and is asked again later."""

    def __init__(
        self, destination: Destination, files: ThreadFiles, connect_link: ConnectLink
    ) -> None:
        self._destination = destination
        self._files = files
        self._connect_link = connect_link
        self._question: QuestionAsked | None = None
        """The newest, while its card shows buttons."""
        self._ending = ""
        """How that question ended."""
        self._requests: dict[AskId, ApprovalRequested | AuthRequired] = {}
        self._words = ""
        """What the main run wrote beside the calls of its newest step."""

    async def ask(self, event: Wait) -> None:
        """Post the card of an Ask; links to connect accounts are shown to the asker alone."""
        words = self._destination.board.words
        op = _op(event.turn, event.ask)
        match event:
            case QuestionAsked():
                self._question = event
                self._ending = ""
                *before, last = question_drafts(event, words)
                await post_answer(self._destination, op, [*before, self._with_live_view(last)])
            case _ if event.ask in self._requests:
                await self._answer_beside(event)
            case ApprovalRequested():
                self._requests[event.ask] = event
                if not self._destination.journal.bookmark.post_of(op):
                    await self._request(event)
            case AuthRequired():
                self._requests[event.ask] = event
                await self._destination.post(op, connection_draft(event, words))
                await self._destination.journal.once(op.part("link"), partial(self._whisper, event))

    async def hear(self, event: AnyEvent) -> None:
        """Take the buttons away once an Ask has ended, and say how."""
        match event:
            case AskDecided():
                await self._settle(event)
            case StepFinished() if event.run == ROOT_RUN:
                self._words = event.text
            case _ if event.run == ROOT_RUN:
                await self._hear_answer(event)
            case _:
                pass

    async def _answer_beside(self, event: Wait) -> None:
        """The same call is made again after a message: its card stays, and the message is answered.

        A turn that is shown anew has these words in its thread already.
        """
        text = self._files.shown(self._words)
        if text:
            drafts, _ = thread_drafts(text, self._destination.board.words, none_live)
            op = _op(event.turn, event.ask).part("beside", event.call_id)
            await post_answer(self._destination, op, drafts)

    async def _hear_answer(self, event: AnyEvent) -> None:
        """A question ends with whatever goes on; an edit that fails is made with a later event."""
        asked = self._question
        if asked is None:
            return
        self._ending = self._ending or question_ending(asked, event, self._destination.board.words)
        if not self._ending:
            return
        draft = question_ended_draft(asked, self._ending)
        try:
            await self._destination.settle(_op(asked.turn, asked.ask), "ended", draft)
        except SlackError as error:
            _log.warning("a question's end is shown later: %s", error)
        else:
            self._question = None

    async def _request(self, event: ApprovalRequested) -> None:
        """Post an approval, whole or beside a file: nobody approves what they cannot read."""
        words = self._destination.board.words
        op = _op(event.turn, event.ask)
        unseen = [
            file
            for file in event.files
            if not await self._files.show_sent(sent_op(event.turn, file.sha256), file)
        ]
        if await asyncio.to_thread(is_short, event, words):
            draft = await asyncio.to_thread(
                approval_draft, event, words, is_whole=True, unseen=unseen
            )
            draft = self._with_live_view(draft)
            try:
                await self._destination.post(op, draft)
            except ContentRefused as refused:
                _log.warning("an approval is not taken whole: %s", refused)
            else:
                return
        content = await asyncio.to_thread(approval_file, event, words)
        file = Upload(name=file_name(event), read=lambda: content, title=file_name(event))
        is_attached = await self._files.upload(op.part("file"), file)
        draft = await asyncio.to_thread(
            approval_draft,
            event,
            words,
            is_whole=False,
            is_attached=is_attached,
            unseen=unseen,
        )
        try:
            await self._destination.post(op, self._with_live_view(draft))
        except ContentRefused as refused:
            _log.warning("an approval is not taken: %s", refused)

    def _with_live_view(self, draft: PostDraft) -> PostDraft:
        """The card with “Open live view” below it."""
        if not self._destination.offers_live_view():
            return draft
        row = actions(live_view_button(self._destination.board.words))
        return replace(draft, blocks=(*(draft.blocks or sections(draft.text)), row))

    async def _settle(self, decided: AskDecided) -> None:
        """Say in the card how its Ask ended. Without the request there is no card."""
        words = self._destination.board.words
        match self._requests.get(decided.ask):
            case ApprovalRequested() as request:
                draft = await asyncio.to_thread(decided_draft, request, decided, words)
            case AuthRequired() as request:
                draft = connection_ended_draft(request, decided, words)
            case None:
                return
        await self._destination.settle(_op(decided.turn, decided.ask), decided.verdict, draft)

    async def _whisper(self, event: AuthRequired, _may_exist: bool) -> None:
        """A courtesy: the button in the post shows the links as well."""
        try:
            await whisper_links(
                self._destination.api,
                self._connect_link,
                self._destination.current,
                event.ask,
                event.asker,
                event.toolkits,
                self._destination.board.words,
            )
        except AgentError as error:
            if isinstance(error, SlackError) and not isinstance(error, SlackRefused):
                raise
            _log.warning("no link is shown: %s", type(error).__name__)


def _op(turn: TurnId, ask: AskId) -> Op:
    return Op(turn).part("ask", ask)


NEAR = timedelta(days=1)
"""A deadline that is further away is no news to anybody."""
ANSWER_CHARS = 3_000
_TAIL_CHARS = 1_000
"""Room for what stands below a question."""


def question_drafts(event: QuestionAsked, words: Words) -> list[PostDraft]:
    """The question with its buttons, and until when it waits if that is near.

    It names the person, and nothing else in it is live: what it asks for may come from outside.
    Options that are too long for a button are numbered, and so are the buttons.
    """
    labels = list(event.options)
    if event.default in labels:
        default = labels.index(event.default)
        labels[default] = words("question-default-option", what=event.default)
    is_numbered = any(len(label) > limits.LABEL_CHARS for label in labels)
    lines: list[str] = []
    row: list[JsonObject] = []
    for number, label in enumerate(labels, start=1):
        lines.append(f"{number}. {foreign_line(label, limits.OPTION_CHARS)}")
        click = QuestionClick(kind="question.option", ask=event.ask, option=number)
        row.append(clicks.button(str(number) if is_numbered else label, click, number=number))
    numbered = "\n".join(lines)
    hint = _hint(event, words)
    text = _asked(event)
    if is_numbered:
        text = f"{text}\n\n{numbered}"
        numbered = ""
    *before, last = split(text, limits.TEXT_CHARS - _TAIL_CHARS)
    whole = "\n\n".join(filter(None, [last, numbered, hint]))
    drafts = [PostDraft(text=each) for each in before]
    if not labels:
        return [*drafts, PostDraft(text=whole)]
    other = QuestionClick(kind="question.other", ask=event.ask)
    row.append(clicks.button(words("question-other"), other))
    blocks = (*sections(last), actions(*row), context(hint))
    return [*drafts, PostDraft(text=whole, blocks=blocks)]


def question_ending(asked: QuestionAsked, event: AnyEvent, words: Words) -> str:
    """How the question ended, if this event of the root run ends it."""
    match event:
        case MessageTaken() if event.text and event.author == asked.asker:
            what = foreign_line(event.text, limits.OPTION_CHARS)
            return words("question-answered", who=mention(event.author), what=what)
        case StepStarted() if asked.default:
            what = foreign_line(asked.default, limits.OPTION_CHARS)
            return words("question-default-taken", what=what)
        case StepStarted() | TurnFinished():
            return words("question-unanswered")
        case _:
            return ""


def question_ended_draft(event: QuestionAsked, ending: str) -> PostDraft:
    """The last part of the question once nobody is asked any more: how it ended, no buttons."""
    last = split(_asked(event), limits.TEXT_CHARS - _TAIL_CHARS)[-1]
    return PostDraft(text=f"{last}\n\n{ending}", blocks=(*sections(last), context(ending)))


def answer_form(words: Words, about: QuestionForm) -> JsonObject:
    """A modal for an answer in one's own words."""
    label = words("question-form-label")
    return clicks.form(
        about,
        words("question-form-title"),
        words("question-form-send"),
        words("consent-cancel"),
        [text_entry("answer", label, ANSWER_CHARS)],
    )


def _hint(event: QuestionAsked, words: Words) -> str:
    hints: list[str] = []
    if event.options:
        hints.append(words("question-choose"))
    if event.deadline - event.at < NEAR:
        hints.append(words("question-answer-by", when=local_time(event.deadline)))
    return "\n".join(f"_{hint}_" for hint in hints)


def _asked(event: QuestionAsked) -> str:
    return f"{mention(event.asker)} {to_text(event.question, none_live)}"


def connection_draft(event: AuthRequired, words: Words) -> PostDraft:
    """The card while the accounts are waited for."""
    text = words(
        "consent-to-connect",
        who=mention(event.asker),
        what=app_names(event.toolkits, words),
        when=local_time(event.deadline),
    )
    link = ConnectionClick(kind="consent.link", ask=event.ask, apps=event.toolkits)
    skip = ConnectionClick(kind="consent.skip", ask=event.ask, apps=event.toolkits)
    return card(text, consent_button(link, words), consent_button(skip, words))


def connection_ended_draft(event: AuthRequired, decided: AskDecided, words: Words) -> PostDraft:
    """The card once the accounts are connected, or are not waited for any more."""
    text = words(
        f"consent-ended-{decided.verdict}",
        n=len(event.toolkits),
        who=mention(event.asker),
        what=app_names(event.toolkits, words),
    )
    return card(text)


async def whisper_links(
    api: SlackApi,
    connect_link: ConnectLink,
    thread: ThreadRef,
    ask: AskId,
    asker: UserId,
    toolkits: Sequence[str],
    words: Words,
) -> None:
    """Show the asker alone, for each app, a button that opens a fresh link to connect it.

    A link for connecting an account is in no post that others see, in no log, and in nothing that
    the bot keeps. Raises AskRefused where they get none.
    """
    links = {toolkit: await connect_link(ask, asker, toolkit) for toolkit in toolkits}
    buttons: list[JsonObject] = []
    for number, (toolkit, url) in enumerate(links.items(), start=1):
        label = words("consent-connect", what=app_name(toolkit))
        click = ConnectionClick(kind="consent.open", ask=ask, apps=(toolkit,))
        button = clicks.button(label, click, "primary", number=number)
        buttons.append({**button, "url": url})
    apps = tuple(links)
    check = ConnectionClick(kind="consent.check", ask=ask, apps=apps)
    buttons.append(consent_button(check, words))
    draft = card(words("consent-link", what=app_names(apps, words)), *buttons)
    _, user = parse_user(asker)
    await api.post_ephemeral(
        thread.channel, user, draft.text, thread_ts=thread.root_ts, blocks=draft.blocks
    )
