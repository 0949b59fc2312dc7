"""The agent's front door: between the ingress and the core.

It makes turns of messages, tells what the core knows of a post, and keeps attached files.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Literal

from agent_core.background import Backoff
from agent_core.errors import InterventionRefused, SessionError
from agent_core.ids import SessionId, TurnId, UserId, turn_of
from agent_core.messages import Attachment, InboundMessage, JsonObject
from agent_core.runtime import Runtime, check_room, space_taken
from bot.clicks import BranchStop, Gesture, Refused
from bot.digests import DigestMessages
from bot.inbound import SlackFile, read_file
from bot.presenter.answer import file_name
from bot.presenter.journal import READER
from bot.slack_api import DownloadRefused, FileTooBig, MonotonicClock, Person, SlackApi, SlackError

logger = logging.getLogger(__name__)

LOOKS = Backoff(first_s=0.05, longest_s=1.0, jitter=0.0)
FOLDER = "downloads"
MAX_MB = 50
"""The biggest file that is taken from a person, in MB of 1024 * 1024 bytes."""
MAX_ATTACHMENT_BYTES = MAX_MB * 1024 * 1024
FileFault = Literal["too_big", "not_given", "not_saved", "gone"]
_PAGES = (".html", ".htm")
"""Only their size tells them from the sign-in page that Slack gives in a file's place."""
_INNER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTurn:
    """A gesture that the agent has."""

    text: str
    is_at_work: bool
    """It was begun with, or is part of what was, and that has not ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadActivity:
    """What the agent does in a thread just now."""

    works_for: tuple[UserId, ...] = ()
    asks: tuple[UserId, ...] = ()
    """Whose answer or decision it waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file that could not be brought into the workspace."""

    name: str
    """Safe to show."""
    fault: FileFault


class FrontDoor:
    """A message becomes a turn, or an order for digests."""

    def __init__(
        self,
        runtime: Runtime,
        clock: MonotonicClock,
        digests: DigestMessages,
    ) -> None:
        self._runtime = runtime
        self._clock = clock
        self._digests = digests

    async def handle(self, message: InboundMessage) -> TurnId | None:
        """Begin or queue a turn; None when the gesture has one already."""
        if await self._digests.take(message):
            return None
        return await self._runtime.handle(message)

    async def revise(self, key: str, text: str) -> bool:
        """Another text stands in the place of the gesture's. False unless its turn waits."""
        if await self._runtime.revise(key, text):
            return True
        order = await self._digests.take_back(key, text)
        if order is not None:
            await self.handle(order)
        return order is not None

    async def withdraw(self, key: str, *, by: str = "") -> bool:
        """The gesture was taken back, or called off by whom `by` names: its turn ends.

        False where none can be ended.
        """
        if await self._runtime.withdraw(key, by=by):
            return True
        return await self._digests.take_back(key) is not None

    async def known_turn(self, key: str) -> KnownTurn | None:
        """What the agent has of a gesture; None when it has no turn."""
        try:
            turn = await self._runtime.turn(turn_of(key))
        except SessionError:
            if not await self._digests.has_order(key):
                return None
            # An order for a digest that waits for a yes reads as its edit will have it.
            return KnownTurn(text="", is_at_work=False)
        work = turn
        if turn.taken_by is not None:
            # What another turn took in is at work for as long as that one is.
            work = await self._runtime.turn(turn.taken_by)
        return KnownTurn(
            text=turn.inbound.text,
            is_at_work=work.status in {"running", "waiting"},
        )

    async def stop_channel(
        self,
        team: str,
        channel: str,
        by: str,
        *,
        before_ts: str,
    ) -> bool:
        """End all work of a channel's threads that began before a post; False without any."""
        prefix = f"{team}:{channel}:"
        unfinished = await self._runtime.sessions.unfinished(prefix)
        at_work = {turn.session for turn in unfinished if turn.kind == "work"}
        earlier = sorted(session for session in at_work if session < prefix + before_ts)
        return any([await self._runtime.stop(session, by) for session in earlier])

    async def stop(self, session: SessionId, by: str) -> bool:
        """End all work of a thread; False without any."""
        return await self._runtime.stop(session, by)

    async def newest_of(self, session: SessionId, *, before_ts: str) -> str:
        """The `ts` of the newest post of a thread before a moment that the agent has, or empty."""
        turns = await self._runtime.sessions.turns_of(session)
        channel = session.rpartition(":")[0]
        prefix = turn_of(f"{channel}:")
        known = [turn.removeprefix(prefix) for turn in turns if turn.startswith(prefix)]
        return max((ts for ts in known if ts < before_ts), default="")

    async def activity(self, session: SessionId) -> ThreadActivity:
        unfinished = await self._runtime.sessions.unfinished(session)
        work = [turn for turn in unfinished if turn.kind == "work"]
        return ThreadActivity(
            works_for=tuple(dict.fromkeys(turn.inbound.asker for turn in work)),
            asks=tuple(turn.wait.asker for turn in work if turn.wait and turn.status == "waiting"),
        )

    async def ended(self, key: str) -> None:
        """Returns once the answer is in the thread, or the turn waits for a person."""
        for wait_s in LOOKS.waits_s():
            if await self._has_ended(turn_of(key)):
                return
            await self._clock.sleep(wait_s)

    async def _has_ended(self, turn_id: TurnId) -> bool:
        try:
            turn = await self._runtime.turn(turn_id)
        except SessionError:
            return True  # it was an order for a digest
        if turn.status == "waiting" or turn.outcome == "steered":
            return True
        bookmark = await self._runtime.load_cursor(READER, turn_id)
        return bool(bookmark and bookmark.get("finished"))


async def stop_branch(
    runtime: Runtime,
    click: BranchStop,
    gesture: Gesture,
    person: Person,
) -> None:
    """The handler of the menu below a plan: who is served in the thread may stop a branch."""
    session = gesture.session
    try:
        await runtime.intervene(
            session,
            click.agent,
            "stop",
            "",
            gesture.by,
            person.name,
            key=gesture.key,
        )
    except InterventionRefused as refused:  # a late or second press
        raise Refused("progress-stop-late") from refused


@dataclass(slots=True)
class WorkspaceFiles:
    """Attached files land in the session's `downloads/`."""

    _runtime: Runtime
    _api: SlackApi
    _clock: Callable[[], datetime]

    async def keep(
        self, session: SessionId, files: tuple[SlackFile, ...]
    ) -> tuple[Attachment | LeftOut, ...]:
        """Download the files; one that cannot be had does not cost the others."""
        workspace = await self._runtime.workspace(session, self._clock())
        return tuple([await self._keep_one(workspace, file) for file in files])

    async def _keep_one(self, workspace: Path, file: SlackFile) -> Attachment | LeftOut:
        if not file.is_complete:
            file = read_file(await self._about(file) or {"id": file.id})
        if file.size_bytes > MAX_ATTACHMENT_BYTES:
            return _left_out(file, "too_big")
        name = file_name(f"{file.id}_{file.name}")
        try:
            check_room(await asyncio.to_thread(space_taken, workspace), file.size_bytes)
            with _new_file(workspace, name) as saved:
                size_bytes = await self._api.files.download(
                    file.url_private, saved, max_bytes=MAX_ATTACHMENT_BYTES
                )
                _check_page(file, size_bytes)
        except FileTooBig:
            return _left_out(file, "too_big")
        except DownloadRefused as refused:
            logger.warning("an attached file was not downloaded: %s", refused)
            is_gone = (await self._about(file)).get("mode") == "tombstone"
            return _left_out(file, "gone" if is_gone else "not_given")
        except OSError:
            logger.exception("an attached file was not saved")
            return _left_out(file, "not_saved")
        return Attachment(
            name=file.name,
            path=f"{FOLDER}/{name}",
            mimetype=file.mimetype,
            size_bytes=size_bytes,
        )

    async def _about(self, file: SlackFile) -> JsonObject:
        """What Slack says of a file; empty where it says nothing."""
        try:
            return await self._api.files.about(file.id)
        except SlackError as error:
            logger.warning("nothing is known of an attached file: %s", error)
            return {}


def _check_page(file: SlackFile, size_bytes: int) -> None:
    if file.size_bytes not in {0, size_bytes} and file.name.lower().endswith(_PAGES):
        raise DownloadRefused("download", detail="a page, but not this one")


def _left_out(file: SlackFile, fault: FileFault) -> LeftOut:
    return LeftOut(name=file_name(file.name), fault=fault)


@contextmanager
def _new_file(workspace: Path, name: str) -> Generator[BinaryIO]:
    """A file to write into the folder of the workspace: whole at the end, or not there.

    What stands at the name is replaced, a link there included; a link in the folder's place is
    refused. An error inside the block leaves nothing behind. Raises OSError.
    """
    with ExitStack() as stack:
        outer = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, outer)
        with suppress(FileExistsError):
            os.mkdir(FOLDER, dir_fd=outer)
        inner = os.open(FOLDER, _INNER, dir_fd=outer)
        stack.callback(os.close, inner)
        part = f".{secrets.token_hex(8)}.part"
        with os.fdopen(os.open(part, _NEW, 0o644, dir_fd=inner), "wb") as file:
            unfinished = stack.enter_context(ExitStack())
            unfinished.callback(os.unlink, part, dir_fd=inner)
            yield file
        os.rename(part, name, src_dir_fd=inner, dst_dir_fd=inner)
        unfinished.pop_all()
