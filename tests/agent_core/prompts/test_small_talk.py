"""Only a whole message is small talk; whatever asks for something is work."""

import pytest

from agent_core.prompts.language import Language
from agent_core.prompts.small_talk import SmallTalk, asks_for_nothing, phrase_language, small_talk


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("help", "help"),
        ("Help!", "help"),
        ("/help", "help"),
        ("help me, please 🙏", "help"),
        ("Hi, what can you do?", "help"),
        ("Hilfe", "help"),
        ("Was kannst du?", "help"),
        ("aide", "help"),
        ("Que peux-tu faire ?", "help"),
        ("que peux\N{RIGHT SINGLE QUOTATION MARK}tu faire", "help"),
        ("ayuda, por favor", "help"),
        ("¿Qué puedes hacer?", "help"),
        ("stop", "stop"),
        ("Stop!!", "stop"),
        ("ok stop", "stop"),
        ("stop working", "stop"),
        ("forget it", "stop"),
        ("nevermind", "stop"),
        ("🛑", "stop"),
        ("How far are you?", "status"),
        ("Wie weit bist du?", "status"),
        ("Où en es-tu ?", "status"),
        ("¿Cómo vas?", "status"),
        ("please cancel", "stop"),
        ("stopp", "stop"),
        ("Bitte abbrechen.", "stop"),
        ("bitte aufhören", "stop"),
        ("hör auf", "stop"),
        ("Hör bitte auf!", "stop"),
        ("lass es", "stop"),
        ("arrête", "stop"),
        ("laisse tomber", "stop"),
        ("annule, s'il te plaît", "stop"),
        ("para", "stop"),
        ("¡Cancela!", "stop"),
        ("déjalo", "stop"),
        ("thanks", "thanks"),
        ("Thank you so much!", "thanks"),
        ("ok thanks", "thanks"),
        ("great, thanks! 🎉", "thanks"),
        ("thanks for your help", "thanks"),
        ("danke 🙏", "thanks"),
        ("Vielen Dank!", "thanks"),
        ("perfekt, danke", "thanks"),
        ("merci beaucoup", "thanks"),
        ("¡Muchas gracias!", "thanks"),
    ],
)
def test_a_message_that_says_nothing_else_is_told(text: str, kind: SmallTalk) -> None:
    assert small_talk(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "help me write a report on heat pumps",
        "what can you do about the noise of a heat pump?",
        "stop the presses: what is new?",
        "stop the Tuesday one",
        "don't stop",
        "never stop",
        "stop by the shop later?",
        "how do I stop the service?",
        "stop using Wikipedia",
        "stop citing blogs and use papers",
        "can you stop at 2020?",
        "forget the second source",
        "stop words should be removed from the text",
        "add a section on how to stop smoking",
        "stop, do Berlin instead",
        "stop, wrong topic: do Berlin",
        "that's wrong",
        "wrong topic, sorry",
        "you can stop when you have ten",
        "you can stop the report at page 5",
        "never mind the costs",
        "forget it was about Berlin",
        "lass es kurz sein",
        "lass es uns auf Deutsch machen",
        "hör auf, Blogs zu zitieren",
        "halt den Bericht kurz",
        "nicht aufhören",
        "n'arrête pas",
        "arrête de citer des blogs",
        "laisse tomber la deuxième source",
        "no pares",
        "no parar",
        "déjalo más corto",
        "para ahora solo Berlín",
        "can you",
        "how far are you from Berlin?",
        "cancel culture",
        "para qué sirve una bomba de calor",
        "thanks, now write the report",
        "thanks, and in Spain?",
        "danke, jetzt auf Französisch",
        "continue: add a section on retries",
        "ok, what is a thread?",
        "yes but shorter",
        "how does this work in old houses?",
        "great",
        "continue",
        "ok",
        "Yes, please.",
        "How does this work?",
        "please",
        "hello",
        "helpful words",
        "x" * 19 + " help",
        "thanks " * 2_000,
    ],
)
def test_a_message_that_asks_for_something_is_work(text: str) -> None:
    assert small_talk(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("help", "en"),
        ("Hilfe!", "de"),
        ("perfekt, danke", "de"),
        ("arrête", "fr"),
        ("gracias", "es"),
        ("stop", None),
        ("ok", None),
        ("continue", None),
        ("🎉", None),
        ("What is a thread?", None),
    ],
)
def test_a_phrase_of_one_language_tells_it(text: str, language: Language | None) -> None:
    assert phrase_language(text) == language


@pytest.mark.parametrize("text", ["", "🎉", "...", "x" * 30, "thanks!"])
def test_nobody_could_act_on_it(text: str) -> None:
    assert asks_for_nothing(text)


@pytest.mark.parametrize("text", ["help", "continue", "stop", "look", "7", "ok"])
def test_somebody_could_act_on_it(text: str) -> None:
    assert not asks_for_nothing(text)
