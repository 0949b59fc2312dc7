"""App Home as a view, and the same as text for the slash command. Pure.

All of it is one person's: it is shown to nobody else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from agent_core.runtime import Account, SessionState, Spent, StoredTurn
from agent_core.runtime.schedules import Schedule
from agent_core.words import Words
from bot.digests.posts import listing
from bot.presenter.tools import app_name
from bot.render import (
    actions,
    button,
    context,
    foreign_line,
    limits,
    mention,
    one_line,
    plain_text,
    section,
)
from bot.threads import ThreadRef, parse_session
from bot.words import BOT

PREFIX = "home."
"""Of the names of all that is pressed on App Home."""
MAX_ROWS = 8
"""Of each list."""
ASKED_CHARS = 90
LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français"}
FOLLOW_UPS = ("meant", "two_party", "mention")
"""When the bot answers a reply that does not mention it; the first is what holds unless set."""
USUAL_TIME = "09:00"
TIMES = tuple(f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30))
APPS = (
    "gmail", "googlecalendar", "googledrive", "googledocs", "googlesheets", "github", "slack",
    "notion", "linear", "jira", "hubspot", "salesforce", "outlook", "dropbox", "asana", "trello",
)  # fmt: skip
"""What is offered to be connected; any other app can be asked for in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown of the last press."""

    note: str = ""
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    """By app the link by which this person connects it."""
    rule: str = ""
    """A channel that an admin chose, and when the bot answers there: `C0123 mention`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamOverview:
    """What admins see besides."""

    spent: Spent
    unfinished: Sequence[StoredTurn]
    public: frozenset[str]
    """Channels whose threads may be named here; of others only that there is work."""
    schedules: Sequence[Schedule]


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeState:
    """What one person sees."""

    language: str
    now: datetime
    url: str
    """Of the workspace."""
    spent: Spent
    sessions: Sequence[SessionState] = ()
    waiting: Sequence[StoredTurn] = ()
    schedules: Sequence[Schedule] = ()
    accounts: Sequence[Account] | None = None
    """None where accounts cannot be had."""
    preferences: Mapping[str, str] = field(default_factory=dict[str, str])
    shown: Shown = field(default_factory=Shown)
    team: TeamOverview | None = None

    @property
    def words(self) -> Words:
        return BOT.of(self.language)


def home_view(seen: HomeState) -> JsonObject:
    """A person's Home."""
    blocks = [context(seen.shown.note)] if seen.shown.note else []
    for part in (_waiting, _sessions, _schedules, _accounts, _usage, _preferences, _team):
        blocks += part(seen)
    return {"type": "home", "blocks": blocks[: limits.BLOCKS_PER_VIEW]}


def work_lines(sessions: Sequence[SessionState], url: str, words: Words) -> list[str]:
    """What goes on for a person, each with a link to its thread in the workspace at `url`."""
    return [
        f"• {_thread(url, each.id, each.asked)} · _{_state(each.newest, words)}_"
        for each in sessions
        if each.newest.outcome is None
    ]


def account_line(account: Account) -> str:
    """An app, and as whom."""
    return f"*{app_name(account.toolkit)}* · {foreign_line(account.identity, ASKED_CHARS)}"


def usage_line(spent: Spent, words: Words) -> str:
    """What was asked for, and what it took."""
    return words("home-usage", n=spent.turns, tokens=spent.tokens)


def _waiting(seen: HomeState) -> Iterator[JsonObject]:
    words = seen.words
    if not seen.waiting:
        return
    yield _head(words("home-waiting"))
    for turn in seen.waiting[:MAX_ROWS]:
        what = words(f"home-waits-{turn.wait.kind if turn.wait else 'question'}")
        yield section(f"{what}: *{_thread(seen.url, turn.session, turn.inbound.text)}*")
    yield from _more(len(seen.waiting) - MAX_ROWS, words)


def _sessions(seen: HomeState) -> Iterator[JsonObject]:
    words = seen.words
    yield _head(words("home-sessions"))
    if not seen.sessions:
        yield section(words("home-no-sessions"))
    for each in seen.sessions[:MAX_ROWS]:
        place, state = _place(parse_session(each.id), words), _state(each.newest, words)
        row = section(f"*{_thread(seen.url, each.id, each.asked)}*\n{place} · _{state}_")
        if each.newest.outcome is None:
            row["accessory"] = button(f"{PREFIX}stop", words("home-stop"), each.id)
        elif each.began:
            delete = button(f"{PREFIX}delete", words("home-delete"), each.id)
            row["accessory"] = delete | _confirm(words, "home-delete", words("home-delete-sure"))
        yield row
    yield from _more(len(seen.sessions) - MAX_ROWS, words)


def _schedules(seen: HomeState) -> Iterator[JsonObject]:
    yield _head(seen.words("digest-listed"))
    yield from _listed(seen.schedules, seen)


def _listed(schedules: Sequence[Schedule], seen: HomeState) -> Iterator[JsonObject]:
    listed = listing(schedules[:MAX_ROWS], seen.language, seen.now, menu=f"{PREFIX}schedule")
    yield from listed.blocks[1:] or [section(listed.text)]
    yield from _more(len(schedules) - MAX_ROWS, seen.words)


def _accounts(seen: HomeState) -> Iterator[JsonObject]:
    words = seen.words
    if seen.accounts is None:
        return
    yield _head(words("home-accounts"))
    if not seen.accounts:
        yield section(words("home-no-accounts"))
    for each in seen.accounts[:MAX_ROWS]:
        sure = words("home-disconnect-sure", what=app_name(each.toolkit))
        off = button(f"{PREFIX}disconnect", words("home-disconnect"), each.id, "danger")
        accessory = off | _confirm(words, "home-disconnect", sure)
        yield section(account_line(each)) | {"accessory": accessory}
    yield from _more(len(seen.accounts) - MAX_ROWS, words)
    links = [
        button(f"{PREFIX}link", words("consent-connect", what=app_name(app)), app, "primary")
        | {"url": link}
        for app, link in seen.shown.links.items()
    ]
    known = {each.toolkit for each in seen.accounts}
    options = {app: app_name(app) for app in APPS if app not in known}
    yield actions(*links, _menu("connect", options, "", words("home-connect")))


def _usage(seen: HomeState) -> Iterator[JsonObject]:
    yield _head(seen.words("home-this-month"))
    yield section(usage_line(seen.spent, seen.words))


def _preferences(seen: HomeState) -> Iterator[JsonObject]:
    words = seen.words
    yield _head(words("home-preferences"))
    options = {"auto": words("home-language-auto"), **LANGUAGES}
    chosen = seen.preferences.get("language", "auto")
    menu = _menu("language", options, chosen, words("home-language"))
    yield section(words("home-language")) | {"accessory": menu}
    at = seen.preferences.get("digest_time", USUAL_TIME)
    times = _menu("digest_time", {time: time for time in TIMES}, at, words("home-digest-time"))
    yield section(words("home-digest-time")) | {"accessory": times}


def _team(seen: HomeState) -> Iterator[JsonObject]:
    words, team = seen.words, seen.team
    if team is None:
        return
    yield {"type": "divider"}
    yield _head(words("home-team"))
    yield section(f"{words('home-this-month')}: {usage_line(team.spent, words)}")
    for turn in team.unfinished[:MAX_ROWS]:
        told = f"_{words('home-in-private')}_"
        if parse_session(turn.session).channel in team.public:
            told = f"*{_thread(seen.url, turn.session, turn.inbound.text)}*"
        who, state = mention(turn.inbound.asker), _state(turn, words)
        stop = button(f"{PREFIX}stop", words("home-stop"), turn.session)
        yield section(f"{who} · {told} · _{state}_") | {"accessory": stop}
    yield from _more(len(team.unfinished) - MAX_ROWS, words)
    if team.schedules:
        yield _head(words("digest-listed"))
        yield from _listed(team.schedules, seen)
    pick = {
        "type": "conversations_select",
        "action_id": f"{PREFIX}channel",
        "placeholder": plain_text(words("home-channel")),
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    yield section(words("home-follow-ups")) | {"accessory": pick}
    if chosen := seen.shown.rule:
        channel = chosen.partition(" ")[0]
        named = [(rule, words(f"home-follow-ups-{rule.replace('_', '-')}")) for rule in FOLLOW_UPS]
        options = {f"{channel} {rule}": label for rule, label in named}
        menu = _menu("follow_ups", options, chosen, words("home-channel"))
        yield section(f"<#{channel}>") | {"accessory": menu}


def _head(text: str) -> JsonObject:
    return {"type": "header", "text": plain_text(text)}


def _more(left: int, words: Words) -> Iterator[JsonObject]:
    if left > 0:
        yield context(words("home-more", n=left))


def _confirm(words: Words, title: str, text: str) -> JsonObject:
    shown = {"title": words(title), "text": text, "confirm": words(title), "deny": words("home-no")}
    return {
        "confirm": {name: plain_text(each, limits.SECTION_CHARS) for name, each in shown.items()}
    }


def _menu(name: str, options: Mapping[str, str], chosen: str, placeholder: str) -> JsonObject:
    made = {key: {"text": plain_text(label), "value": key} for key, label in options.items()}
    initial = {"initial_option": made[chosen]} if chosen in made else {}
    menu = {"type": "static_select", "action_id": f"{PREFIX}{name}", "options": [*made.values()]}
    return {**menu, "placeholder": plain_text(placeholder), **initial}


def _thread(url: str, session: SessionId, asked: str) -> str:
    """What was asked, as a link to its thread."""
    thread = parse_session(session)
    label = one_line(asked, ASKED_CHARS).replace("|", "\u00a6") or "…"
    return f"<{url}archives/{thread.channel}/p{thread.root_ts.replace('.', '')}|{label}>"


def _place(thread: ThreadRef, words: Words) -> str:
    return words("digest-in-private") if thread.channel.startswith("D") else f"<#{thread.channel}>"


def _state(turn: StoredTurn, words: Words) -> str:
    state = turn.status if turn.outcome is None else turn.outcome
    return words(f"home-state-{'answered' if state in ('steered', 'finished') else state}")
