"""What is said of files that could not be used: to the person, and to the model. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.prompts.language import Language
from bot.ingress.seams import Fault, LeftOut

MAX_MB = 50
"""The biggest file that is taken from a person, in MB of 1024 * 1024 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """One language. `{what}` is the name of a file."""

    faults: dict[Fault, str]
    rest: str


def left_out_notice(left_out: Sequence[LeftOut], language: Language, *, has_more: bool) -> str:
    """One sentence for each file; `has_more` says that there is more to work on."""
    words = _WORDS[language]
    sentences = [words.faults[each.fault].format(what=f"“{each.name}”") for each in left_out]
    return " ".join([*sentences, words.rest] if has_more else sentences)


def left_out_note(left_out: Sequence[LeftOut]) -> str:
    """What the model is told in the place of the files; no word of it counts for a language."""
    return "\n".join(
        f"(Attached, but missing: “{each.name}”, {_NOTED_FAULTS[each.fault]})" for each in left_out
    )


_NOTED_FAULTS: dict[Fault, str] = {
    "too_big": f"bigger than {MAX_MB} MB",
    "not_given": "Slack refused its download",
    "not_saved": "could not be saved",
}


_WORDS: dict[Language, _Words] = {
    "en": _Words(
        faults={
            "too_big": f"I left out {{what}}: it is bigger than {MAX_MB} MB.",
            "not_given": "I left out {what}: Slack did not let me download it.",
            "not_saved": "I left out {what}: it could not be saved.",
        },
        rest="I am working on the rest of your message.",
    ),
    "de": _Words(
        faults={
            "too_big": f"Ich habe {{what}} weggelassen: größer als {MAX_MB} MB.",
            "not_given": "Ich habe {what} weggelassen: Slack hat mich nicht herunterladen lassen.",
            "not_saved": "Ich habe {what} weggelassen: Die Datei ließ sich nicht sichern.",
        },
        rest="Am Rest deiner Nachricht arbeite ich.",
    ),
    "fr": _Words(
        faults={
            "too_big": f"J'ai laissé {{what}} de côté : plus de {MAX_MB} Mo.",
            "not_given": "J'ai laissé {what} de côté : Slack ne m'a pas laissé le télécharger.",
            "not_saved": "J'ai laissé {what} de côté : le fichier n'a pas pu être enregistré.",
        },
        rest="Je m'occupe du reste de votre message.",
    ),
    "es": _Words(
        faults={
            "too_big": f"Dejé fuera {{what}}: pesa más de {MAX_MB} MB.",
            "not_given": "Dejé fuera {what}: Slack no me dejó descargarlo.",
            "not_saved": "Dejé fuera {what}: no se pudo guardar.",
        },
        rest="Me ocupo del resto de tu mensaje.",
    ),
}
