"""Messages that give no work: how each kind is told, in the languages that we have words for. Pure.

Only a whole message counts: "help" is small talk, "help me write a report" is work.
"""

import re
import unicodedata
from typing import Literal

from agent_core.prompts.language import Language

SmallTalk = Literal["empty", "emoji", "noise", "help", "stop", "status", "thanks"]

NOISE_CHARS = 20
"""From this length on, one letter over and over, or marks alone, are a text with a length."""

_SHORTCODE = re.compile(r":[^\s:]+:|[0-9#*]\ufe0f?\u20e3")
"""An emoji as Slack writes it, or a key cap, which would count as a digit."""
_STOP_SIGNS = frozenset({"🛑", ":octagonal_sign:", ":stop_sign:"})
_LONGEST_CHARS = 100
_WORD = re.compile(r"[^\W_]+")
_NOTHING_TO_DO = frozenset[SmallTalk]({"empty", "emoji", "noise", "thanks"})


def small_talk(text: str) -> SmallTalk | None:
    """Why there is nothing in a text to work on by itself; None where there is something."""
    marks = _kind_of_marks(text)
    return marks or next((kind for kind, _ in _matches(text)), None)


def asks_for_nothing(text: str) -> bool:
    """Whether there is no word in a text that anybody could act on."""
    return small_talk(text) in _NOTHING_TO_DO


def phrase_language(text: str) -> Language | None:
    """The language that a fixed phrase belongs to; None if it is none, or one of several."""
    languages: set[Language] = {language for _, language in _matches(text)}
    return languages.pop() if len(languages) == 1 else None


def _kind_of_marks(message: str) -> SmallTalk | None:
    text = "".join(message.split())
    if text in _STOP_SIGNS:
        return "stop"
    rest = _SHORTCODE.sub("", text)
    if any(unicodedata.category(letter)[0] in "LN" for letter in rest):
        return "noise" if len(text) >= NOISE_CHARS and len(set(text)) == 1 else None
    if rest != text or any(unicodedata.category(letter) == "So" for letter in rest):
        return "emoji"
    return "noise" if len(text) >= NOISE_CHARS else "empty"


def _matches(text: str) -> list[tuple[SmallTalk, Language]]:
    if len(text) > _LONGEST_CHARS:
        return []
    said = " ".join(_POLITE.sub(" ", _plain(text)).split())
    return [(kind, language) for kind, language, phrase in _PHRASES if phrase.fullmatch(said)]


def _plain(text: str) -> str:
    """The words alone: no marks, emoji, accents or capitals."""
    letters = unicodedata.normalize("NFKD", _SHORTCODE.sub(" ", text).casefold())
    return " ".join(_WORD.findall("".join(filter(lambda c: not unicodedata.combining(c), letters))))


def _one_of(phrases: str) -> str:
    return "|".join(_plain(phrase) for phrase in phrases.split(","))


_POLITE = re.compile(
    rf"""\b(?:{
        _one_of(
            "please, pls, hi, hello, hey, bitte, hallo, svp, s'il te plaît, s'il vous plaît, "
            "bonjour, salut, por favor, hola"
        )
    })\b"""
)
_AROUND = _one_of(
    "ok, okay, now, just, can you, could you, would you, you can, you may, sorry, thanks, "
    "thank you, ok now, jetzt, sofort, kannst du, könntest du, du kannst, danke, maintenant, "
    "tu peux, peux-tu, vous pouvez, pouvez-vous, merci, ahora, ya, puedes, gracias, "
    "that's wrong, thats wrong, this is wrong, it's wrong, wrong topic, that's the wrong topic, "
    "das ist falsch, falsches Thema, das ist das falsche Thema, "
    "c'est faux, mauvais sujet, ce n'est pas le bon sujet, "
    "está mal, tema equivocado, ese no es el tema"
)
"""What goes with an order to stop without making it anything else."""
_KINDNESSES = _one_of(
    "for your help, for the help, für deine hilfe, für die hilfe, pour ton aide, pour votre aide, "
    "por tu ayuda, por la ayuda, ok, okay, you, so, very, much, a lot, great, perfect, nice, "
    "awesome, cool, super, good job, good work, well done, many, got it, excellent, wonderful, "
    "perfekt, prima, toll, klasse, sehr, schön, dir, ihnen, besten, herzlichen, vielen, gut, "
    "beaucoup, bien, mille, parfait, génial, très, à toi, à vous, d'accord, muchas, mil, muy, "
    "perfecto, vale, estupendo, excelente"
)
"""What goes with a thank-you without making it anything else."""


def _exactly(phrases: str) -> re.Pattern[str]:
    return re.compile(_one_of(phrases))


def _ordered(phrases: str) -> re.Pattern[str]:
    """An order, with the words that people put around one."""
    return re.compile(rf"(?:(?:{_AROUND})\ )*(?:{_one_of(phrases)})(?:\ (?:{_AROUND}))*")


def _thanked(thanks: str) -> re.Pattern[str]:
    kind = rf"(?:(?:{_KINDNESSES})(?:\ |$))*"
    return re.compile(rf"{kind}(?:(?:{_one_of(thanks)})(?:\ |$){kind})+")


_PHRASES: tuple[tuple[SmallTalk, Language, re.Pattern[str]], ...] = (
    (
        "help",
        "en",
        _exactly(
            "help, help me, I need help, can you help, can you help me, could you help me, "
            "what can you do, what can you do for me, what do you do, what can I ask you, "
            "how do you work, how do I use you"
        ),
    ),
    (
        "help",
        "de",
        _exactly(
            "Hilfe, hilf mir, ich brauche Hilfe, kannst du mir helfen, was kannst du, "
            "was kannst du tun, was kannst du alles, was kannst du für mich tun, was machst du, "
            "wie funktionierst du"
        ),
    ),
    (
        "help",
        "fr",
        _exactly(
            "aide, à l'aide, aide-moi, aidez-moi, j'ai besoin d'aide, peux-tu m'aider, "
            "pouvez-vous m'aider, tu peux m'aider, que peux-tu faire, que pouvez-vous faire, "
            "qu'est-ce que tu peux faire, que sais-tu faire, que savez-vous faire"
        ),
    ),
    (
        "help",
        "es",
        _exactly(
            "ayuda, ayúdame, necesito ayuda, puedes ayudarme, me puedes ayudar, "
            "qué puedes hacer, qué puedes hacer por mí, qué sabes hacer, cómo funcionas"
        ),
    ),
    (
        "stop",
        "en",
        _ordered(
            "stop, stop it, stop that, stop this, stop here, stop everything, stop working, "
            "stop working on it, stop working on that, stop working on this, stop the work, "
            "stop the search, stop the report, cancel, cancel it, cancel that, cancel everything, "
            "abort, never mind, nevermind, forget it, forget about it"
        ),
    ),
    (
        "stop",
        "de",
        _ordered(
            "stop, stopp, stoppe, stopp das, halt, halt an, halte an, halt das an, halt alles an, "
            "halt die Suche an, halt den Bericht an, halte den Bericht an, stopp den Bericht, "
            "abbrechen, abbruch, brich ab, brich das ab, brich den Bericht ab, hör auf, "
            "hör auf damit, hör damit auf, hören Sie auf, aufhören, lass es, lass es sein, "
            "vergiss es"
        ),
    ),
    (
        "stop",
        "fr",
        _ordered(
            "stop, arrête, arrête ça, arrête tout, arrête-toi, arrête le rapport, arrêtez, "
            "arrêtez tout, arrêter, annule, annule ça, annulez, annuler, laisse tomber, "
            "laissez tomber, oublie ça"
        ),
    ),
    (
        "stop",
        "es",
        _ordered(
            "stop, para, para todo, párate, parar, páralo, detente, detén el informe, cancela, "
            "cancelar, cancélalo, déjalo, déjelo, olvídalo"
        ),
    ),
    (
        "status",
        "en",
        _exactly(
            "status, progress, how far are you, how far along are you, how is it going, "
            "how's it going, any progress, any update, are you still there, "
            "are you still working, are you done, are you done yet, how long will it take, "
            "how much longer, what are you doing, what is the status, what's the status, "
            "where are you, still there"
        ),
    ),
    (
        "status",
        "de",
        _exactly(
            "Status, Stand, wie weit bist du, wie weit, wie läuft es, wie läuft's, "
            "wie ist der Stand, was ist der Stand, bist du noch da, bist du fertig, "
            "bist du schon fertig, wie lange noch, wie lange dauert es noch, was machst du gerade, "
            "arbeitest du noch"
        ),
    ),
    (
        "status",
        "fr",
        _exactly(
            "statut, où en es-tu, où en êtes-vous, tu en es où, ça avance, "
            "combien de temps encore, tu es encore là, tu es toujours là, as-tu fini, "
            "avez-vous fini, que fais-tu en ce moment"
        ),
    ),
    (
        "status",
        "es",
        _exactly(
            "estado, cómo vas, por dónde vas, cómo va, cuánto falta, cuánto te falta, "
            "sigues ahí, estás ahí, has terminado, ya terminaste, qué estás haciendo"
        ),
    ),
    ("thanks", "en", _thanked("thanks, thank, thank you, thx, ty")),
    ("thanks", "de", _thanked("danke, dankeschön, dank")),
    ("thanks", "fr", _thanked("merci")),
    ("thanks", "es", _thanked("gracias")),
)
