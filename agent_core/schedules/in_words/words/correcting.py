"""The words of people who are asked "Shall I do that?": yes, no, and what surrounds a correction.

For folded texts, of all our languages together.
"""

import re

from agent_core.schedules.in_words.words.vocabulary import fold


def _one_of(phrases: str) -> str:
    folded = (re.escape(fold(phrase.strip())) for phrase in phrases.split("|"))
    return "|".join(sorted(folded, key=len, reverse=True))


_TONE = r"(?:[\U0001F3FB-\U0001F3FF]|:skin-tone-[2-6]:)?\N{VARIATION SELECTOR-16}?"
_THANKS = _one_of(
    "please|pls|thanks|thank you|thanks a lot|thx|bitte|danke|vielen dank|svp|s'il te plaît|merci|"
    "por favor|gracias|muchas gracias"
)
_YES = _one_of(
    "yes|yep|yeah|yup|ok|okay|k|sure|go ahead|confirm|confirmed|confirm it|do it|do that|go for it|"
    "sounds good|looks good|good|great|perfect|agreed|correct|right|that's right|please do|lgtm|"
    "ja|jawohl|jo|genau|mach das|mach es|passt|passt so|bestätigen|bestätige|bestätigt|gerne|gern|"
    "einverstanden|in ordnung|oui|ouais|d'accord|vas-y|allez-y|confirme|confirmer|je confirme|"
    "parfait|c'est bon|sí|claro|vale|de acuerdo|confirma|confirmo|confirmar|adelante|dale|perfecto"
)
_YES_SIGNS = r"(?:\U0001F44D|\N{OK HAND SIGN}|:ok_hand:|:\+1:|:thumbsup:)" + _TONE
_YES_MARKS = r"\N{WHITE HEAVY CHECK MARK}|:white_check_mark:|:heavy_check_mark:"
_NO = _one_of(
    "no|nope|nah|cancel|cancel it|cancel that|never mind|nevermind|forget it|drop it|don't|"
    "do not|rather not|no thanks|"
    "nein|nee|abbrechen|brich ab|lass es|lass das|lieber nicht|doch nicht|vergiss es|"
    "non|annule|annuler|laisse tomber|plutôt pas|cancela|cancelar|cancélalo|anula|déjalo|olvídalo|"
    "mejor no"
)
_NO_SIGNS = r"(?:\U0001F44E|:-1:|:thumbsdown:)" + _TONE


def _only(words: str, signs: str) -> re.Pattern[str]:
    one = rf"(?:(?:{words})(?!\w)|{signs})"
    thanks = rf"(?:(?:{_THANKS})(?!\w))"
    return re.compile(rf"(?:{thanks}[\s,.!]*)?{one}(?:[\s,.!;-]*(?:{one}|{thanks})){{0,4}}[\s.!]*")


YES = _only(_YES, f"{_YES_SIGNS}|{_YES_MARKS}")
"""The whole of a text that agrees."""
NO = _only(_NO, _NO_SIGNS)
"""The whole of a text that declines."""

CHOICES = tuple(
    re.compile(
        rf"\s*(?:(?:the|den|die|das|le|la|el) )?(?:{_one_of(words)})(?: (?:one|rule|regel))?"
        rf"(?:[\s,]+(?:{_THANKS}))?[\s.!]*"
    )
    for words in (
        "first|1st|1|one|erste|ersten|premier|première|primera|primero",
        "second|2nd|2|two|last|other|zweite|zweiten|deuxième|seconde|second|segunda|segundo",
    )
)
"""The whole of a text that takes the first or the second of two rules."""

ABOUT_WHAT = re.compile(r"(?<!\w)(?:about|uber|sur|sobre)\s{1,3}(?=\S)")
"""What stands before another task."""

BESIDE = frozenset(
    fold(
        "no nope nah yes yeah ok okay sure oh hm hmm actually sorry wait well rather instead "
        "better make it that this please pls only just change move switch set to and but let's "
        "lets do have should be can could you would we i i'd want prefer like the a time day "
        "days channel "
        "digest then also for thanks thank post "
        "nein ja doch lieber bitte nur mach mache machs ändere ändern verschiebe auf und aber "
        "stattdessen eher besser eigentlich soll sollte kannst du es das ihn den die sondern "
        "immer danke kanal "
        "non oui plutôt svp seulement uniquement mets met change fais passe le la les l ça a à au "
        "en fait et mais pour mieux merci s'il te plaît "
        "mejor por favor solo solamente cambia cámbialo hazlo ponlo pon al realidad y pero sí si "
        "para que sea el los las gracias quiero"
    ).split()
)
"""What may stand beside a correction and changes nothing of it."""
