"""What one person's page is told of each change of the team."""

from bot.sandbox.page import shapes
from bot.sandbox.page.person import Person
from bot.sandbox.slack.feed import Change, OpenSockets, Record
from bot.sandbox.slack.records import (
    ApiCall,
    Channel,
    Delivery,
    Post,
    Session,
    SuggestedPrompts,
    View,
)
from bot.sandbox.slack.wire import JsonObject


class SightLostError(Exception):
    """The person cannot read a channel any more: only a new snapshot tells what is left."""


class Telling:
    """Turns the feed's changes into the page's, leaving out what the person cannot see."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._state = person.slack.state
        self._readable = {channel.id for channel in person.channels()}

    def tell(self, change: Change) -> list[JsonObject]:
        """The page's changes, none for what does not concern it. Raises SightLostError."""
        match change.record:
            case Post() as post if change.is_gone:
                gone = {"kind": "post_deleted", "channel": post.channel, "ts": post.ts}
                return [gone] if self._person.sees(post) else []
            case Post() as post:
                return self._tell_post(post)
            case Channel() as channel:
                return self._tell_channel(channel)
            case View() as view:
                return self._tell_views(view)
            case record:
                return self._tell_of_app(record)

    def _tell_of_app(self, record: Record) -> list[JsonObject]:
        match record:
            case Session() as session if self._person.reads(session.channel):
                return [{"kind": "session", "session": shapes.session_shape(session)}]
            case SuggestedPrompts() as prompts if self._person.reads(prompts.channel):
                return [{"kind": "prompts", "prompts": shapes.prompts_shape(prompts)}]
            case ApiCall() as call:
                return [{"kind": "call", "call": shapes.call_shape(call)}]
            case Delivery() as delivery:
                return [{"kind": "delivery", "delivery": shapes.delivery_shape(delivery)}]
            case OpenSockets(count=count):
                return [{"kind": "sockets", "open": count}]
            case _:
                return []

    def _tell_post(self, post: Post) -> list[JsonObject]:
        if not self._person.sees(post):
            return []
        return [{"kind": "post", "post": shapes.post_shape(self._state, post)}]

    def _tell_channel(self, channel: Channel) -> list[JsonObject]:
        """A channel; one that the person could not read before comes with its posts."""
        if not self._person.reads(channel.id):
            if channel.id in self._readable:
                raise SightLostError
            return []
        shown = shapes.channel_shape(self._state, channel, self._person.id)
        told: list[JsonObject] = [{"kind": "channel", "channel": shown}]
        if channel.id not in self._readable:
            self._readable.add(channel.id)
            for post in self._person.posts(channel.id):
                told += self._tell_post(post)
        return told

    def _tell_views(self, view: View) -> list[JsonObject]:
        if view.user != self._person.id:
            return []
        if view.type == "home":
            return [{"kind": "home", "view": shapes.view_shape(self._state, view)}]
        views = [shapes.view_shape(self._state, modal) for modal in self._person.modals()]
        return [{"kind": "modals", "views": views}]
