"""Every language says the same things, with the same slots; all that is said is in a catalogue."""

import ast
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from fluent.syntax import FluentParser, visitor
from fluent.syntax import ast as fluent
from fluent.syntax.serializer import serialize_message

from agent_core.words import CORE, FALLBACK, Catalogue
from bot.words import BOT

JARGON = re.compile(
    r"`|tool call|sub-?agent|step limit|work_products|downloads/|mcp__"
    r"|werkzeugaufruf|unteragent|herramienta|subagente|appels? d'outils?|sous-agent",
    re.IGNORECASE,
)
INSIDE = re.compile(r"\.(?:tool|path|agent|run|call_id|consent|digest)\b(?!\()")
"""What only the code knows by name; a title, a file's own name or an app's is for people."""
EXACT = ("consent-fingerprint", "consent-in-file", "home-help")
"""They name a file or a mark that stands in sight, or what people are to type."""
REPOSITORY = Path(__file__).parents[2]
PACKAGES = {
    "agent_core": "agent_core.words",
    "bot": "bot.words",
    "bot/console/static": "bot.console.static.words",
    "mcp_local": "mcp_local.report",
}
CATALOGUES = {name: Catalogue(package) for name, package in PACKAGES.items()}
LANGUAGES = [
    (package, language)
    for package, catalogue in CATALOGUES.items()
    for language in catalogue.languages
]


class _Slots(visitor.Visitor):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: fluent.VariableReference) -> None:  # noqa: N802
        self.names.add(node.id.name)


def slots_of(entry: fluent.Message) -> frozenset[str]:
    slots = _Slots()
    slots.visit(entry)
    return frozenset(slots.names)


def source_of(package: str, language: str) -> str:
    return (resources.files(PACKAGES[package]) / f"{language}.ftl").read_text(encoding="utf-8")


def sentences(package: str, language: str) -> dict[str, frozenset[str]]:
    """Keys with their slots; a text that Fluent cannot read is a failure."""
    body = FluentParser().parse(source_of(package, language)).body
    assert [entry for entry in body if isinstance(entry, fluent.Junk)] == []
    messages = [entry for entry in body if isinstance(entry, fluent.Message)]
    keys = [message.id.name for message in messages]
    assert len(keys) == len(set(keys)), "a sentence stands twice"
    return {message.id.name: slots_of(message) for message in messages}


def files(package: str, kind: str) -> list[Path]:
    """The stand-ins of the sandbox say nothing of the product's."""
    paths = (REPOSITORY / package).rglob(kind)
    return [path for path in paths if "sandbox" not in path.relative_to(REPOSITORY).parts]


def asked(package: str) -> Iterator[tuple[str, ast.Call]]:
    """Sentences that code asks for, `words("key", …)` or `catalogue.say(language, "key")`."""
    for path in files(package, "*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            owner, _, name = ast.unparse(node.func).rpartition(".")
            place = {"words": 0, "_words": 0 if owner else None, "say": 1}.get(name)
            if place is not None and len(node.args) > place:
                key = node.args[place]
                is_whole = isinstance(key, ast.Constant) and isinstance(key.value, str)
                yield (ast.literal_eval(key) if is_whole else ""), node


@pytest.mark.parametrize(("package", "language"), LANGUAGES)
def test_every_language_has_the_same_sentences_with_the_same_slots(
    package: str, language: str
) -> None:
    assert sentences(package, language) == sentences(package, FALLBACK)


@pytest.mark.parametrize("package", CATALOGUES)
def test_every_sentence_that_the_code_asks_for_is_in_a_catalogue(package: str) -> None:
    known = {key for each in PACKAGES for key in sentences(each, FALLBACK)}
    assert [key for key, _ in asked(package) if key and key not in known] == []


@pytest.mark.parametrize("package", CATALOGUES)
def test_no_sentence_lies_unused_in_a_catalogue(package: str) -> None:
    speakers = {package, "bot"} if package == "agent_core" else {package}
    kinds = ("*.py", "*.j2", "*.js")
    places = [path for each in speakers for kind in kinds for path in files(each, kind)]
    code = "\n".join(path.read_text(encoding="utf-8") for path in places)

    def is_used(key: str) -> bool:
        """By its whole name, or by its beginning or end, which an f-string completes."""
        dashes = [at for at, character in enumerate(key) if character == "-"]
        forms = [f'"{key}"', f"'{key}'"]
        for at in dashes:
            forms += [f'f"{key[:at]}-{{', f'}}{key[at:]}"', f"`{key[:at]}-${{"]
        return any(form in code for form in forms)

    assert [key for key in sentences(package, FALLBACK) if not is_used(key)] == []


@pytest.mark.parametrize(
    ("package", "language"), [each for each in LANGUAGES if each[0] in {"agent_core", "bot"}]
)
def test_no_sentence_speaks_of_tools_steps_or_paths(package: str, language: str) -> None:
    body = FluentParser().parse(source_of(package, language)).body
    texts = {e.id.name: serialize_message(e) for e in body if isinstance(e, fluent.Message)}
    assert [k for k, t in texts.items() if JARGON.search(t) and k not in EXACT] == []


@pytest.mark.parametrize("package", ["agent_core", "bot"])
def test_no_sentence_is_given_the_name_of_a_tool_or_a_path(package: str) -> None:
    given = [
        f"{key}: {ast.unparse(slot.value)}"
        for key, call in asked(package)
        for slot in call.keywords
        if INSIDE.search(ast.unparse(slot.value)) and key not in EXACT
    ]
    assert given == []


def test_a_language_without_a_catalogue_is_spoken_to_in_english() -> None:
    assert CORE.of("xx") is CORE.of("en")


def test_a_value_of_any_length_stands_in_its_sentence_as_it_is() -> None:
    whom = "\ue000who\ue001 {$n} " * 1_000
    assert BOT.say("en", "consent-reaches", n=2, whom=whom) == f"Reaches 2 recipients: {whom}"


def test_the_pages_own_reader_knows_every_line_of_its_catalogues() -> None:
    """It reads `key = text`, one sentence a line, with nothing but slots in it."""
    package = "bot/console/static"
    for language in CATALOGUES[package].languages:
        lines = source_of(package, language).splitlines()
        known = [line for line in lines if re.fullmatch(r"([a-z][\w-]*) = (.+)", line)]
        assert [line for line in lines if line and line[0] != "#"] == known
        assert [line for line in known if re.sub(r"\{ \$\w+ \}", "", line).count("{")] == []
