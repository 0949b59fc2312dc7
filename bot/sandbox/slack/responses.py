"""Response URLs: what the app may post in answer to a person's gesture, without a token."""

import secrets
from dataclasses import dataclass, replace
from typing import Protocol

from aiohttp import web

from bot.sandbox.slack.app import App
from bot.sandbox.slack.arguments import Arguments, read_arguments
from bot.sandbox.slack.content import Content, read_content
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.records import Post
from bot.sandbox.slack.state import State


class Posting(Protocol):
    """The acts on posts of which the app and the team are told."""

    def add_post(self, post: Post) -> Post: ...

    def change_post(self, post: Post) -> Post: ...

    def delete_post(self, post: Post) -> None: ...


MAX_USES = 5
LIFETIME_S = 1800.0


@dataclass(slots=True, kw_only=True)
class _ResponseUrl:
    user: str
    channel: str
    source: Post | None
    expires_s: float
    uses: int = 0


class ResponseUrls:
    """Issues the URLs and carries out what is posted to them: five times within 30 minutes."""

    def __init__(self, state: State, app: App, posting: Posting) -> None:
        self._posting = posting
        self._state = state
        self._app = app
        self._urls: dict[str, _ResponseUrl] = {}

    def issue(self, base_url: str, user: str, channel: str, source: Post | None = None) -> str:
        key = secrets.token_urlsafe(18)
        self._urls[key] = _ResponseUrl(
            user=user,
            channel=channel,
            source=source,
            expires_s=self._state.clock.now() + LIFETIME_S,
        )
        return f"{base_url}/respond/{key}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        url = self._urls.get(request.match_info["key"])
        if url is None or self._state.clock.now() > url.expires_s:
            return web.Response(status=404, text="expired_url")
        if url.uses >= MAX_USES:
            return web.Response(status=404, text="used_url")
        url.uses += 1
        try:
            self._respond(url, Arguments(await read_arguments(request)))
        except ApiError as error:
            return web.json_response(error.body)
        return web.json_response({"ok": True})

    def _respond(self, url: _ResponseUrl, args: Arguments) -> None:
        if args.flag("delete_original"):
            self._delete(url)
        elif args.flag("replace_original") and url.source is not None:
            self._replace(url, url.source, args)
        else:
            self.post(url.user, url.channel, args)

    def _delete(self, url: _ResponseUrl) -> None:
        source = url.source
        if source is None:
            raise ApiError("message_not_found")
        if source.ephemeral_to:
            self._state.remove_ephemeral(source)
        else:
            self._posting.delete_post(source)

    def _replace(self, url: _ResponseUrl, source: Post, args: Arguments) -> None:
        content = self._read(args)
        post = replace(source, text=content.text or "", blocks=content.blocks or ())
        url.source = post
        if not source.ephemeral_to:
            self._posting.change_post(post)
            return
        self._state.remove_ephemeral(source)
        self._state.add_ephemeral(post)

    def post(self, user: str, channel: str, args: Arguments) -> None:
        """Post an answer in the app's name: to the person alone unless it says `in_channel`."""
        content = self._read(args)
        is_public = args.text("response_type") == "in_channel"
        post = Post(
            channel=channel,
            ts=self._state.ids.fresh_ts(),
            thread_ts=args.text("thread_ts"),
            user=self._app.bot_user_id,
            bot_id=self._app.bot_id,
            app_id=self._app.id,
            text=content.text or "",
            blocks=content.blocks or (),
            ephemeral_to=None if is_public else user,
        )
        if is_public:
            self._posting.add_post(post)
        else:
            self._state.add_ephemeral(post)

    def _read(self, args: Arguments) -> Content:
        """The content of an answer, for which Slack does not count the sum over all blocks."""
        return read_content(args, self._state.ids, is_total_limited=False)
