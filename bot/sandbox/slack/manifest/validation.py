"""Whether Slack would take a manifest: its shape, and the rules between its parts."""

from collections.abc import Iterator

from bot.sandbox.slack.event_scopes import EVENT_SCOPES, is_granted
from bot.sandbox.slack.manifest.schema import MANIFEST
from bot.sandbox.slack.problems import Problem
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object


def find_manifest_problems(manifest: JsonObject) -> list[Problem]:
    """What `apps.manifest.validate` would complain of; an empty list for a manifest that passes.

    Of the codes only `failed_constraint` and `requires_commands_bot_scope` are documented.
    """
    problems: list[Problem] = []
    MANIFEST.check(manifest, "", problems)
    return problems or [
        *_find_missing_scopes(manifest),
        *_find_missing_urls(manifest),
        *_find_loose_options(manifest),
    ]


def _find_missing_scopes(manifest: JsonObject) -> Iterator[Problem]:
    scopes = _array_at(manifest, "oauth_config", "scopes", "bot")
    if _array_at(manifest, "features", "slash_commands") and "commands" not in scopes:
        yield Problem(
            message="Slash Commands requires `commands` bot scope",
            pointer="/features/slash_commands",
            code="requires_commands_bot_scope",
        )
    events = _array_at(manifest, "settings", "event_subscriptions", "bot_events")
    for index, event in enumerate(events):
        if not is_granted(event, scopes):
            yield Problem(
                message=f"{event} requires bot scope {' or '.join(EVENT_SCOPES[event])}",
                pointer=f"/settings/event_subscriptions/bot_events/{index}",
                code="requires_event_scope",
            )


def _find_missing_urls(manifest: JsonObject) -> Iterator[Problem]:
    """Without Socket Mode Slack needs to know where to send what."""
    if _object_at(manifest, "settings").get("socket_mode_enabled"):
        return
    subscriptions = _object_at(manifest, "settings", "event_subscriptions")
    if subscriptions and not subscriptions.get("request_url"):
        yield Problem(
            message="Event Subscriptions requires either Request URL or Socket Mode Enabled",
            pointer="/settings/event_subscriptions",
            code="requires_request_url",
        )
    for index, command in enumerate(_array_at(manifest, "features", "slash_commands")):
        if not command.get("url"):
            yield Problem(
                message="Slash Command requires either URL or Socket Mode Enabled",
                pointer=f"/features/slash_commands/{index}",
                code="requires_request_url",
            )


def _find_loose_options(manifest: JsonObject) -> Iterator[Problem]:
    """An optional scope must stand among the scopes, too."""
    scopes = _object_at(manifest, "oauth_config", "scopes")
    for kind in ("bot", "user"):
        known = as_array(scopes.get(kind)) or []
        for index, scope in enumerate(as_array(scopes.get(f"{kind}_optional")) or []):
            if scope not in known:
                yield Problem(
                    message=f"optional scope {scope} is not among the {kind} scopes",
                    pointer=f"/oauth_config/scopes/{kind}_optional/{index}",
                    code="optional_scope_not_requested",
                )


def _object_at(manifest: JsonObject, *names: str) -> JsonObject:
    found = manifest
    for name in names:
        found = as_object(found.get(name)) or {}
    return found


def _array_at(manifest: JsonObject, *names: str) -> JsonArray:
    *path, last = names
    return as_array(_object_at(manifest, *path).get(last)) or []
