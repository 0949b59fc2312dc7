"""The earlier posts of a thread that people began, as material for the bot's first answer there."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bot.inbound import mentioned_users, plain_text
from bot.slack_api import Identity, People, PostRecord, SlackApi
from bot.threads import ThreadRef

MAX_POSTS = 100
MAX_CHARS = 20_000
_INDENT = "    "
_FENCE = re.compile(r"<(?=\s*/?\s*earlier_posts)", re.IGNORECASE)
_NOTICES = frozenset({"channel_join", "channel_leave", "channel_topic", "channel_purpose"})


class Background:
    """Reads what was said in a thread before the bot was asked."""

    def __init__(self, api: SlackApi, people: People, identity: Identity) -> None:
        self._api = api
        self._people = people
        self._identity = identity

    async def read(self, thread: ThreadRef, *, before_ts: str, utc_offset_s: int) -> str:
        """Lines such as `Ann (14:03): text`, oldest first, the bot's own left out.

        The newest posts are kept where there are too many. Times are the asker's. Only the first
        line of a post begins at the margin, so no post can speak in another's name, and none can
        end the passage in which the model gets them.

        Raises:
            SlackError: The thread could not be read.
        """
        posts = await self._api.newest_posts(thread, limit=MAX_POSTS, before_ts=before_ts)
        kept = [post for post in posts if self._is_material(post)]
        named = {post.user for post in kept} | {
            user for post in kept for user in mentioned_users(post.text)
        }
        names = await self._people.names(named - {"", self._identity.bot_user})
        lines = [self._line(post, names, utc_offset_s) for post in kept]
        return _FENCE.sub("(", "\n".join(newest_within(lines, MAX_CHARS)))

    def _is_material(self, post: PostRecord) -> bool:
        own = post.user == self._identity.bot_user or post.bot_id == self._identity.bot_id
        return not own and post.subtype not in _NOTICES and bool(post.text or post.file_names)

    def _line(self, post: PostRecord, names: dict[str, str], utc_offset_s: int) -> str:
        author = _one_line(names.get(post.user) or post.user or "An app")
        said = plain_text(post.text, bot_user=self._identity.bot_user, names=names)
        indented = f"\n{_INDENT}".join(said.splitlines())
        files = f" [files: {_one_line(', '.join(post.file_names))}]" if post.file_names else ""
        return f"{author} ({_clock_time(post.ts, utc_offset_s)}): {indented}{files}"


def newest_within(lines: Sequence[str], max_chars: int) -> list[str]:
    """The last lines that fit; where even the last one is too long, its beginning."""
    kept: list[str] = []
    room = max_chars
    for line in reversed(lines):
        if len(line) + 1 > room:
            break
        kept.append(line)
        room -= len(line) + 1
    if not kept and lines:
        return [lines[-1][:max_chars]]
    return kept[::-1]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _clock_time(ts: str, utc_offset_s: int) -> str:
    at = datetime.fromtimestamp(float(ts), UTC) + timedelta(seconds=utc_offset_s)
    return f"{at:%H:%M}"
