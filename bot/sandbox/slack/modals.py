"""Views: opening, pushing, updating and publishing, for the methods and for answers of the app."""

import json
import secrets
from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.blocks import check_view
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.ids import Ids
from bot.sandbox.slack.records import View
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array


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

    def update(self, view: View, body: JsonObject, *, expected_hash: str | None = None) -> View:
        """Replace a view's content. Entered values go with the blocks that held them."""
        if expected_hash and expected_hash != view.hash:
            raise ApiError("hash_conflict")
        built = self._build(view.user, body, view.type, replacing=view)
        updated = replace(view, body=built.body, hash=built.hash, state={})
        self._state.show_view(updated)
        return updated

    def publish(self, user: str, body: JsonObject, *, expected_hash: str | None = None) -> View:
        """Set a person's App Home."""
        current = self._state.homes.get(user)
        if current is not None:
            return self.update(current, body, expected_hash=expected_hash)
        view = self._build(user, body, "home")
        self._state.show_view(view)
        return view

    def find(self, view_id: str | None, external_id: str | None) -> View:
        for view in (*self._state.views.values(), *self._state.homes.values()):
            if view.id == view_id or (external_id and view.external_id == external_id):
                return view
        raise ApiError("not_found")

    def stack_of(self, user: str) -> list[View]:
        """The user's open modals, the lowest first."""
        return [view for view in self._state.views.values() if view.user == user]

    def _build(
        self, user: str, body: JsonObject, kind: str, *, replacing: View | None = None
    ) -> View:
        check_view(body, kind)
        if len(json.dumps(body)) > limits.MAX_VIEW_BYTES:
            raise ApiError("view_too_large")
        self._check_external_id(body, replacing)
        view_id = self._state.ids.fresh("V")
        return View(
            id=view_id,
            user=user,
            type="home" if kind == "home" else "modal",
            body=_complete(body, self._state.ids),
            hash=f"{int(self._state.clock.now())}.{secrets.token_hex(4)}",
            root_view_id=view_id,
        )

    def _check_external_id(self, body: JsonObject, replacing: View | None) -> None:
        external_id = body.get("external_id")
        known = (*self._state.views.values(), *self._state.homes.values())
        others = [view for view in known if replacing is None or view.id != replacing.id]
        if external_id and any(view.external_id == external_id for view in others):
            raise ApiError("duplicate_external_id")


def _complete(body: JsonObject, ids: Ids) -> JsonObject:
    """The view with what Slack fills in: block ids and the optional fields."""
    blocks: JsonArray = as_array(body.get("blocks")) or []
    return {
        "callback_id": "",
        "private_metadata": "",
        "title": None,
        "submit": None,
        "close": None,
        "clear_on_close": False,
        "notify_on_close": False,
        **body,
        "blocks": [{"block_id": ids.fresh("b")[:5].lower(), **block} for block in blocks],
    }
