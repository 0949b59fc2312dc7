"""App Home as a view, and the same as text for the slash command. Pure.

All of it is one person's: it is shown to nobody else.
"""

from collections.abc import (
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass, field
from datetime import datetime

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from agent_core.runtime import (
    Account,
    SessionState,
    Spent,
    StoredTurn,
)
from agent_core.runtime.schedules import Schedule, ScheduleId
from agent_core.words import Words
from bot import clicks
from bot.clicks import (
    AccountClick,
    AppClick,
    ChannelClick,
    EraseClick,
    HomeScheduleClick,
    PreferenceClick,
    SessionClick,
)
from bot.digests.clicks import USUAL_TIME
from bot.digests.posts import channel_name, listing
from bot.presenter.tools import app_name
from bot.render import (
    actions,
    context,
    foreign_line,
    limits,
    local_time,
    mention,
    one_line,
    plain_text,
    section,
)
from bot.threads import parse_session
from bot.words import BOT

MAX_ROWS = 8
"""Of each list."""
ASKED_CHARS = 90
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
}
FOLLOW_UPS = ("meant", "two_party", "mention")
"""When the bot answers a reply that does not mention it; the first is what holds unless set."""
TIMES = tuple(f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30))
APPS = (
    "gmail", "googlecalendar", "googledrive", "googledocs", "googlesheets", "github", "slack",
    "notion", "linear", "jira", "hubspot", "salesforce", "outlook", "dropbox", "asana", "trello",
)  # fmt: skip
"""What is offered to be connected; any other app can be asked for in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What came of the last press."""

    text: str = ""
    links: Mapping[str, str] = field(default_factory=dict[str, str])
    """By app the link by which this person connects it."""
    channel: str = ""
    """That an admin chose, and when the bot answers there."""
    rule: str = ""
    settings: str = ""
    """What else holds there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamOverview:
    """What admins see besides."""

    spent: Spent
    latencies_s: Sequence[int]
    """Of the month's turns, ordered."""
    unfinished: Sequence[StoredTurn]
    public: Set[str]
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
    note: Note = field(default_factory=Note)
    team: TeamOverview | None = None

    @property
    def words(self) -> Words:
        return BOT.of(self.language)


def home_view(state: HomeState) -> JsonObject:
    """A person's Home."""
    blocks = [context(state.note.text)] if state.note.text else []
    blocks.append(section(state.words("home-intro")))
    for part in (_waiting, _sessions, _schedules, _accounts, _usage, _preferences, _team):
        blocks += part(state)
    return {"type": "home", "blocks": blocks[: limits.BLOCKS_PER_VIEW]}


def work_lines(sessions: Sequence[SessionState], url: str, words: Words) -> list[str]:
    """What goes on for a person, each with a link to its thread in the workspace at `url`."""
    lines: list[str] = []
    for each in sessions:
        if each.newest.outcome is None:
            link = _thread_link(url, each.id, each.asked)
            outcome = _outcome(each.newest, words)
            lines.append(f"• {link} · _{outcome}_")
    return lines


def account_line(account: Account) -> str:
    """An app, and as whom."""
    return f"*{app_name(account.toolkit)}* · {foreign_line(account.identity, ASKED_CHARS)}"


def usage_line(spent: Spent, words: Words) -> str:
    """What was asked for, and what came of it."""
    return words(
        "home-usage",
        n=spent.turns,
        reports=spent.reports,
        pages=spent.pages,
        minutes=spent.minutes,
    )


def month_line(spent: Spent, words: Words) -> str:
    """The same, of this month."""
    return f"{words('home-this-month')}: {usage_line(spent, words)}"


def _spent_line(spent: Spent, words: Words) -> str:
    """The same with tokens and money, for admins."""
    cost = f"{spent.cost_usd:.2f}"
    usage = month_line(spent, words)
    line = words("home-usage-tokens", usage=usage, tokens=spent.tokens, cost=cost)
    if spent.unpriced_calls:
        line = words("home-usage-unpriced", usage=line, n=spent.unpriced_calls)
    return line


def _recent_line(spent: Spent, latencies_s: Sequence[int], words: Words) -> str:
    """How the month's requests went, for admins."""
    return words(
        "home-recent",
        simple=_percent(spent.simple, spent.turns),
        fallbacks=_percent(spent.fallbacks, spent.simple + spent.fallbacks),
        half=latencies_s[len(latencies_s) // 2],
        most=latencies_s[len(latencies_s) * 19 // 20],
        errors=_percent(spent.errors, spent.calls),
    )


def _percent(part: int, whole: int) -> int:
    return round(100 * part / max(whole, 1))


def _waiting(state: HomeState) -> Iterator[JsonObject]:
    words = state.words
    if not state.waiting:
        return
    yield _header(words("home-waiting"))
    for turn in state.waiting[:MAX_ROWS]:
        kind = turn.wait.kind if turn.wait else "question"
        what = words(f"home-waits-{kind}")
        link = _turn_link(state.url, turn)
        yield section(f"{what}: *{link}*")
    yield from _more(len(state.waiting) - MAX_ROWS, words)


def _sessions(state: HomeState) -> Iterator[JsonObject]:
    words = state.words
    yield _header(words("home-sessions"))
    if not state.sessions:
        yield section(words("home-no-sessions"))
    for each in state.sessions[:MAX_ROWS]:
        thread = parse_session(each.id)
        channel = channel_name(thread.channel, words)
        outcome = _outcome(each.newest, words)
        link = _thread_link(state.url, each.id, each.asked)
        when = local_time(each.newest.inbound.received_at)
        text = f"*{link}*\n{channel} · {when} · _{outcome}_"
        if each.newest.outcome is None:
            yield _row(text, _stop_button(each.id, words))
        elif each.began:
            click = SessionClick(kind="home.delete", session=each.id)
            menu = clicks.dots_menu([(words("home-delete"), click)])
            sure = words("home-delete-sure")
            yield _row(text, _asking_first(menu, "home-delete", sure, words))
        else:
            yield section(text)
    yield from _more(len(state.sessions) - MAX_ROWS, words)


def _schedules(state: HomeState) -> Iterator[JsonObject]:
    yield _header(state.words("digest-listed"))
    yield from _listed(state.schedules, state)
    new = HomeScheduleClick(schedule=ScheduleId(""), verb="edit")
    yield actions(clicks.button(state.words("digest-button-new"), new))


def _listed(schedules: Sequence[Schedule], state: HomeState) -> Iterator[JsonObject]:
    rows = schedules[:MAX_ROWS]
    listed = listing(
        rows,
        state.language,
        state.now,
        click=HomeScheduleClick,
    )
    yield from listed.blocks[1:] or [section(listed.text)]
    yield from _more(len(schedules) - MAX_ROWS, state.words)


def _accounts(state: HomeState) -> Iterator[JsonObject]:
    words = state.words
    if state.accounts is None:
        return
    yield _header(words("home-accounts"))
    if not state.accounts:
        yield section(words("home-no-accounts"))
    for each in state.accounts[:MAX_ROWS]:
        click = AccountClick(account=each.id)
        sure = words("home-disconnect-sure", what=app_name(each.toolkit))
        button = clicks.button(words("home-disconnect"), click, "danger")
        row = _asking_first(button, "home-disconnect", sure, words)
        yield _row(account_line(each), row)
    yield from _more(len(state.accounts) - MAX_ROWS, words)
    elements: list[JsonObject] = []
    for app, url in state.note.links.items():
        label = words("consent-connect", what=app_name(app))
        button = clicks.button(label, AppClick(kind="home.link", app=app), "primary")
        elements.append({**button, "url": url})
    known = {each.toolkit for each in state.accounts}
    options: list[tuple[str, AppClick]] = []
    for app in sorted(APPS, key=app_name):
        if app not in known:
            click = AppClick(kind="home.connect", app=app)
            options.append((app_name(app), click))
    if options:
        elements.append(clicks.menu(words("home-connect"), options))
    if elements:
        yield actions(*elements)


def _usage(state: HomeState) -> Iterator[JsonObject]:
    yield _header(state.words("home-this-month"))
    yield section(usage_line(state.spent, state.words))


def _preferences(state: HomeState) -> Iterator[JsonObject]:
    words = state.words
    yield _header(words("home-preferences"))
    language = PreferenceClick(
        kind="home.language",
        choice=state.preferences.get("language", "auto"),
    )
    languages = {"auto": words("home-language-auto"), **LANGUAGES}
    yield _preference(words("home-language"), language, languages)
    time = PreferenceClick(
        kind="home.digest_time",
        choice=state.preferences.get("digest_time", USUAL_TIME),
    )
    times = {each: each for each in TIMES}
    yield _preference(words("home-digest-time"), time, times)
    erase = clicks.button(words("home-erase"), EraseClick(), "danger")
    sure = words("home-erase-sure")
    yield _row(words("home-erase-what"), _asking_first(erase, "home-erase", sure, words))


def _preference(
    title: str,
    chosen: PreferenceClick | ChannelClick,
    labels: Mapping[str, str],
) -> JsonObject:
    """A menu of choices, with the one that holds now."""
    options = [
        (label, chosen.model_copy(update={"choice": choice})) for choice, label in labels.items()
    ]
    return _row(title, clicks.menu(title, options, chosen))


def _team(state: HomeState) -> Iterator[JsonObject]:
    words, team = state.words, state.team
    if team is None:
        return
    yield {"type": "divider"}
    yield _header(words("home-team"))
    yield section(_spent_line(team.spent, words))
    if team.latencies_s:
        yield section(_recent_line(team.spent, team.latencies_s, words))
    for turn in team.unfinished[:MAX_ROWS]:
        asked = f"_{words('home-in-private')}_"
        if parse_session(turn.session).channel in team.public:
            link = _turn_link(state.url, turn)
            asked = f"*{link}*"
        who = mention(turn.inbound.asker)
        outcome = _outcome(turn, words)
        yield _row(f"{who} · {asked} · _{outcome}_", _stop_button(turn.session, words))
    yield from _more(len(team.unfinished) - MAX_ROWS, words)
    if team.schedules:
        yield _header(words("digest-listed"))
        yield from _listed(team.schedules, state)
    yield from _follow_ups(state.note, words)


def _follow_ups(note: Note, words: Words) -> Iterator[JsonObject]:
    """A choice of a channel, and once it is made, of when the bot answers there."""
    channels = {
        "type": "conversations_select",
        "action_id": "home.channel",
        "placeholder": plain_text(words("home-channel")),
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    yield _row(words("home-follow-ups"), channels)
    if note.channel:
        chosen = ChannelClick(kind="home.follow_ups", channel=note.channel, choice=note.rule)
        labels = {rule: words(f"home-follow-ups-{rule.replace('_', '-')}") for rule in FOLLOW_UPS}
        yield _preference(f"<#{note.channel}>", chosen, labels)
        yield section(note.settings[: limits.SECTION_CHARS])


def _row(text: str, element: JsonObject) -> JsonObject:
    """A text with a button or a menu beside it."""
    return {**section(text), "accessory": element}


def _header(text: str) -> JsonObject:
    return {"type": "header", "text": plain_text(text)}


def _more(left: int, words: Words) -> Iterator[JsonObject]:
    if left > 0:
        yield context(words("home-more", n=left))


def _stop_button(session: SessionId, words: Words) -> JsonObject:
    return clicks.button(words("home-stop"), SessionClick(kind="home.stop", session=session))


def _asking_first(element: JsonObject, key: str, sure: str, words: Words) -> JsonObject:
    """A button or menu that asks first whether it is meant."""
    label = plain_text(words(key))
    dialog = {
        "title": label,
        "text": plain_text(sure, limits.SECTION_CHARS),
        "confirm": label,
        "deny": plain_text(words("home-no")),
    }
    return {**element, "confirm": dialog}


def _turn_link(url: str, turn: StoredTurn) -> str:
    return _thread_link(url, turn.session, turn.inbound.title or turn.inbound.text)


def _thread_link(url: str, session: SessionId, asked: str) -> str:
    """What was asked, as a link to its thread."""
    thread = parse_session(session)
    label = one_line(asked, ASKED_CHARS).replace("|", "\u00a6")
    return f"<{thread.link(url)}|{label or '…'}>"


def _outcome(turn: StoredTurn, words: Words) -> str:
    outcome = turn.status if turn.outcome is None else turn.outcome
    if outcome in ("steered", "finished"):
        outcome = "answered"
    return words(f"home-state-{outcome}")
