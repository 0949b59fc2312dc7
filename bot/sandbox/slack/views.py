"""Modals, App Home, and the triggers that let the app open a modal."""

import json
import secrets
from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.blocks import check_view
from bot.sandbox.slack.clock import Clock
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.records import View
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject, as_object

TRIGGER_LIFETIME_S = 3.0


class Triggers:
    """A person's gesture lets the app open one modal, within three seconds, once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._issued: dict[str, tuple[str, float]] = {}
        self._used: set[str] = set()

    def issue(self, user: str) -> str:
        now_s = self._clock.now()
        trigger_id = f"{int(now_s)}.{len(self._issued) + 1}.{secrets.token_hex(16)}"
        self._issued[trigger_id] = (user, now_s + TRIGGER_LIFETIME_S)
        return trigger_id

    def exchange(self, trigger_id: str) -> str:
        """The user whose gesture it was. Raises `ApiError` when unknown, used or late."""
        if trigger_id not in self._issued:
            raise ApiError("invalid_trigger_id")
        if trigger_id in self._used:
            raise ApiError("exchanged_trigger_id")
        user, expires_s = self._issued[trigger_id]
        if self._clock.now() > expires_s:
            raise ApiError("expired_trigger_id")
        self._used.add(trigger_id)
        return user


class Modals:
    """What people have open. Every view is checked before it is shown."""

    def __init__(self, state: State) -> None:
        self._state = state

    def open(self, user: str, body: JsonObject) -> View:
        """Open a modal; one that is open already gives way."""
        view = self._build(user, body, "modal")
        for other in self.stack_of(user):
            self._state.close_view(other)
        self._state.show_view(view)
        return view

    def push(self, user: str, body: JsonObject) -> View:
        """Lay a modal on top of the user's stack of at most three."""
        stack = self.stack_of(user)
        if not stack:
            raise ApiError("not_found")
        if len(stack) >= limits.MAX_VIEW_STACK:
            raise ApiError("push_limit_reached")
        view = self._build(user, body, "modal")
        top = stack[-1]
        view = replace(view, root_view_id=top.root_view_id, previous_view_id=top.id)
        self._state.show_view(view)
        return view

    def update(self, view: View, body: JsonObject, *, expected_hash: str = "") -> View:
        """Replace a view's content. Entered values go with the blocks that held them."""
        if expected_hash and expected_hash != view.hash:
            raise ApiError("hash_conflict")
        built = self._build(view.user, body, view.type, replacing=view)
        updated = replace(view, body=built.body, hash=built.hash, state={})
        self._state.show_view(updated)
        return updated

    def publish(self, user: str, body: JsonObject, *, expected_hash: str = "") -> View:
        """Set a person's App Home."""
        if (current := self._state.homes.get(user)) is not None:
            return self.update(current, body, expected_hash=expected_hash)
        view = self._build(user, body, "home")
        self._state.show_view(view)
        return view

    def find(self, view_id: str, external_id: str = "") -> View:
        for view in self._all():
            if view.id == view_id or (external_id and view.external_id == external_id):
                return view
        raise ApiError("not_found")

    def stack_of(self, user: str) -> list[View]:
        """The user's open modals, the lowest first."""
        return [view for view in self._state.views.values() if view.user == user]

    def _all(self) -> list[View]:
        return [*self._state.views.values(), *self._state.homes.values()]

    def _build(
        self, user: str, body: JsonObject, kind: str, *, replacing: View | None = None
    ) -> View:
        check_view(body, kind)
        if len(json.dumps(body)) > limits.MAX_VIEW_BYTES:
            raise ApiError("view_too_large")
        view_id = self._state.ids.fresh("V")
        view = View(
            id=view_id,
            user=user,
            type="home" if kind == "home" else "modal",
            body=self._complete(body),
            hash=f"{int(self._state.clock.now())}.{secrets.token_hex(4)}",
            root_view_id=view_id,
        )
        others = [other.external_id for other in self._all() if other != replacing]
        if view.external_id and view.external_id in others:
            raise ApiError("duplicate_external_id")
        return view

    def _complete(self, body: JsonObject) -> JsonObject:
        """The view with what Slack fills in: block ids and the optional fields."""
        blocks = [as_object(block) or {} for block in body["blocks"]]
        return {
            "callback_id": "",
            "private_metadata": "",
            "title": None,
            "submit": None,
            "close": None,
            "clear_on_close": False,
            "notify_on_close": False,
            **body,
            "blocks": [{"block_id": self._state.ids.fresh("b").lower(), **b} for b in blocks],
        }
