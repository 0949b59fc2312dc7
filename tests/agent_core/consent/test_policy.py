"""The shipped policy, and what no policy of an operator can bring about."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.consent.policy import (
    AFTER_OUTSIDE_TEXT,
    Judgement,
    Policy,
    PolicyRule,
    read_policy,
    read_rules,
)
from agent_core.consent.policy import SHIPPED as SHIPPED_FILE
from agent_core.errors import SettingsError
from agent_core.tools import OpenedCall, full_name
from tests.agent_core.consent.calls import batch, call, entry

SHIPPED = read_policy()
COMPOSIO = "mcp__composio__"
EFFECTS = [
    "mcp__composio__GMAIL_SEND_EMAIL",
    "mcp__composio__GMAIL_REPLY_TO_THREAD",
    "mcp__composio__GMAIL_CREATE_EMAIL_DRAFT",
    "mcp__composio__SLACK_SEND_MESSAGE",
    "mcp__composio__SLACK_CHAT_POST_MESSAGE",
    "mcp__composio__GOOGLECALENDAR_CREATE_EVENT",
    "mcp__composio__GOOGLECALENDAR_DELETE_EVENT",
    "mcp__composio__GOOGLEDRIVE_ADD_FILE_SHARING_PREFERENCE",
    "mcp__composio__STRIPE_CREATE_REFUND",
    "mcp__composio__STRIPE_CHARGE_LIST",
    "mcp__composio__GMAIL_MARK_AS_READ",
    "mcp__composio__gmail_send_email",
    "mcp__composio__COMPOSIO_PROXY_EXECUTE",
    "mcp__rube__RUBE_EXECUTE_RECIPE",
    "mcp__files__deleteEverything",
    "mcp__files__getAndDeleteFile",
    "mcp__files__LIST_DElete",
    "mcp__files__frobnicate",
    "mcp__files__send__list",
    "mcp__list__purge",
    "mcp__evil__Task",
    "mcp__evil__find_tools_and_run",
    "mcp__evil__COMPOSIO_MANAGE_CONNECTIONS",
    "mcp__Local_Toolkit__write_local_file",
    "mcp__local_toolkit2__write_local_file",
    "mcp__web_reader__write_page",
    "mcp__edgartools__run_code",
    "mcp__video_mail__check_in",
    "send",
]
READS = [
    "mcp__composio__GMAIL_FETCH_EMAILS",
    "mcp__composio__GOOGLECALENDAR_EVENTS_LIST",
    "mcp__composio__COMPOSIO_SEARCH_WEB",
    "mcp__local_toolkit__search_web",
    "mcp__composio__STRIPE_GET_CHARGE",
    "mcp__composio__GOOGLEDRIVE_DOWNLOAD_FILE",
    "mcp__files__readFile",
    "mcp__youtube__search_videos",
    "mcp__youtube__download_video",
    "mcp__web_reader__webReader",
    "mcp__zai_vision__analyze_image",
    "mcp__zai_vision__ui_diff_check",
    "mcp__edgartools__edgar_company",
]
OURS = [
    "Task",
    "ask_user",
    "find_tools",
    "mcp__local_toolkit__write_local_file",
    "mcp__local_toolkit__write_report",
    "mcp__local_toolkit__workbench_download",
    "mcp__composio__COMPOSIO_SEARCH_TOOLS",
    "mcp__rube__RUBE_SEARCH_TOOLS",
    "mcp__composio__COMPOSIO_GET_TOOL_SCHEMAS",
    "mcp__composio__COMPOSIO_MANAGE_CONNECTIONS",
]
CODE = [
    "mcp__composio__COMPOSIO_REMOTE_WORKBENCH",
    "mcp__composio__COMPOSIO_REMOTE_BASH_TOOL",
    "mcp__composio__CODEINTERPRETER_EXECUTE_CODE",
]


def clean(made: OpenedCall) -> Judgement:
    return SHIPPED.judge(made, is_tainted=False)


def tainted(made: OpenedCall) -> Judgement:
    return SHIPPED.judge(made, is_tainted=True)


@pytest.mark.parametrize("name", EFFECTS)
def test_what_has_an_effect_asks_before_and_after_the_taint(name: str) -> None:
    for judgement in (clean(call(name)), tainted(call(name))):
        assert (judgement.verdict, judgement.has_effect) == ("ask", True)


@pytest.mark.parametrize("name", [*READS, *OURS])
def test_reading_and_what_stays_in_the_session_is_free(name: str) -> None:
    for judgement in (clean(call(name)), tainted(call(name))):
        assert (judgement.verdict, judgement.has_effect) == ("allow", False)


@pytest.mark.parametrize("name", ["workbench_upload", "upload_to_composio"])
def test_a_file_for_the_askers_own_workbench_is_free_and_audited(name: str) -> None:
    judgement = tainted(call(f"mcp__local_toolkit__{name}", path="report.html"))
    assert (judgement.verdict, judgement.has_effect) == ("allow", True)


@pytest.mark.parametrize("name", [*CODE, "mcp__video_audio__ffmpeg_trim"])
def test_code_and_films_are_free_until_text_from_outside_was_read(name: str) -> None:
    made = call(name, code_to_execute="print(1)")
    assert clean(made).verdict == "allow"
    assert tainted(made).verdict == "ask"
    assert AFTER_OUTSIDE_TEXT in tainted(made).reason


WORKBENCH = "mcp__composio__COMPOSIO_REMOTE_WORKBENCH"
CONNECTING = "mcp__composio__COMPOSIO_MANAGE_CONNECTIONS"
WEATHER = "mcp__weather__get_weather"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (WORKBENCH, {"code_to_execute": "x = 1\nrun_composio_tool('GMAIL_SEND_EMAIL', {})\n"}),
        (WORKBENCH, {"code_to_execute": "proxy_execute(x)"}),
        (WORKBENCH, {"code_to_execute": " " * 5_000 + "run_composio_tool('X', {})"}),
        (CONNECTING, {"toolkits": ["gmail"], "reinitiate_all": True}),
        (CONNECTING, {"toolkits": ["gmail"], "reinitiate_all": "true"}),
        (CONNECTING, {"toolkits": ["gmail"], "reinitiate_all": 1}),
        (CONNECTING, {"toolkits": ["gmail"], "Reinitiate_All": "yes"}),
        (CONNECTING, {"toolkits": [{"name": "gmail", "action": "remove"}]}),
        (CONNECTING, {"remove": ["gmail"]}),
        (WEATHER, {"city": "Rome", "content_from_reading_ssh_id_rsa": ""}),
        (WEATHER, {"options": [{"System_Prompt": "You are"}]}),
        ("mcp__files__delete_file", {"readOnlyHint": True, "annotations": {"readOnlyHint": True}}),
        ("mcp__composio__AWS_LIST_SECRETS", {}),
    ],
)
def test_what_gets_around_replaces_accounts_or_asks_for_secrets_is_asked_for(
    name: str, arguments: dict[str, Any]
) -> None:
    assert clean(call(name, **arguments)).verdict == "ask"


def test_connecting_an_account_asks_nobody() -> None:
    made = call(
        "mcp__composio__COMPOSIO_MANAGE_CONNECTIONS",
        toolkits=["gmail"],
        reinitiate_all=False,
        session_id="abcd",
    )
    assert tainted(made).verdict == "allow"


def test_a_batch_is_as_strict_as_its_strictest_entry_and_tells_them_apart() -> None:
    judgement = clean(batch(entry("GMAIL_FETCH_EMAILS"), entry("GMAIL_SEND_EMAIL", to="a@x.test")))
    assert judgement.verdict == "ask"
    assert judgement.reason.startswith("GMAIL_SEND_EMAIL: ")
    assert [each.verdict for each in judgement.actions] == ["allow", "ask"]
    assert clean(batch(entry("GMAIL_FETCH_EMAILS"))).verdict == "allow"


def test_a_tool_in_a_batch_is_judged_as_if_it_were_called_by_itself() -> None:
    for name in [*EFFECTS[:9], *READS[:5], *CODE]:
        slug = name.removeprefix(COMPOSIO)
        assert tainted(batch(entry(slug))).verdict == tainted(call(name)).verdict, slug


def test_its_own_answer_is_put_right_freely_until_outside_text_and_removed_by_a_click() -> None:
    correct, remove = call("correct_my_answer", text="42"), call("remove_my_post", what="It is 41")
    verdicts = [
        SHIPPED.judge(made, is_tainted=is_tainted).verdict
        for made in (correct, remove)
        for is_tainted in (False, True)
    ]
    assert verdicts == ["allow", "ask", "ask", "ask"]
    assert SHIPPED.judge(correct, is_tainted=False).has_effect
    assert SHIPPED.judge(call("mcp__evil__correct_my_answer"), is_tainted=False).verdict == "ask"


def test_what_cannot_be_read_is_refused_whatever_an_operator_allows() -> None:
    rule = PolicyRule(rule="all", verdict="allow", stays_inside=True, even_when_tainted=True)
    judgement = Policy(rules=(rule,)).judge(batch({"what": "ever"}), is_tainted=False)
    assert judgement.verdict == "refuse"
    lookalike = batch(entry("GMAIL_FETCH_EM\u0410ILS"))
    assert clean(lookalike).verdict == "refuse"


def test_a_name_that_was_cut_may_have_lost_its_word_of_change() -> None:
    whole = call(full_name("files", "list_" + "x" * 80))
    cut = call(full_name("files", "list_" + "x" * 200 + "_and_delete"))
    assert "delete" not in cut.name
    assert (clean(whole).verdict, clean(cut).verdict) == ("allow", "ask")


@pytest.mark.parametrize(
    "name",
    [
        "mcp__local_toolkit__crawl_parallel",
        "mcp__web_reader__webReader",
        "mcp__composio__COMPOSIO_SEARCH_FETCH_URL_CONTENT",
        "mcp__youtube__ytdlp_download_video",
    ],
)
def test_after_the_taint_addresses_must_have_been_seen(name: str) -> None:
    made = call(name, urls=["https://a.test/1", "b.test/2"])
    assert clean(made).addresses == ()
    assert tainted(made).verdict == "allow"
    assert tainted(made).addresses == ("https://a.test/1", "b.test/2")


def test_what_the_agent_writes_into_its_own_files_may_hold_any_address() -> None:
    made = call("mcp__local_toolkit__write_local_file", content="https://a.test/1")
    assert tainted(made).addresses == ()


def test_an_operators_rules_come_first(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(
        "rules:\n"
        "- {rule: no payments, tools: [STRIPE_*], verdict: refuse}\n"
        "- {rule: issues, tools: [GITHUB_CREATE_AN_ISSUE], verdict: allow}\n"
        "- {rule: ours, tools: [mcp__wiki__*], verdict: allow, even_when_tainted: true}\n",
        encoding="utf-8",
    )
    policy = read_policy(file)

    def verdicts(name: str) -> list[str]:
        return [policy.judge(call(name), is_tainted=is_so).verdict for is_so in (False, True)]

    assert verdicts("mcp__composio__STRIPE_GET_CHARGE") == ["refuse", "refuse"]
    assert verdicts("mcp__composio__GITHUB_CREATE_AN_ISSUE") == ["allow", "ask"]
    assert verdicts("mcp__wiki__create_page") == ["allow", "allow"]
    assert verdicts("mcp__composio__GMAIL_SEND_EMAIL") == ["ask", "ask"]
    assert policy.judge(call("mcp__composio__STRIPE_PAY"), is_tainted=False).reason == (
        "STRIPE_PAY: no payments"
    )


PATTERNS = st.sampled_from(["*", "GMAIL_*", "mcp__*__*", "mcp__composio__*", "*SEND*", "agent__*"])
READING_RULES = st.builds(
    PolicyRule,
    rule=st.just("of the operator"),
    kind=st.just("reads"),
    tools=st.none() | st.lists(PATTERNS, min_size=1, max_size=3),
    arguments=st.dictionaries(
        st.sampled_from(["to", "x"]), st.sampled_from(["*", True]), max_size=1
    ),
    verdict=st.sampled_from(["allow", "ask", "refuse"]),
    stays_inside=st.booleans(),
    even_when_tainted=st.booleans(),
)
ANY_RULES = st.builds(
    PolicyRule,
    rule=st.just("of the operator"),
    tools=st.none() | st.lists(PATTERNS, min_size=1, max_size=3),
    verdict=st.sampled_from(["allow", "ask", "refuse"]),
)


@settings(max_examples=60)
@given(st.lists(READING_RULES, max_size=4), st.sampled_from(EFFECTS))
def test_no_rule_for_reading_allows_an_effect(rules: list[PolicyRule], name: str) -> None:
    policy = Policy(rules=(*rules, *SHIPPED.rules))
    for is_tainted in (False, True):
        assert policy.judge(call(name, to="x"), is_tainted=is_tainted).verdict != "allow"


@settings(max_examples=60)
@given(st.lists(ANY_RULES, max_size=4), st.sampled_from([*EFFECTS, *CODE]))
def test_after_the_taint_no_rule_allows_an_effect_unless_it_says_so(
    rules: list[PolicyRule], name: str
) -> None:
    policy = Policy(rules=(*rules, *SHIPPED.rules))
    assert policy.judge(call(name, to="x"), is_tainted=True).verdict != "allow"


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules:\n- rule: a\n  verdct: allow\n", "mine.yaml, rule 1: `verdct`: nothing is"),
        ("rules:\n- rule: a\n", "mine.yaml, rule 1: `verdict`: Field required"),
        ("rules:\n- rule: a\n  verdict: maybe\n", "mine.yaml, rule 1: `verdict`: Input should be"),
        ("rules:\n- rule: a\n  verdict: ask\n  verdict: allow\n", "line 4: `verdict` stands here"),
        ("rules:\n- rule: a\n  tools: [mcp__*]\n  verdict: allow\n", "rule 1: `tools`: mcp__*:"),
        ("rules:\n- rule: a\n  tools: GMAIL_*\n  verdict: allow\n", "rule 1: `tools`: Input"),
        ("rules:\n- rule: a\n  verdict: allow\n  even_when_tainted: 'yes'\n", "rule 1: `even_"),
        ("rules:\n  rule: a\n", "mine.yaml: `rules`: Input should be a valid list"),
        ("rules: []\nrulez: []\n", "mine.yaml: `rulez`: nothing is called so"),
        ("- rule: a\n", "mine.yaml: `the file`: Input should be"),
        ("rules:\n- just words\n", "mine.yaml: `rule 1`: Input should be"),
        ("rules: [\n", "mine.yaml, line 2: "),
        ("rules:\n- !!python/name:os.system\n  rule: a\n", "mine.yaml, line 2: "),
        ("rules: \x07\n", "mine.yaml"),
    ],
)
def test_a_mistake_is_named_with_its_line_or_rule(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_policy(written(tmp_path, text))
    assert said in str(refused.value)


def test_a_file_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_policy(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    "text", ["", "# nothing yet\n", "rules:\n", "rules: []\n", "\ufeffrules: []"]
)
def test_an_empty_file_leaves_the_shipped_rules(tmp_path: Path, text: str) -> None:
    assert read_policy(written(tmp_path, text)) == read_policy()


def test_the_shipped_file_ends_with_a_rule_for_everything_else_that_asks() -> None:
    last = read_rules(SHIPPED_FILE)[-1]
    assert last.verdict == "ask"
    assert last == type(last)(rule=last.rule, verdict="ask")


def test_every_word_of_a_rule_is_explained_in_the_shipped_file() -> None:
    rules = read_rules(SHIPPED_FILE)
    explained = SHIPPED_FILE.read_text(encoding="utf-8").partition("\nrules:")[0]
    for name in type(rules[0]).model_fields:
        assert f"\n#   {name} " in explained
