"""What is told of a turn's work to who asks how far it is, and when it was stopped."""

import pytest

from agent_core.events import AnyEvent, Outcome, Source
from agent_core.ids import ROOT_RUN, RunId
from agent_core.messages import JsonObject
from agent_core.runtime.turn_status import TurnStatus
from agent_core.sessions import Stop
from agent_core.words import CORE, Language
from agent_core.workspaces import SourceFacts
from tests.agent_core.turn_events import CRAWL, START, at, made

BATCH = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"
STOP = Stop(by="Ben", why="asked")
DELETED = Stop(by="", why="deleted")
PRICES, REPORT = RunId("root.part1"), RunId("root.t1")
GO_ON = "Reply “continue” and I go on from there."
ADD = "To add something, just write; “stop” ends it."


def part(run: RunId, title: str, agent: str = "explorer") -> AnyEvent:
    return made("run_started", run=run, agent=agent, title=title)


def ended(run: RunId, text: str, outcome: Outcome = "answered") -> AnyEvent:
    return made("run_finished", run=run, outcome=outcome, text=text)


def thought(text: str = "", run: RunId = ROOT_RUN) -> AnyEvent:
    return made("step_finished", run=run, text=text)


def called(
    tool: str, arguments: JsonObject | None = None, *, call: str = "c1", run: RunId = ROOT_RUN
) -> AnyEvent:
    return made("tool_call_started", run=run, call_id=call, tool=tool, arguments=arguments or {})


def returned(tool: str, *sources: Source, run: RunId = ROOT_RUN, unsure: bool = False) -> AnyEvent:
    end = {"tool": tool, "is_error": unsure, "may_have_happened": unsure}
    return made("tool_call_finished", run=run, **end, sources=sources)


def read(*titles: str, run: RunId = ROOT_RUN) -> list[AnyEvent]:
    """Pages of these titles, read in one call."""
    pages = [Source(url=f"https://{t.lower()}.test/a", title=t) for t in titles]
    return [called(CRAWL, run=run), returned(CRAWL, *pages, run=run)]


def saved() -> AnyEvent:
    return made("artifact_saved", path="work_products/a.html", title="Heat pumps")


def mail(**more: object) -> JsonObject:
    arguments = {"recipient_email": "ann@b.test", "body": "Hello", **more}
    return {"tools": [{"tool_slug": "GMAIL_SEND_EMAIL", "arguments": arguments}]}


def asked_after(seconds: float, *events: AnyEvent, language: Language = "en") -> str:
    now = TurnStatus([made("turn_started"), *events])
    return now.progress(at(seconds), CORE.of(language))


MENU = "[Home](/) | [News](/n) | Log in\n\n# Pumps\n\n* Read more …\n\n... since then it grew\n\n"
KNOWN = {
    "https://heise.test/a": SourceFacts(
        gist=f"{MENU}By Jo · 3 min read · **Pumps** got [9.5 %](/p) cheaper. And they sel"
    ),
    "https://taz.test/a": SourceFacts(gist="Skip to content\nThe price of pumps fell in all of…"),
    "https://faz.test/a": SourceFacts(gist="Faz Pumps pay for themselves within ten years."),
}


def stopped(stop: Stop, *events: AnyEvent, left_out: tuple[str, ...] = ()) -> str:
    now = TurnStatus([made("turn_started"), *events])
    words = CORE.of("en")
    findings = now.findings(words, KNOWN)
    return now.stopped(stop, words, findings, left_out=left_out)


@pytest.mark.proves("stop.found")
def test_a_stop_says_what_was_found_with_links_and_how_it_goes_on() -> None:
    said = stopped(
        STOP,
        part(PRICES, "Prices"),
        *read("Heise", "Taz", "Faz", run=PRICES),
        thought("# Prices\n\n- They fell by 9 %.\n\n| a | b |", PRICES),
        saved(),
    )
    assert said == (
        "Ben stopped this. This is what I have so far:\n\n"
        "- **Prices:** They fell by 9 %.\n\n"
        "From the pages I have read:\n\n"
        "- Pumps got 9.5 % cheaper. ([Heise](<https://heise.test/a>))\n- [Taz](<https://taz.test/a>)\n"
        "- Pumps pay for themselves within ten years. ([Faz](<https://faz.test/a>))\n\n"
        "Already written: “Heat pumps”.\n\n"
        f"{GO_ON}"
    )


def test_a_stop_before_anything_was_found_invents_nothing() -> None:
    assert stopped(STOP, thought()) == f"Ben stopped this. I had nothing to show yet. {GO_ON}"


def test_where_no_page_was_read_those_that_were_found_are_told() -> None:
    found = Source(url="https://heat.test/a", title="Heat")
    searched = [called("search_web"), returned("search_web", found)]
    listed = "From search results, not read yet:\n\n- [Heat](<https://heat.test/a>)"
    assert listed in stopped(STOP, *searched)
    assert "not read yet" not in stopped(STOP, *searched, *read("Pumps"))


def test_the_last_words_are_quoted_where_no_part_has_said_anything_since() -> None:
    early, late = thought("I look into it."), thought("Both are cheap.")
    of_part = thought("They fell by 9 %.", PRICES)
    begin = part(PRICES, "")
    assert "> Both are cheap." in stopped(STOP, early, begin, of_part, late)
    assert "- They fell by 9 %." in stopped(STOP, early, begin, of_part, late)
    assert "I look into it." not in stopped(STOP, early, begin, of_part)


def test_a_part_that_has_ended_is_told_by_its_result_and_a_failed_one_by_its_own_words() -> None:
    first = [part(PRICES, "Prices"), thought("I search.", PRICES)]
    assert "- **Prices:** 9 % less." in stopped(STOP, *first, ended(PRICES, "9 % less."))
    failed = stopped(STOP, *first, ended(PRICES, "The sub-agent could not finish.", "failed"))
    assert "- **Prices:** I search." in failed
    assert "sub-agent" not in failed


def test_what_is_long_is_cut_behind_a_sentence_and_many_pages_are_counted() -> None:
    told = stopped(STOP, thought("It is so. " * 100), *read(*"ABCDEFGH"))
    [quoted] = [line for line in told.splitlines() if line.startswith("> ")]
    assert quoted == "> It is so."
    assert "- [E](<https://e.test/a>)\n- and 3 more" in told


def test_titles_of_pages_cannot_end_their_link() -> None:
    page = Source(url="https://a.test/x_(y)", title="A](https://evil.test) [b `c`")
    told = stopped(STOP, called(CRAWL), returned(CRAWL, page))
    assert "[A)(https://evil.test) (b 'c'](<https://a.test/x_(y)>)" in told


def test_after_a_deletion_only_what_is_left_behind_is_told() -> None:
    first = "Stopped, because the message that asked for it was deleted."
    assert stopped(DELETED, thought("Three of five."), *read("Heise")) == first
    left = stopped(DELETED, called(BATCH, mail()), saved())
    assert left.startswith(f"{first} Already written: “Heat pumps”. I cannot tell")
    assert "continue" not in left


def test_what_was_added_too_late_is_named() -> None:
    said = stopped(STOP, left_out=("and `Poland`",))
    assert f"Not looked at yet: “and 'Poland'”. {GO_ON}" in said


@pytest.mark.parametrize(
    ("tool", "arguments", "deed"),
    [
        (BATCH, mail(), "sending the message to ann@b.test"),
        ("mcp__composio__SLACK_SEND_MESSAGE", {"channel": "#a"}, "sending the message to #a"),
        (
            "mcp__composio__GOOGLECALENDAR_CREATE_EVENT",
            {"summary": "Lunch"},
            "“create event” in Google Calendar",
        ),
        ("mcp__composio__GOOGLEDOCS_CREATE_DOCUMENT", {}, "“create document” in Google Docs"),
        ("mcp__jira__copy_board", {}, "“copy board” in Jira"),
        ("send", {}, "“send”"),
    ],
)
def test_what_may_have_happened_is_told_as_a_deed(
    tool: str, arguments: JsonObject, deed: str
) -> None:
    lost = [made("turn_started"), called(tool, arguments), returned(tool, unsure=True)]
    assert TurnStatus(lost).unsure(CORE.of("en")) == (
        f"I cannot tell whether this was done: {deed}. Please check before it is done again."
    )
    assert f": {deed}." in stopped(STOP, called(tool, arguments))


def test_what_stays_in_the_workspace_is_nobodys_worry() -> None:
    tool = "mcp__local_toolkit__write_local_file"
    assert TurnStatus([called(tool), returned(tool, unsure=True)]).unsure(CORE.of("en")) == ""


def test_who_asks_how_far_it_is_hears_of_pages_and_of_what_it_is_at() -> None:
    report = part(REPORT, "Write it up", "report-creation-expert")
    told = asked_after(90, *read("A", "B"), report)
    assert told == (
        "I have been at it for 1 min 30 s and have read 2 pages. "
        f"Right now I am writing the report. {ADD}"
    )
    reading = asked_after(20, report, called(CRAWL, run=REPORT))
    assert reading == f"I have been at it for 20 s. Right now I am writing the report. {ADD}"
    parts = asked_after(20, part(PRICES, "Prices"), part(RunId("root.part2"), "Subsidies"))
    assert "Right now I am looking into “Prices”, “Subsidies”." in parts
    one_left = asked_after(20, part(PRICES, "Prices"), ended(PRICES, "9 %"))
    assert one_left == f"I have been at it for 20 s. {ADD}"


def test_a_first_step_that_takes_long_has_not_just_begun() -> None:
    assert asked_after(90).startswith("I have been at it for 1 min 30 s.")
    assert asked_after(90, language="de").startswith("Ich bin seit 1 min 30 s dabei.")
    assert asked_after(5) == f"I have just begun. {ADD}"
    away = made("step_retried", 30, reason="", wait_s=8, given_up_at=at(600))
    assert f"I keep trying until {at(600):%H:%M};" in asked_after(90, away)


def test_a_turn_that_waits_says_for_what() -> None:
    ask = {"ask": "k", "call_id": "c"}
    asked = ask | {"asker": "T:U", "deadline": START}
    call = {"tool": BATCH, "actions": (), "digest": "d", "is_tainted": False}
    question = made("question_asked", question="?", options=(), **asked)
    approval = made("approval_requested", **asked, **call, may_allow_thread=False)
    decided = made("ask_decided", **ask, verdict="approved", by="T:U", reason="")
    assert asked_after(9, question) == "I am waiting for an answer to my question above."
    assert asked_after(9, approval) == "I am waiting for a click on my request above."
    assert asked_after(9, approval, decided) == f"I have just begun. {ADD}"
    assert asked_after(9, question, made("step_started")) == f"I have just begun. {ADD}"


@pytest.mark.parametrize("language", CORE.languages)
def test_no_name_of_a_tool_and_no_path_is_told_in_any_language(language: str) -> None:
    events = [
        made("turn_started"),
        part(REPORT, "", "report-creation-expert"),
        called(BATCH, mail(attachment="work_products/secret.pdf")),
        called("mcp__local_toolkit__run_python", call="c2", run=REPORT),
        saved(),
    ]
    words, now = CORE.of(language), TurnStatus(events)
    told = [now.stopped(STOP, words), now.stopped(DELETED, words), now.progress(START, words)]
    for internal in ("`", "_", "work_products", "report-creation-expert", "GMAIL", "root.t1"):
        assert internal not in " ".join(told)
