"""Requests that wait for their answer, and whose posts may have changed while nobody listened."""

import logging
from collections.abc import Sequence

from agent_core.messages import JsonObject
from agent_core.sessions import StoredTurn
from bot.inbound import post_key, posted_ts, read_post
from bot.ingress.answering import Answering
from bot.ingress.heard import Gap
from bot.ingress.payloads import deleted, edited
from bot.ingress.seams import KnownSessions
from bot.slack_api import Identity, SlackApi, SlackError, SlackRefused
from bot.threads import ThreadRef, parse_session

MAX_REQUESTS = 50
"""Posts that are looked at in one go, one call each."""

_log = logging.getLogger(__name__)


class OpenRequests:
    """Compares the posts of unfinished turns with what Slack has of them now.

    What became of a post comes in by the way that live edits and deletions take.
    """

    def __init__(
        self, api: SlackApi, identity: Identity, sessions: KnownSessions, answering: Answering
    ) -> None:
        self._channels = api.channels
        self._identity = identity
        self._sessions = sessions
        self._answering = answering

    async def all(self) -> list[StoredTurn]:
        """The unfinished turns whose posts are to be looked at."""
        turns = await self._sessions.unfinished(f"{self._identity.team}:", limit=MAX_REQUESTS + 1)
        if len(turns) > MAX_REQUESTS:
            _log.warning("only %d of the unanswered requests are looked at", MAX_REQUESTS)
        return turns[:MAX_REQUESTS]

    async def see_to(self, turns: Sequence[StoredTurn], gap: Gap) -> bool:
        """Take in what became of the posts in the gap; False if one could not be read for now."""
        is_done = True
        for turn in turns:
            try:
                body = await self._change(turn, gap)
            except SlackRefused as refused:
                _log.info("the post of %s cannot be looked at: %s", turn.id, refused)
            except SlackError as error:
                _log.warning("the post of %s is looked at later: %s", turn.id, error)
                is_done = False
            else:
                if body is not None:
                    await self._answering.take(body)
        return is_done

    async def _change(self, turn: StoredTurn, gap: Gap) -> JsonObject | None:
        """The payload that tells what became of a turn's post; None where nothing did."""
        thread, ts = parse_session(turn.session), posted_ts(turn.inbound.key)
        if turn.inbound.key != post_key(thread.team, thread.channel, ts):
            return None  # no post began it
        return await self._change_of_post(thread, ts, gap)

    async def _change_of_post(self, thread: ThreadRef, ts: str, gap: Gap) -> JsonObject | None:
        """An edit from before the gap was heard when it was made."""
        raw = await self._channels.post_now(thread, ts)
        if raw is None:
            return deleted(ts, thread.channel, self._identity)
        said_ts = self._said_ts(raw, thread)
        if said_ts == ts or float(said_ts) <= gap.opened_s:
            return None
        return edited(raw, thread.channel, self._identity, at_ts=said_ts)

    def _said_ts(self, raw: JsonObject, thread: ThreadRef) -> str:
        """When a post was last edited, or else posted."""
        body = {"team_id": thread.team, "event": {**raw, "channel": thread.channel}}
        post = read_post(body, bot_user=self._identity.bot_user)
        return post.said_ts if post is not None else str(raw["ts"])
