"""The live feed: everything that changes in the team or between it and the app, as it happens."""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.sandbox.slack.records import (
    ApiCall,
    Channel,
    Delivery,
    File,
    Post,
    Session,
    SuggestedPrompts,
    View,
)

MAX_WAITING_CHANGES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAdded:
    """A new post; one with `ephemeral_to` is seen by that person alone."""

    post: Post


@dataclass(frozen=True, slots=True, kw_only=True)
class PostChanged:
    post: Post
    previous: Post


@dataclass(frozen=True, slots=True, kw_only=True)
class PostDeleted:
    post: Post


@dataclass(frozen=True, slots=True, kw_only=True)
class FileShared:
    file: File
    channel: str
    ts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionChanged:
    channel: str
    ts: str
    name: str
    user: str
    added: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChanged:
    session: Session


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptsSuggested:
    prompts: SuggestedPrompts


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewShown:
    """A modal or App Home was opened, pushed, updated or published."""

    view: View


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewClosed:
    view: View


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelChanged:
    channel: Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAnswered:
    call: ApiCall


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryChanged:
    """A payload was sent to the app, or its acknowledgement came in."""

    delivery: Delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketsChanged:
    open_sockets: int


Change = (
    PostAdded
    | PostChanged
    | PostDeleted
    | FileShared
    | ReactionChanged
    | SessionChanged
    | PromptsSuggested
    | ViewShown
    | ViewClosed
    | ChannelChanged
    | CallAnswered
    | DeliveryChanged
    | SocketsChanged
)


class SubscriberTooSlowError(Exception):
    """The reader of a subscription let more changes pile up than its queue holds."""


class Feed:
    """Hands each change to every subscriber; a slow one is cut off, the others do not wait."""

    def __init__(self) -> None:
        self._queues: dict[asyncio.Queue[Change | None], None] = {}
        self._watchers: dict[Callable[[], None], None] = {}

    def publish(self, change: Change) -> None:
        for queue in tuple(self._queues):
            self._offer(queue, change)
        for notice in tuple(self._watchers):
            notice()

    def _offer(self, queue: asyncio.Queue[Change | None], change: Change) -> None:
        if queue.qsize() >= MAX_WAITING_CHANGES:
            self._queues.pop(queue, None)
            queue.put_nowait(None)
        else:
            queue.put_nowait(change)

    def subscribe(self) -> AsyncIterator[Change]:
        """Changes from this call on, without end; raises `SubscriberTooSlowError` if cut off."""
        queue: asyncio.Queue[Change | None] = asyncio.Queue()
        self._queues[queue] = None
        return self._read(queue)

    async def _read(self, queue: asyncio.Queue[Change | None]) -> AsyncIterator[Change]:
        try:
            while (change := await queue.get()) is not None:
                yield change
        finally:
            self._queues.pop(queue, None)
        raise SubscriberTooSlowError

    @contextmanager
    def watch(self, notice: Callable[[], None]) -> Generator[None]:
        """Call `notice` after each change while the block runs."""
        self._watchers[notice] = None
        try:
            yield
        finally:
            self._watchers.pop(notice, None)
