"""Words that are set apart from requests: greetings, thanks, and signs of what is no digest."""

import re

from agent_core.schedules.in_words.words.asking import THANKS, folded

_GREETINGS = folded(
    """(?:hi|hello|hey|hallo|hola|bonjour|salut|dear|good morning|guten morgen|guten tag|
    buenos días|moin|servus)(?: (?:there|all|team|everyone|everybody|bot|zusammen|alle|à tous|
    a todos|equipo))?"""
)
COURTESY = re.compile(
    rf"""[\s¡¿]{{0,3}}(?:{_GREETINGS}|{THANKS})
    (?:[\s,]{{1,3}}(?:{THANKS}))?[\s.!?…,;*_)]{{0,8}}""",
    re.VERBOSE,
)
"""A sentence that greets or thanks, and says nothing of a task."""

_REMINDERS = folded(
    """remind me|erinner(?:e|st|n)? mich|rappelle-moi|rappelez-moi|me rappeler|recuérdame|
    recordarme"""
)
_REMINDER = folded("reminders?|erinnerung(?:en)?|rappels?|recordatorios?")
_DIGEST_ON = r"digests?\s{1,3}(?:on|about|uber|zu|sur|sobre|de)\s"
_PERSON_REMINDED = r"(?:remind|erinnere?|rappelle|recuerda a)\s{1,3}<?@\w+"
_SAID = folded(
    """what (?:we|they|people|everyone|everybody|the team|was|is being|has been|got)(?: have| has|
     all| had)? (?:discuss|discussed|discussing|said|talked|wrote|written)|
    (?:discussed|talked about|said|written) (?:here|in here|in this (?:channel|thread))|
    (?:on|about) this (?:topic|conversation|thread|discussion)|
    this (?:conversation|thread|discussion)|our (?:conversations|discussions)|
    zu diesem thema|über dieses thema|unsere diskussion(?:en)?|
    ce (?:que nous avons|qu'on a|qui a été) (?:discuté|dit|écrit)|sur ce sujet|nos discussions|
    lo que (?:hemos|se ha) (?:discutido|hablado|dicho|escrito)|sobre este tema"""
)
_SAID_BEHIND = r"was\s(?:wir|hier|das\steam)\s.{0,40}?(?:besprochen|diskutiert|geschrieben|gesagt)"
NO_DIGEST = re.compile(
    rf"(?<!\w)(?:{_REMINDERS}|{_PERSON_REMINDED}|{_SAID}|{_SAID_BEHIND})(?!\w)"
    rf"|^(?!.*(?<!\w){_DIGEST_ON}).*(?<!\w)(?:{_REMINDER})(?!\w)",
    re.DOTALL,
)
"""A reminder of a person, and what was said in a conversation, which a digest cannot see."""
