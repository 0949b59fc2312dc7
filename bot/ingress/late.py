"""The notice on posts that were missed for so long that they are listed and not answered."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agent_core.messages import JsonObject
from agent_core.prompts.language import Language, detect_language
from bot.inbound import plain_text
from bot.ingress.gate import Admitted, Judged
from bot.ingress.heard import Gap
from bot.ingress.missed import Missed
from bot.ingress.seams import Answers
from bot.render import one_line
from bot.slack_api import SlackApi, SlackRefused

MAX_LISTED = 20
MAX_NAME_CHARS = 60

Judge = Callable[[JsonObject], Awaitable[Judged]]

_log = logging.getLogger(__name__)


class LateNotices:
    """Tells each conversation once what it was not answered, and no other conversation."""

    def __init__(self, api: SlackApi, answers: Answers) -> None:
        self._api = api
        self._answers = answers

    async def tell(self, missed: Sequence[Missed], gap: Gap, judge: Judge) -> None:
        """List posts of one conversation, oldest first; those that had their answer are left out.

        What a notice of an earlier process lists is not listed again.

        Raises:
            SlackError: Slack could not be asked; nothing is lost, and all may be told again.
        """
        late = [admitted for each in missed if (admitted := await self._unanswered(each, judge))]
        if not late:
            return
        channel = late[0].post.thread.channel
        told = await self._told_until(channel, gap)
        late = [admitted for admitted in late if admitted.post.ts > told]
        if not late:
            return
        _log.info("%d posts in %s are too old to be answered", len(late), channel)
        lines = [await self._line(admitted) for admitted in late[-MAX_LISTED:]]
        text = _notice(lines, len(late) - len(lines), _language(late))
        try:
            op_id = f"{_prefix(channel)}{late[-1].post.ts}"
            await self._api.announce(channel, text, op_id=op_id, since=_since(channel, gap))
        except SlackRefused as refused:
            _log.warning("%s could not be told what it was not answered: %s", channel, refused)

    async def _unanswered(self, missed: Missed, judge: Judge) -> Admitted | None:
        if not missed.is_new or await self._answers.has_turn(missed.post.key):
            return None
        judged = await judge(missed.body)
        return judged if isinstance(judged, Admitted) else None

    async def _told_until(self, channel: str, gap: Gap) -> str:
        """The newest post that a notice lists; notices say so themselves, in their op ids."""
        prefix = _prefix(channel)
        op_ids = await self._api.announced(channel, since=_since(channel, gap))
        covered = [id_.removeprefix(prefix) for id_ in op_ids if id_.startswith(prefix)]
        return max(covered, default="")

    async def _line(self, admitted: Admitted) -> str:
        """The time is the author's; the link's label is ours alone."""
        post, person = admitted.post, admitted.person
        link = await self._api.channels.permalink(post.thread.channel, post.ts)
        zone_offset = timedelta(seconds=person.utc_offset_s)
        said_at = datetime.fromtimestamp(float(post.ts), UTC) + zone_offset
        return f"• <{link}|{said_at:%Y-%m-%d %H:%M}> {one_line(person.name, MAX_NAME_CHARS)}"


def _prefix(channel: str) -> str:
    return f"late:{channel}:"


def _since(channel: str, gap: Gap) -> str:
    return f"{gap.since_s(channel):.6f}"


def _language(late: Sequence[Admitted]) -> Language:
    said = " ".join(plain_text(admitted.post.wire_text) for admitted in late)
    return detect_language(said, locale=late[-1].person.locale)


def _notice(lines: Sequence[str], left_out: int, language: Language) -> str:
    words = _WORDS[language]
    more = [words.more.format(count=left_out)] if left_out else []
    return "\n".join([words.notice, *lines, *more])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """One language."""

    notice: str
    more: str


_WORDS: dict[Language, _Words] = {
    "en": _Words(
        notice=(
            "I was not running when these messages came in. They are more than a day old, so I "
            "have not answered them. If an answer still matters, please ask me again."
        ),
        more="… and {count} older ones.",
    ),
    "de": _Words(
        notice=(
            "Als diese Nachrichten eingingen, war ich nicht in Betrieb. Sie sind mehr als einen "
            "Tag alt, daher habe ich sie nicht beantwortet. Wenn die Antwort noch wichtig ist, "
            "frag mich bitte noch einmal."
        ),
        more="… und {count} ältere.",
    ),
    "fr": _Words(
        notice=(
            "Je n'étais pas en service quand ces messages sont arrivés. Ils datent de plus d'un "
            "jour, je n'y ai donc pas répondu. Si la réponse compte encore, reposez-moi la "
            "question."
        ),
        more="… et {count} plus anciens.",
    ),
    "es": _Words(
        notice=(
            "No estaba en marcha cuando llegaron estos mensajes. Tienen más de un día, así que "
            "no los he contestado. Si la respuesta todavía importa, vuelve a preguntarme."
        ),
        more="… y {count} más antiguos.",
    ),
}
