"""What people do by pressing: buttons, menus, modals, shortcuts, slash commands.

Every gesture waits for the app's acknowledgement, at most 3 s by the stand-in's clock, and
returns the delivery: `acked_at_s` is None when the app did not answer, `answer` what it said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.sandbox.slack import interactive
from bot.sandbox.slack.actions import (
    blocks_of_post,
    collect_state,
    collect_values,
    describe_action,
    find_element,
    find_response_places,
)
from bot.sandbox.slack.arguments import Arguments
from bot.sandbox.slack.gestures import Gestures
from bot.sandbox.slack.records import Delivery, Post, View
from bot.sandbox.slack.suggestions import Suggestions, offered_options
from bot.sandbox.slack.wire import JsonArray, JsonObject
from bot.sandbox.slack.workspace import Workspace


class Interactions(Gestures):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._suggestions = Suggestions()

    async def click(
        self,
        user: str,
        channel: str,
        ts: str,
        action_id: str,
        chosen: object = None,
        *,
        block_id: str | None = None,
    ) -> Delivery:
        """Use an element of a post, an ephemeral one too. Menus take the chosen option's value.

        The block is named where an action id stands in several. Raises KeyError for an element or
        an option that is not there.
        """
        person, post = self.user_id(user), self.find_shown(channel, ts)
        blocks = self._suggestions.fill(blocks_of_post(post))
        block_id, element = find_element(blocks, action_id, block_id)
        action = describe_action(element, block_id, chosen, self.state.ids.fresh_ts())
        payload = interactive.message_actions(
            self.state,
            post,
            person,
            action,
            self._trigger(person),
            self._response_url(person, post),
            values=collect_values(blocks, {action_id: chosen}),
        )
        return await self._send("interactive", payload)

    async def click_view(
        self,
        user: str,
        view_id: str,
        action_id: str,
        chosen: object = None,
        *,
        block_id: str | None = None,
    ) -> Delivery:
        """Use an element of a modal or of App Home; see `click`."""
        person, view = self.user_id(user), self.workspace.modals.find(view_id, None)
        blocks = self._suggestions.fill(_blocks_of(view))
        block_id, element = find_element(blocks, action_id, block_id)
        action = describe_action(element, block_id, chosen, self.state.ids.fresh_ts())
        payload = interactive.view_actions(self.state, view, person, action, self._trigger(person))
        return await self._send("interactive", payload)

    async def submit_view(
        self, user: str, view_id: str, entered: Mapping[str, object] | None = None
    ) -> Delivery:
        """Submit a modal with what was entered, by action id, and do what the app answers."""
        person, view = self.user_id(user), self.state.views[view_id]
        blocks = self._suggestions.fill(_blocks_of(view))
        view = replace(view, state=collect_state(blocks, entered or {}))
        self.state.show_view(view)
        payload = interactive.view_submission(
            self.state, view, person, self._trigger(person), self._response_urls(person, view)
        )
        delivery = await self._send("interactive", payload, accepts_answer=True)
        if delivery.acked_at_s is not None:
            self._follow(view, delivery.answer or {})
        return delivery

    def _response_urls(self, person: str, view: View) -> JsonArray:
        """One for each channel chosen in a menu with `response_url_enabled`."""
        issue, base = self.workspace.response_urls.issue, self.workspace.base_url
        return [
            {**place, "response_url": issue(base, person, place["channel_id"])}
            for place in find_response_places(_blocks_of(view), view.state)
        ]

    def _follow(self, view: View, answer: JsonObject) -> None:
        match answer.get("response_action"):
            case "errors":
                return
            case "update":
                self.workspace.modals.update(view, answer["view"])
            case "push":
                self.workspace.modals.push(view.user, answer["view"])
            case "clear":
                self._close_all(view.user)
            case _:
                self.state.close_view(view)

    def _close_all(self, user: str) -> None:
        for view in self.workspace.modals.stack_of(user):
            self.state.close_view(view)

    async def close_view(
        self, user: str, view_id: str, *, all_views: bool = False
    ) -> Delivery | None:
        """Close a modal; the app hears of it only if the view asked for that."""
        person, view = self.user_id(user), self.state.views[view_id]
        if all_views:
            self._close_all(person)
        else:
            self.state.close_view(view)
        if not view.body.get("notify_on_close"):
            return None
        payload = interactive.view_closed(self.state, view, person, is_cleared=all_views)
        return await self._send("interactive", payload)

    async def use_shortcut(self, user: str, callback_id: str) -> Delivery:
        """Run a global shortcut."""
        person = self.user_id(user)
        payload = interactive.shortcut(self.state, person, callback_id, self._trigger(person))
        return await self._send("interactive", payload)

    async def use_message_shortcut(
        self, user: str, channel: str, ts: str, callback_id: str
    ) -> Delivery:
        """Run a shortcut from a post's menu."""
        person, post = self.user_id(user), self.find(channel, ts)
        trigger, url = self._trigger(person), self._response_url(person, post)
        payload = interactive.message_shortcut(self.state, post, person, callback_id, trigger, url)
        return await self._send("interactive", payload)

    async def suggest(
        self,
        user: str,
        action_id: str,
        typed: str,
        *,
        view_id: str | None = None,
        channel: str = "",
        ts: str = "",
    ) -> JsonArray:
        """Type into an external menu of a view or of a post; returns the options offered."""
        delivery = await self.ask_options(
            user, action_id, typed, view_id=view_id, channel=channel, ts=ts
        )
        return offered_options(delivery)

    async def ask_options(
        self,
        user: str,
        action_id: str,
        typed: str,
        *,
        view_id: str | None = None,
        channel: str = "",
        ts: str = "",
    ) -> Delivery | None:
        """The same with all that the app answered; None where too little was typed to ask it."""
        person = self.user_id(user)
        blocks, place = self._place_of_menu(view_id, channel, ts)
        block_id, element = find_element(blocks, action_id)
        if len(typed) < int(element.get("min_query_length") or 0):
            return None
        payload = interactive.suggestion(self.state, person, block_id, action_id, typed, place)
        delivery = await self._send("interactive", payload, accepts_answer=True)
        self._suggestions.keep(action_id, delivery)
        return delivery

    def _place_of_menu(
        self, view_id: str | None, channel: str, ts: str
    ) -> tuple[Sequence[JsonObject], JsonObject]:
        if view_id is None:
            post = self.find_shown(channel, ts)
            return blocks_of_post(post), interactive.message_place(self.state, post)
        view = self.workspace.modals.find(view_id, None)
        return _blocks_of(view), interactive.view_place(self.state, view)

    async def slash(self, user: str, channel: str, command: str, text: str = "") -> Delivery:
        """Run a slash command; a message in the acknowledgement is posted as Slack posts it."""
        person, place = self.user_id(user), self.state.channels[self.channel_id(channel)]
        url = self.workspace.response_urls.issue(self.workspace.base_url, person, place.id)
        payload = interactive.slash_command(
            self.state, place, person, command, text, self._trigger(person), url
        )
        delivery = await self._send("slash_commands", payload, accepts_answer=True)
        if delivery.answer:
            self.workspace.response_urls.post(person, place.id, Arguments(delivery.answer))
        return delivery

    def find_shown(self, channel: str, ts: str) -> Post:
        """A post, or an ephemeral one. Raises KeyError."""
        channel_id = self.channel_id(channel)
        for post in self.state.ephemerals:
            if (post.channel, post.ts) == (channel_id, ts):
                return post
        return self.find(channel, ts)

    def _trigger(self, user: str) -> str:
        return self.workspace.triggers.issue(user)

    def _response_url(self, user: str, post: Post) -> str:
        urls = self.workspace.response_urls
        return urls.issue(self.workspace.base_url, user, post.channel, post)

    async def _send(
        self, envelope_type: str, payload: JsonObject, *, accepts_answer: bool = False
    ) -> Delivery:
        deliverer = self.workspace.deliverer
        return await deliverer.attempt(envelope_type, payload, accepts_answer=accepts_answer)


def _blocks_of(view: View) -> list[JsonObject]:
    return view.body["blocks"]
