"""One of the three people at the page: what they can see, and what they may lay hands on."""

from typing import Self

from bot.sandbox.slack import Post, SlackStandIn, View
from bot.sandbox.slack.records import Channel


class Refused(Exception):
    """What was asked cannot be done; the message is a sentence for the person."""


class Person:
    """Looks things up for a person. What they cannot see does not exist for them."""

    def __init__(self, slack: SlackStandIn, user_id: str) -> None:
        self.slack = slack
        self.id = user_id

    @classmethod
    def find(cls, slack: SlackStandIn, user_id: object) -> Self:
        """The person with this user id; raises Refused for everyone but the three."""
        for known in slack.people.values():
            if known == user_id:
                return cls(slack, known)
        names = [slack.state.users[known].real_name for known in slack.people.values()]
        raise Refused(f"Only {', '.join(names[:-1])} and {names[-1]} can be acted as.")

    def reads(self, channel_id: str) -> bool:
        """Whether they can read a channel: any public one, and the others as a member."""
        channel = self.slack.state.channels.get(channel_id)
        return channel is not None and (channel.kind == "channel" or self.id in channel.members)

    def sees(self, post: Post) -> bool:
        return self.reads(post.channel) and post.ephemeral_to in (None, self.id)

    def channels(self) -> list[Channel]:
        """The channels that they can read."""
        return [c for c in self.slack.state.channels.values() if self.reads(c.id)]

    def modals(self) -> list[View]:
        """Their open modals, the lowest first."""
        return self.slack.workspace.modals.stack_of(self.id)

    def channel(self, channel_id: str) -> Channel:
        """A channel in which they can act. Raises Refused."""
        if not self.reads(channel_id):
            raise Refused("There is no such channel.")
        channel = self.slack.state.channels[channel_id]
        if self.id not in channel.members:
            raise Refused(f"You are not a member of #{channel.name}.")
        if channel.is_archived:
            raise Refused(f"#{channel.name} is archived.")
        return channel

    def post(self, channel_id: str, ts: str) -> Post:
        """A post that they see in a channel in which they can act. Raises Refused."""
        for post in self.slack.posts(self.channel(channel_id).id):
            if post.ts == ts and self.sees(post):
                return post
        raise Refused("That message is gone.")

    def lasting_post(self, channel_id: str, ts: str, *, own: bool = False) -> Post:
        """A post that is neither ephemeral nor deleted, and theirs where that is wanted."""
        post = self.post(channel_id, ts)
        if post.ephemeral_to is not None:
            raise Refused("That message is only visible to you; this is not possible with it.")
        if post.subtype == "tombstone":
            raise Refused("That message was deleted.")
        if own and post.user != self.id:
            raise Refused("That message was written by somebody else.")
        return post

    def modal(self, view_id: str) -> View:
        """A modal that they have open. Raises Refused."""
        view = next((view for view in self.modals() if view.id == view_id), None)
        if view is None:
            raise Refused("That dialog is not open any more.")
        return view

    def view(self, view_id: str) -> View:
        """Their App Home, or a modal that they have open. Raises Refused."""
        home = self.slack.state.homes.get(self.id)
        return home if home is not None and home.id == view_id else self.modal(view_id)
