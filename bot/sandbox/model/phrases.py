"""The few sentences of our own around what was found, in the languages that we know."""

from typing import Literal

Name = Literal[
    "key_figure",
    "sources",
    "nothing_found",
    "report_ready",
    "no_report",
    "unread",
    "tools_missing",
    "cannot_act",
]

PHRASES: dict[Name, dict[str, str]] = {
    "key_figure": {
        "en": "Key figure",
        "de": "Wichtige Zahl",
        "fr": "Chiffre clé",
        "es": "Cifra clave",
    },
    "sources": {"en": "Sources", "de": "Quellen", "fr": "Sources", "es": "Fuentes"},
    "nothing_found": {
        "en": "I searched for “{topic}” and found nothing, so I cannot answer this from sources.",
        "de": "Ich habe nach „{topic}“ gesucht und nichts gefunden.",
        "fr": "J'ai cherché « {topic} » et je n'ai rien trouvé.",
        "es": "He buscado «{topic}» y no he encontrado nada.",
    },
    "report_ready": {
        "en": "The report “{title}” is ready: {file}.",
        "de": "Der Bericht „{title}“ ist fertig: {file}.",
        "fr": "Le rapport « {title} » est prêt : {file}.",
        "es": "El informe «{title}» está listo: {file}.",
    },
    "no_report": {
        "en": "No report was written: {reason}",
        "de": "Es wurde kein Bericht geschrieben: {reason}",
        "fr": "Aucun rapport n'a été écrit : {reason}",
        "es": "No se ha escrito ningún informe: {reason}",
    },
    "unread": {
        "en": "none of what was found holds a sentence that can be quoted.",
        "de": "in den Fundstellen steht kein Satz, der sich zitieren lässt.",
        "fr": "aucune source trouvée ne contient de phrase à citer.",
        "es": "ninguna de las fuentes contiene una frase que se pueda citar.",
    },
    "cannot_act": {
        "en": "The model stand-in can search, read and write reports, but not send or change "
        "anything. Set ANTHROPIC_API_KEY to use the real model.",
        "de": "Das Ersatzmodell kann suchen, lesen und Berichte schreiben, aber nichts senden oder "
        "ändern. Mit ANTHROPIC_API_KEY antwortet das echte Modell.",
        "fr": "Le modèle de remplacement sait chercher, lire et écrire des rapports, mais ni "
        "envoyer ni modifier. Avec ANTHROPIC_API_KEY, le vrai modèle répond.",
        "es": "El modelo sustituto sabe buscar, leer y escribir informes, pero no enviar ni "
        "cambiar nada. Con ANTHROPIC_API_KEY responde el modelo real.",
    },
    "tools_missing": {
        "en": "I have no tool here that can do this.",
        "de": "Dafür habe ich hier kein Werkzeug.",
        "fr": "Je n'ai ici aucun outil pour cela.",
        "es": "Aquí no tengo ninguna herramienta para eso.",
    },
}


def phrase(name: Name, language: str, **values: str) -> str:
    """The phrase in the language, or in English where the language is not one of ours."""
    forms = PHRASES[name]
    return forms.get(language, forms["en"]).format(**values)
