"""Modals, App Home, and the triggers that let the app open a modal."""

import secrets
from dataclasses import replace

from bot.sandbox.slack.blocks import check_view
from bot.sandbox.slack.clock import Clock
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.records import View
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject

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


class Views:
    """What people have before them: one modal each, and App Home. Every view is checked first."""

    def __init__(self, state: State) -> None:
        self._state = state

    def open(self, user: str, body: JsonObject) -> View:
        """Open a modal; one that is open already gives way."""
        view = self._build(user, body, "modal")
        if (open_one := self.modal_of(user)) is not None:
            self._state.close_view(open_one)
        self._state.show_view(view)
        return view

    def update(self, view: View, body: JsonObject, *, expected_hash: str = "") -> View:
        """Replace a view's content. Entered values go with the blocks that held them."""
        if expected_hash and expected_hash != view.hash:
            raise ApiError("hash_conflict")
        updated = replace(self._build(view.user, body, view.type), id=view.id)
        self._state.show_view(updated)
        return updated

    def publish(self, user: str, body: JsonObject, *, expected_hash: str = "") -> View:
        """Set a person's App Home."""
        if (current := self._state.homes.get(user)) is not None:
            return self.update(current, body, expected_hash=expected_hash)
        view = self._build(user, body, "home")
        self._state.show_view(view)
        return view

    def find(self, view_id: str) -> View:
        for view in (*self._state.views.values(), *self._state.homes.values()):
            if view.id == view_id:
                return view
        raise ApiError("not_found")

    def modal_of(self, user: str) -> View | None:
        """The modal that the user has open."""
        return next((view for view in self._state.views.values() if view.user == user), None)

    def _build(self, user: str, body: JsonObject, kind: str) -> View:
        check_view(body, kind)
        ids = self._state.ids
        blocks = [{"block_id": ids.fresh("b").lower(), **block} for block in body["blocks"]]
        return View(
            id=ids.fresh("V"),
            user=user,
            type="home" if kind == "home" else "modal",
            body={"callback_id": "", "private_metadata": "", **body, "blocks": blocks},
            hash=f"{int(self._state.clock.now())}.{secrets.token_hex(4)}",
        )
