"""What the rules of Slack are tried on: the Web API by URL, and people who act and look.

Any implementation can be held to the rules: it gives a `Team` and is named in `conftest.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from bot.sandbox.slack import ManualClock, SlackStandIn
from bot.sandbox.slack.messages import show_post, show_view

T = TypeVar("T")
Json = dict[str, Any]
TypedFile = tuple[str, bytes, str | None]


class Receipt(Protocol):
    """What became of a gesture: whether the app acknowledged it in time, and what it answered."""

    @property
    def acked_at_s(self) -> float | None: ...

    @property
    def answer(self) -> Json | None: ...


class Hands(Protocol):
    """What people in the team do. Users and channels are given by name or id."""

    async def say(
        self,
        user: str,
        channel: str | None = None,
        text: str = "",
        *,
        dm: bool = False,
        thread_ts: str | None = None,
        files: Sequence[TypedFile] = (),
        reply_broadcast: bool = False,
    ) -> str: ...

    async def edit(self, user: str, channel: str, ts: str, text: str) -> None: ...
    async def delete(self, channel: str, ts: str) -> None: ...
    async def react(self, user: str, channel: str, ts: str, name: str) -> None: ...
    async def pin(self, user: str, channel: str, ts: str) -> None: ...
    async def unpin(self, user: str, channel: str, ts: str) -> None: ...
    async def invite(self, inviter: str, channel: str, user: str) -> None: ...
    async def rename_channel(self, channel: str, name: str) -> None: ...
    async def archive(self, user: str, channel: str) -> None: ...
    async def open_home(self, user: str, *, tab: str = "home") -> None: ...
    async def stop_session(self, user: str, channel: str, thread_ts: str) -> None: ...
    async def rename_session(self, user: str, channel: str, thread_ts: str, title: str) -> None: ...
    async def click(
        self, user: str, channel: str, ts: str, action_id: str, chosen: object = None
    ) -> Receipt: ...
    async def click_view(
        self, user: str, view_id: str, action_id: str, chosen: object = None
    ) -> Receipt: ...
    async def submit_view(
        self, user: str, view_id: str, entered: Mapping[str, object] | None = None
    ) -> Receipt: ...
    async def close_view(
        self, user: str, view_id: str, *, all_views: bool = False
    ) -> Receipt | None: ...
    async def use_shortcut(self, user: str, callback_id: str) -> Receipt: ...
    async def use_message_shortcut(
        self, user: str, channel: str, ts: str, callback_id: str
    ) -> Receipt: ...
    async def slash(self, user: str, channel: str, command: str, text: str = "") -> Receipt: ...
    async def suggest(
        self,
        user: str,
        action_id: str,
        typed: str,
        *,
        view_id: str | None = None,
        channel: str = "",
        ts: str = "",
    ) -> list[Any]: ...
    def revoke_tokens(self) -> None: ...


class Eyes(Protocol):
    """What people see that no method of the Web API tells."""

    def seen(self, user: str, channel: str) -> list[Json]:
        """The messages before a person by ts, those shown to them alone (`ephemeral`) included."""
        ...

    def open_views(self, user: str) -> list[Json]:
        """The person's modals, the lowest first."""
        ...

    def home(self, user: str) -> Json | None: ...

    def session(self, channel: str, thread_ts: str) -> Json:
        """`status`, `title`, `initiator`, `status_text`, `loading_messages` of a thread."""
        ...

    def prompts(self, channel: str) -> list[Json]: ...

    async def until(self, look: Callable[[], T]) -> T:
        """What a look gives once it gives something. Raises TimeoutError after a few seconds."""
        ...


class Team(Hands, Eyes, Protocol):
    """A team with three people (ann, ben, cleo), a guest, a stranger, a bot, and channels.

    The app is a member of all channels but "random" (public) and "hidden" (private).
    """

    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    @property
    def api_url(self) -> str: ...
    @property
    def bot_token(self) -> str: ...
    @property
    def app_token(self) -> str: ...
    @property
    def config_token(self) -> str: ...
    @property
    def bot_user_id(self) -> str: ...
    @property
    def bot_id(self) -> str: ...
    @property
    def team_id(self) -> str: ...
    @property
    def mention(self) -> str: ...
    @property
    def people(self) -> dict[str, str]: ...
    @property
    def users(self) -> dict[str, str]: ...
    @property
    def channels(self) -> dict[str, str]: ...

    def dm_id(self, user: str) -> str: ...
    def now_s(self) -> float: ...
    def pass_time(self, seconds: float) -> None: ...
    async def connected(self) -> None: ...


class StandInTeam(SlackStandIn):
    """The sandbox's stand-in with a clock that only tests move."""

    def __init__(self, **manifest: Any) -> None:
        self._manual_clock = ManualClock()
        super().__init__(clock=self._manual_clock, **manifest)

    def now_s(self) -> float:
        return self._manual_clock.now()

    def pass_time(self, seconds: float) -> None:
        self._manual_clock.advance(seconds)

    def seen(self, user: str, channel: str) -> list[Json]:
        person = self.user_id(user)
        return [
            show_post(self.state, post) | {"ephemeral": post.ephemeral_to is not None}
            for post in self.posts(channel)
            if post.ephemeral_to in (None, person)
        ]

    async def until(self, look: Callable[[], T]) -> T:
        return await self.wait_for(lambda _: look(), timeout_s=5.0)

    def open_views(self, user: str) -> list[Json]:
        stack = self.workspace.modals.stack_of(self.user_id(user))
        return [show_view(self.state, view) for view in stack]

    def home(self, user: str) -> Json | None:
        view = self.state.homes.get(self.user_id(user))
        return show_view(self.state, view) if view else None

    def session(self, channel: str, thread_ts: str) -> Json:
        session = self.workspace.sessions.of_thread(self.channel_id(channel), thread_ts)
        return {
            "status": session.status,
            "title": session.title,
            "initiator": session.initiator,
            "status_text": session.status_text,
            "loading_messages": list(session.loading_messages),
        }

    def prompts(self, channel: str) -> list[Json]:
        shown = self.state.prompts.get(self.channel_id(channel))
        return list(shown.prompts) if shown else []
