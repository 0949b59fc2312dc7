"""What people, models and pages write cannot do anything in a post about digests."""

import re

from hypothesis import given
from hypothesis import strategies as st

from bot.digests import posts
from bot.digests.clerk import NotDone
from bot.digests.report import Finding, Report
from bot.digests.words import WORDS
from tests.bot.digests.orders import BEFORE, NOW, nothing, pings, report, schedule, telling

_CODE = re.compile("`(?!\u200b)[^`\n]+`")
_ADDRESS = re.compile(r"<[a-z]+:[^|>]+|(?:https?://|mailto:)[^\s|>]+", re.IGNORECASE)

foreign_words = st.lists(
    st.sampled_from(
        ["<!channel>", "<@U9>", "&lt;!here&gt;", "@channel", "@here", "<#C9>", "<!subteam^S1>",
         "[a](https://evil.example/x)", " https://evil.example/y", " <https://evil.example|z>",
         "`", "``", "```", "*", "_", "~", "\\", "[", "](", ")", ">", "<", "|", "a", "word", " ",
         "\n", "\u200b", "`https://evil.example/`", "[x](javascript:alert(1))", "# ", "- ", "| a |",
         "![i](https://evil.example/i.png)", "<script>", "&", " mailto:a@evil.example",
         "(https://evil.example/z)"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def addresses(text: str) -> set[str]:
    """What Slack would make a link of."""
    return set(_ADDRESS.findall(_CODE.sub(" ", text)))


@given(title=foreign_words, task=foreign_words, line=foreign_words)
def test_foreign_words_ping_nobody_and_lead_nowhere(title: str, task: str, line: str) -> None:
    of = schedule(task=task or "task")
    findings = (Finding(text=line, is_new=True), Finding(text=" ".join(line.split()), is_new=False))
    found = Report(title=title, findings=findings, details="", claims=(), sources=())
    told = telling(BEFORE, of)
    shown = [
        posts.root(found, told, "en", nothing),
        posts.nothing_new(told, "en"),
        posts.proposal(of, "en", NOW).text,
        posts.agreed(of, "en", NOW).text,
        posts.listing([of], "en", NOW).text,
        posts.told(WORDS["en"].changed, of, "en", NOW),
        posts.named(WORDS["en"].failed, of),
    ]

    for text in shown:
        assert pings(text) <= {"<@U1>", "<#C0NEWS>"}
        assert addresses(text) == set()


@given(title=foreign_words, line=foreign_words)
def test_foreign_words_begin_no_line_of_their_own(title: str, line: str) -> None:
    found = report(f"# {' '.join(title.split())}\n- x {' '.join(line.split())}")

    lines = posts.root(found, telling(), "en", nothing).split("\n")

    assert [text[:1] for text in lines] == ["*", "•", "_", "_"]


@given(foreign_words)
def test_what_is_refused_repeats_no_foreign_word_with_an_effect(words: str) -> None:
    refused = NotDone("unknown_channel", channel=f"#{words}")
    refused.candidates = (schedule(task=words or "task"),)

    text = posts.refusal(refused, "en")

    assert pings(text) == set()
    assert addresses(text) == set()
