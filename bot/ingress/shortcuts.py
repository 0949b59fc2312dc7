"""“Ask the agent about this”: a question about a post, from the menu that Slack has on each."""

import logging
import re
from datetime import UTC, datetime, timedelta
from functools import partial

from pydantic import BaseModel

from agent_core.words import Words
from bot.ingress.filter import tell_alone
from bot.ingress.gestures import Errors, Press, Submission
from bot.ingress.ingress import Ingress
from bot.render import entry, escape, foreign_line, limits, modal, one_line
from bot.slack_api import (
    Op,
    People,
    Person,
    PlaceRefused,
    SlackApi,
    SlackError,
    language_of,
)
from bot.threads import ThreadRef
from bot.words import BOT

PREFIX = "ask."
ABOUT = f"{PREFIX}about"
"""The shortcut's name in the manifest, and its form's."""
QUESTION = "question"

logger = logging.getLogger(__name__)


class AskedPost(BaseModel):
    """The post that is asked about, as the form keeps it."""

    thread: ThreadRef
    ts: str
    author: str
    """Empty for an app's."""


class AskAbout:
    """The `Gestures` of the shortcut. The question goes the way of a mention in the post's thread.

    Others read it there, since they read the answer; the post is material, as all of its thread.
    """

    def __init__(self, api: SlackApi, people: People, ingress: Ingress) -> None:
        self._api = api
        self._people = people
        self._ingress = ingress

    async def press(self, press: Press) -> None:
        """Ask what the person wants to know, where the bot can answer."""
        words = BOT.of(await self._people.language(press.user))
        place = await self._api.channels.about(press.channel)
        if place is None or not place.is_member or place.is_archived:
            tell = partial(self._api.post_direct, press.team, press.user, since=press.action_ts)
            await tell(words("ask-not-there"), op=Op(press.key).part("told"))
            return
        about = AskedPost(thread=press.thread, ts=press.message_ts, author=press.value)
        if not await self._open(press, _form(about, words)):
            text, thread_ts = words("ask-again"), press.thread_ts or None
            await tell_alone(self._api, press.channel, press.user, text, thread_ts=thread_ts)

    async def submit(self, submission: Submission) -> Errors | None:
        """Tell the question in the thread and take it as the person's words there."""
        about = AskedPost.model_validate_json(submission.private_metadata)
        person = await self._people.person(submission.user)
        words, thread = BOT.of(language_of(person)), about.thread
        asked = submission.values.get(QUESTION, "").strip() or words("ask-default")
        who = foreign_line(person.name if person else "", limits.PROGRESS_WORD_CHARS)
        quoted = "\n".join(f"&gt; {line}" for line in escape(asked).splitlines())
        told, op = f"{words('ask-told', who=who)}\n{quoted}", Op(submission.key).part("told")
        try:
            post = await self._api.find_post(thread, op)
            post = post or await self._api.post(thread, told, op=op)
        except PlaceRefused as refused:
            logger.warning("a question about a post could not be told: %s", refused)
            return {QUESTION: words("ask-not-there")}
        text = f"{asked}\n\n({await self._which(about, person, words)})"
        await self._ingress.take_words(thread, post.ts, text, user=submission.user)
        return None

    async def _which(self, about: AskedPost, person: Person | None, words: Words) -> str:
        """Which post of the thread is meant, as its line in the thread's earlier posts begins.

        Of another's name only letters and digits become the asker's words.
        """
        names = await self._people.names({about.author} - {""})
        offset = timedelta(seconds=person.utc_offset_s if person else 0)
        at = datetime.fromtimestamp(float(about.ts), UTC) + offset
        name = re.sub(r"[^\w' -]+", " ", names.get(about.author, ""))
        who = one_line(name, limits.PROGRESS_WORD_CHARS) or words("ask-app")
        return words("ask-which", who=who, at=f"{at:%H:%M}")

    async def _open(self, press: Press, form: dict[str, object]) -> bool:
        try:
            return await self._api.open_view(press.trigger_id, form)
        except SlackError:
            logger.exception("nobody knows whether the form for a question is open")
            return True


def _form(about: AskedPost, words: Words) -> dict[str, object]:
    field = {"type": "plain_text_input", "multiline": True, "max_length": limits.SECTION_CHARS}
    asked = entry(QUESTION, words("ask-what"), field, optional=True)
    labels = (words("ask-title"), words("question-form-send"), words("consent-cancel"))
    return modal(ABOUT, *labels, private_metadata=about.model_dump_json(), blocks=[asked])
