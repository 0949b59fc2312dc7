"""“Ask the agent about this”: a question about a post, from the menu that Slack has on each.

The question goes the way of a mention in the post's thread. Others read it there, since they read
the answer; the post is material, as all of its thread is.
"""

import logging
from dataclasses import dataclass

from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.words import Words
from bot import clicks
from bot.clicks import AskForm, AskShortcut, Gesture, Refused, WhyShortcut
from bot.inbound import bare_name, post_key, posted_at, unescape_wire
from bot.ingress.ingress import Ingress
from bot.render import foreign_line, limits, one_line, plain_text, quoted, text_entry
from bot.slack_api import Op, People, Person, PlaceRefused, SlackApi, SlackError, language_of
from bot.threads import parse_session
from bot.words import BOT

QUESTION = "question"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskAbout:
    """The handlers of the shortcut and of its form."""

    _api: SlackApi
    _people: People
    _ingress: Ingress

    async def ask(
        self,
        click: AskShortcut,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Open the form for the question, where the bot can answer."""
        words = BOT.of(language_of(person))
        channel = await self._api.channels.about(gesture.sender.channel)
        if channel is None or not channel.is_member or channel.is_archived:
            await self._api.post_direct(
                gesture.sender.team,
                gesture.sender.user,
                words("ask-not-there"),
                op=Op(gesture.key).part("told"),
                since=gesture.pressed_ts,
            )
            return
        about = AskForm(
            session=gesture.session,
            ts=gesture.message_ts,
            author=click.author,
            text=click.text,
        )
        try:
            is_open = await self._api.open_view(gesture.trigger_id, _form(about, words))
        except SlackError:
            logger.exception("nobody knows whether the form for a question is open")
            return
        if not is_open:
            raise Refused("ask-again")

    async def submit(
        self,
        about: AskForm,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Post the question in the thread and take it as the person's words there."""
        words = BOT.of(language_of(person))
        thread = parse_session(about.session)
        written = gesture.values.get(QUESTION, "").strip()
        question = written or words("ask-default")
        names = await self._people.names({about.author} - {""})
        author = bare_name(names.get(about.author, "")) or words("ask-app")
        what = one_line(unescape_wire(about.text), limits.PROGRESS_WORD_CHARS)
        title = "" if written else words("ask-about", who=author, what=what)
        who = foreign_line(person.name, limits.PROGRESS_WORD_CHARS)
        text = f"{words('ask-told', who=who)}\n{quoted(question)}"
        op = Op(gesture.key).part("told")
        try:
            post = await self._api.find_post(thread, op)
            post = post or await self._api.post(thread, text, op=op)
        except PlaceRefused as refused:
            logger.warning("a question about a post could not be posted: %s", refused)
            raise Refused("ask-not-there", field=QUESTION) from refused
        at = posted_at(about.ts, person.utc_offset_s)
        request = f"{question}\n\n({words('ask-which', who=author, at=f'{at:%H:%M}')})"
        await self._ingress.take_words(
            thread,
            post.ts,
            request,
            user=person.id,
            title=title,
        )


async def tell_why(
    runtime: Runtime,
    api: SlackApi,
    click: WhyShortcut,
    gesture: Gesture,
    person: Person,
) -> None:
    """Tell the author of a post, and nobody else, what became of it."""
    sender = gesture.sender
    state = "others_post"
    if click.author == sender.user:
        key = post_key(sender.team, sender.channel, gesture.message_ts)
        state = await runtime.overview.fate(key)
    await api.post_direct(
        sender.team,
        sender.user,
        BOT.say(language_of(person), "why", state=state),
        op=Op(gesture.key).part("told"),
        since=gesture.pressed_ts,
    )


def _form(about: AskForm, words: Words) -> JsonObject:
    field = text_entry(
        QUESTION,
        words("ask-what"),
        limits.SECTION_CHARS,
        optional=True,
        hint=plain_text(words("ask-hint")),
    )
    return clicks.form(
        about,
        words("ask-title"),
        words("question-form-send"),
        words("consent-cancel"),
        [field],
    )
