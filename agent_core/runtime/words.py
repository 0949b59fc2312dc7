"""What is read of a turn or a run that could not be finished. Never a raw error."""

from dataclasses import dataclass
from typing import Literal

from agent_core.errors import ModelRejected, ModelUnavailable, ReplyTruncated, RequestTooLarge
from agent_core.prompts.language import Language

Failure = Literal["too_long", "truncated", "rejected", "unavailable", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """One language. `{mark}` is what an operator finds the turn by."""

    reasons: dict[Failure, str]
    reference: str


def apology(error: BaseException, reference: str, language: Language) -> str:
    """Plain sentences for the person, with the reference an operator finds the turn by."""
    words = _WORDS[language]
    return f"{words.reasons[_failure(error)]} ({words.reference.format(mark=reference)})"


def child_failure(error: BaseException) -> str:
    """A plain sentence for the model that delegated to a sub-agent which failed."""
    return f"The sub-agent could not finish: {_OF_A_CHILD[_failure(error)]}."


def _failure(error: BaseException) -> Failure:
    match error:
        case RequestTooLarge():
            return "too_long"
        case ReplyTruncated():
            return "truncated"
        case ModelRejected():
            return "rejected"
        case ModelUnavailable():
            return "unavailable"
        case _:
            return "other"


_OF_A_CHILD: dict[Failure, str] = {
    "too_long": "its work has become too long for its language model",
    "truncated": "what it wanted to write was longer than its language model writes in one go",
    "rejected": "its language model refused the request, and asking again would not help",
    "unavailable": "its language model is not answering at the moment",
    "other": "something went wrong while it worked",
}

_WORDS: dict[Language, _Words] = {
    "en": _Words(
        reasons={
            "too_long": (
                "This thread has become too long for my language model. "
                "Please start a new thread and tell me what to carry over."
            ),
            "truncated": (
                "What I wanted to write was longer than my language model can write in one go. "
                "Reply “continue” and ask for a smaller piece."
            ),
            "rejected": (
                "My language model refused the request, and asking again would not help. "
                "Whoever runs me has to look at its key or limits."
            ),
            "unavailable": (
                "My language model is not answering at the moment. What is done so far is kept: "
                "reply “continue” and I go on from there."
            ),
            "other": (
                "Something went wrong on my side. What is done so far is kept: "
                "reply “continue” and I go on from there."
            ),
        },
        reference="reference {mark}",
    ),
    "de": _Words(
        reasons={
            "too_long": (
                "Dieser Thread ist für mein Sprachmodell zu lang geworden. "
                "Beginne bitte einen neuen und sag mir, was ich mitnehmen soll."
            ),
            "truncated": (
                "Was ich schreiben wollte, war länger, als mein Sprachmodell auf einmal schreiben "
                "kann. Antworte „weiter“ und bitte um ein kleineres Stück."
            ),
            "rejected": (
                "Mein Sprachmodell hat die Anfrage abgelehnt, und noch einmal zu fragen würde "
                "nicht helfen. Wer mich betreibt, muss nach Schlüssel oder Grenzen sehen."
            ),
            "unavailable": (
                "Mein Sprachmodell antwortet gerade nicht. Was bisher getan ist, bleibt: "
                "Antworte „weiter“, dann mache ich dort weiter."
            ),
            "other": (
                "Bei mir ist etwas schiefgegangen. Was bisher getan ist, bleibt: "
                "Antworte „weiter“, dann mache ich dort weiter."
            ),
        },
        reference="Kennung {mark}",
    ),
    "fr": _Words(
        reasons={
            "too_long": (
                "Ce fil est devenu trop long pour mon modèle de langage. "
                "Commencez un nouveau fil et dites-moi ce qu'il faut en reprendre."
            ),
            "truncated": (
                "Ce que je voulais écrire dépassait ce que mon modèle de langage peut écrire en "
                "une fois. Répondez « continue » et demandez un morceau plus petit."
            ),
            "rejected": (
                "Mon modèle de langage a refusé la demande, et la répéter n'y changerait rien. "
                "La personne qui m'exploite doit vérifier sa clé ou ses limites."
            ),
            "unavailable": (
                "Mon modèle de langage ne répond pas en ce moment. Ce qui est fait est conservé : "
                "répondez « continue » et je reprends là."
            ),
            "other": (
                "Quelque chose s'est mal passé de mon côté. Ce qui est fait est conservé : "
                "répondez « continue » et je reprends là."
            ),
        },
        reference="référence {mark}",
    ),
    "es": _Words(
        reasons={
            "too_long": (
                "Este hilo es ya demasiado largo para mi modelo de lenguaje. "
                "Empieza un hilo nuevo y dime qué hay que llevar a él."
            ),
            "truncated": (
                "Lo que quería escribir era más largo de lo que mi modelo de lenguaje puede "
                "escribir de una vez. Responde «continúa» y pide una parte más pequeña."
            ),
            "rejected": (
                "Mi modelo de lenguaje rechazó la petición, y repetirla no serviría de nada. "
                "Quien me administra tiene que revisar su clave o sus límites."
            ),
            "unavailable": (
                "Mi modelo de lenguaje no responde en este momento. Lo hecho hasta ahora se "
                "conserva: responde «continúa» y sigo desde ahí."
            ),
            "other": (
                "Algo salió mal por mi parte. Lo hecho hasta ahora se conserva: "
                "responde «continúa» y sigo desde ahí."
            ),
        },
        reference="referencia {mark}",
    ),
}
