"""What is packed for transport is approved in plain words: a mail as base64, zipped, in JSON."""

import base64
import gzip
import json
from email.message import EmailMessage

import pytest

from agent_core.consent.recipients import recipients_of
from bot.presenter.previews import argument_lines

EVE = "eve@evil.example"


def mail(*, to: str = EVE, hidden: str = "") -> bytes:
    made = EmailMessage()
    made["To"], made["Subject"] = to, "Überweisung"
    if hidden:
        made["Bcc"] = hidden
    made.set_content("Pay 4,471 € to 7731.\n", cte="base64")
    made.add_attachment(b"\0\1", maintype="application", subtype="pdf", filename="bill.pdf")
    return made.as_bytes()


def url_safe(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


PACKED = {
    "as Gmail wants it": url_safe(mail()),
    "plain base64": base64.b64encode(mail()).decode(),
    "in lines": base64.encodebytes(mail()).decode(),
    "as a data address": f"data:message/rfc822;base64,{base64.b64encode(mail()).decode()}",
    "zipped": url_safe(gzip.compress(mail())),
    "with bytes of no text": url_safe(mail() + b"\xff\xfe\0\x1b"),
    "behind a long header": url_safe(b"X-Pad: " + b"a" * 90_000 + b"\r\n" + mail()),
    "behind empty lines": url_safe(b"\r\n\r\n" + mail()),
    "twice": url_safe(url_safe(mail()).encode()),
    "in JSON in base64": url_safe(json.dumps({"raw": url_safe(mail())}).encode()),
}


@pytest.mark.proves("consent.packed")
@pytest.mark.parametrize("raw", PACKED.values(), ids=list(PACKED))
def test_whom_a_packed_mail_reaches_is_told(raw: str) -> None:
    assert EVE in recipients_of({"message": {"raw": raw}})
    assert EVE in recipients_of({"message": json.dumps({"raw": raw})})


@pytest.mark.proves("consent.packed")
@pytest.mark.parametrize("name", [name for name in PACKED if name != "in JSON in base64"])
def test_a_packed_mail_is_shown_as_it_reads(name: str) -> None:
    shown = "\n".join(argument_lines({"message": {"raw": PACKED[name]}}))
    for words in ("message.raw ⟨base64⟩:", f"To: {EVE}", "Subject: Überweisung", "4,471 €"):
        assert words in shown
    assert "[application/pdf bill.pdf]" in shown


@pytest.mark.proves("consent.packed")
def test_a_hidden_copy_and_an_escaped_address_are_told() -> None:
    raw = url_safe(mail(to="ann@office.example", hidden=EVE))
    assert set(recipients_of({"raw": raw})) == {"ann@office.example", EVE}
    padded = url_safe(b"X-Pad: " + b"a" * 900_000 + b"\n" + mail())
    assert EVE in recipients_of({"raw": padded})
    assert EVE in recipients_of({"open": "mailto:eve%40evil.example?subject=x"})


@pytest.mark.proves("consent.packed")
def test_parts_in_parts_without_end_are_shown_all_the_same() -> None:
    opening = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(1_500)
    )
    raw = url_safe(f"To: {EVE}\n{opening}\nhi".encode())
    assert EVE in recipients_of({"raw": raw})
    assert "⟨base64⟩" in "".join(argument_lines({"raw": raw}))


@pytest.mark.parametrize(
    "text",
    [
        "A plain sentence of some length that happens to have only letters",
        "abcdefghijklmnopqrstuvwxyz0123456789",
        base64.b64encode(bytes(range(256))).decode(),
        "https://docs.example/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
        "A" * 500_000,
        base64.b64encode(gzip.compress(b"x" * 50_000_000)).decode(),
    ],
)
def test_what_is_no_packed_text_is_shown_as_it_is(text: str) -> None:
    lines = list(argument_lines({"note": text}))
    assert lines[-1] == f"note: {text}"
    assert sum(map(len, lines)) < len(text) + 2_100_000
    assert not any("⟨base64⟩" in line for line in lines) or "H4s" in text[:3]
