"""The one decision on who may use the bot, for every kind of payload. Pure; closed by default."""

from dataclasses import dataclass
from typing import Literal

from bot.clicks import Refused
from bot.slack_api import Identity, Person

Reason = Literal[
    "foreign_app",
    "foreign_team",
    "bot",
    "unknown_user",
    "deactivated",
    "guest",
    "stranger",
    "channel_not_listed",
    "user_not_listed",
]

_SILENT: frozenset[Reason] = frozenset({"foreign_app", "foreign_team", "bot", "deactivated"})
"""Those to whom nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Whom the bot serves. None means not restricted; an empty set means nobody."""

    identity: Identity
    teams: frozenset[str] | None = None
    """Home teams of the people served; None means the token's own team."""
    channels: frozenset[str] | None = None
    users: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """What a payload says about itself and its author."""

    team: str
    app_id: str
    channel: str
    user: str
    user_team: str = ""
    is_bot: bool = False


def refusal(reason: Reason) -> Refused:
    """Why somebody is not served, as they are told; some are told nothing."""
    is_silent = reason in _SILENT
    return Refused("" if is_silent else f"ingress-refusal-{reason.replace('_', '-')}")


def screen(sender: Sender, rules: Rules) -> Reason | None:
    """Whether the payload alone rules its author out; needs no look-up."""
    if refused := screen_source(sender.team, sender.app_id, rules):
        return refused
    if sender.is_bot or sender.user in {rules.identity.bot_user, ""}:
        return "bot"
    return None


def screen_source(team: str, app_id: str, rules: Rules) -> Reason | None:
    """Whether a payload is not for this installation of this app, whoever it is about."""
    own = rules.identity
    if own.app_id and app_id and app_id != own.app_id:
        return "foreign_app"
    if team != own.team and team not in (rules.teams or frozenset[str]()):
        return "foreign_team"
    return None


def authorise(sender: Sender, rules: Rules, person: Person | None) -> Person | Reason:
    """The person, as Slack knows them by the payload's id, or why they may not use the bot here."""
    if refused := screen(sender, rules):
        return refused
    if person is None or person.id != sender.user:
        return "unknown_user"
    if refused := _refuse_person(sender, rules, person):
        return refused
    if rules.channels is not None and sender.channel not in rules.channels:
        return "channel_not_listed"
    if rules.users is not None and person.id not in rules.users:
        return "user_not_listed"
    return person


def _refuse_person(sender: Sender, rules: Rules, person: Person) -> Reason | None:
    if person.is_bot:
        return "bot"
    if person.is_deactivated:
        return "deactivated"
    if person.is_guest:
        return "guest"
    teams = rules.teams if rules.teams is not None else frozenset({rules.identity.team})
    homes = {person.team, sender.user_team} - {""}
    if not homes or not homes <= teams or (person.is_stranger and rules.teams is None):
        return "stranger"
    return None
