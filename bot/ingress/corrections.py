"""What became of posts while this process hands them over: edited, deleted, called off."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bot.inbound import InboundPost
from bot.ingress.changes import Deletion, Edit, Told

MAX_POSTS = 10_000

T = TypeVar("T")


class Corrections:
    """Remembers changes, also of posts that have not come yet: Slack promises no order."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, InboundPost] = OrderedDict()
        self._gone: OrderedDict[str, str] = OrderedDict()
        self._under_way: dict[str, InboundPost] = {}

    def note(self, told: Told) -> None:
        """Take a change into account from now on."""
        if isinstance(told, Deletion):
            _keep(self._gone, told.post_key, "")
        if isinstance(told, Edit) and not self.is_outdated(told):
            _keep(self._texts, told.post.key, told.post)

    def is_outdated(self, edit: Edit) -> bool:
        """Whether a later edit of the same post is known."""
        newest = self._texts.get(edit.post.key)
        return newest is not None and float(newest.said_ts) > float(edit.post.said_ts)

    def newest(self, post: InboundPost) -> InboundPost:
        """The post with its newest text."""
        edited = self._texts.get(post.key)
        if edited is None or float(edited.said_ts) <= float(post.said_ts):
            return post
        return replace(post, wire_text=edited.wire_text, said_ts=edited.said_ts)

    def is_gone(self, key: str) -> bool:
        """Whether the post is not to be handed over any more."""
        return key in self._gone

    def called_off_by(self, key: str) -> str:
        """The name of who called the post off; empty where it was deleted."""
        return self._gone.get(key, "")

    def begin(self, post: InboundPost) -> None:
        """The post is being handed over."""
        self._under_way[post.key] = post

    def end(self, post: InboundPost) -> None:
        self._under_way.pop(post.key, None)

    def is_under_way(self, key: str) -> bool:
        return key in self._under_way

    def call_off(self, concerns: Callable[[InboundPost], bool], *, by: str, before_ts: str) -> None:
        """What was said before then, and is still being handed over, is left."""
        for post in self._under_way.values():
            if concerns(post) and float(post.ts) < float(before_ts) and not self.is_gone(post.key):
                _keep(self._gone, post.key, by)


def _keep(known: OrderedDict[str, T], key: str, value: T) -> None:
    known[key] = value
    known.move_to_end(key)
    if len(known) > MAX_POSTS:
        known.popitem(last=False)
