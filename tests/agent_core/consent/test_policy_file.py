"""An operator's policy file: a mistake is named with its line and stops the start."""

from pathlib import Path

import pytest

from agent_core.consent.policy import SHIPPED, read_policy
from agent_core.consent.policy_file import read_rules
from agent_core.errors import SettingsError


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules:\n- rule: a\n  verdct: allow\n", "mine.yaml, line 3: `verdct`: no rule has this"),
        ("rules:\n- rule: a\n", "mine.yaml, line 2: `verdict`: Field required"),
        ("rules:\n- rule: a\n  verdict: maybe\n", "mine.yaml, line 3: `verdict`: Input should be"),
        ("rules:\n- rule: a\n  verdict: ask\n  verdict: allow\n", "line 4: `verdict` stands here"),
        ("rules:\n- rule: a\n  tools: [mcp__*]\n  verdict: allow\n", "line 3: `tools`: mcp__*:"),
        ("rules:\n- rule: a\n  tools: GMAIL_*\n  verdict: allow\n", "line 3: `tools`: Input"),
        ("rules:\n- rule: a\n  verdict: allow\n  even_when_tainted: 'yes'\n", "line 4: `even_"),
        ("rules:\n  rule: a\n", "line 2: `rules` has to be a list"),
        ("rules: []\nrulez: []\n", "line 2: there is no `rulez`"),
        ("- rule: a\n", "line 1: this has to be an object"),
        ("rules:\n- just words\n", "line 2: this has to be an object"),
        ("rules: [\n", "mine.yaml, line 2: "),
        ("rules:\n- !!python/name:os.system\n  rule: a\n", "mine.yaml, line 2: "),
        ("rules: \x07\n", "mine.yaml"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
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
    last = read_rules(SHIPPED)[-1]
    assert last.verdict == "ask"
    assert last == type(last)(rule=last.rule, verdict="ask")


def test_every_word_of_a_rule_is_explained_in_the_shipped_file() -> None:
    rules = read_rules(SHIPPED)
    explained = SHIPPED.read_text(encoding="utf-8").partition("\nrules:")[0]
    for name in type(rules[0]).model_fields:
        assert f"\n#   {name} " in explained
