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
    "file_says",
    "file_opens",
    "file_empty",
    "file_unreadable",
    "file_failed",
    "report_needs_pages",
    "table_highest",
    "table_lowest",
    "table_mean",
    "table_sum",
    "table_rows",
    "table_row",
    "table_holds",
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
    "file_says": {
        "en": "{file} says: {text}",
        "de": "In {file} steht: {text}",
        "fr": "{file} indique : {text}",
        "es": "{file} dice: {text}",
    },
    "file_opens": {
        "en": "{file} begins with:",
        "de": "{file} beginnt mit:",
        "fr": "{file} commence par :",
        "es": "{file} empieza con:",
    },
    "file_empty": {
        "en": "{file} is empty.",
        "de": "{file} ist leer.",
        "fr": "{file} est vide.",
        "es": "{file} está vacío.",
    },
    "file_unreadable": {
        "en": "I can read text files here, and {file} is of the type {type}.",
        "de": "Ich kann hier Textdateien lesen, und {file} hat den Typ {type}.",
        "fr": "Je sais lire ici des fichiers texte, et {file} est du type {type}.",
        "es": "Aquí puedo leer archivos de texto, y {file} es del tipo {type}.",
    },
    "file_failed": {
        "en": "I could not read {file}.",
        "de": "Ich konnte {file} nicht lesen.",
        "fr": "Je n'ai pas pu lire {file}.",
        "es": "No he podido leer {file}.",
    },
    "report_needs_pages": {
        "en": "A report cites web pages, so this is told from the file and not written as one.",
        "de": "Ein Bericht zitiert Webseiten; dies ist aus der Datei erzählt und kein Bericht.",
        "fr": "Un rapport cite des pages web ; ceci est tiré du fichier et n'en est pas un.",
        "es": "Un informe cita páginas web; esto se cuenta desde el archivo y no lo es.",
    },
    "table_highest": {
        "en": "The highest {column} in {file} is {value}.",
        "de": "Der höchste Wert von „{column}“ in {file} ist {value}.",
        "fr": "La valeur la plus élevée de « {column} » dans {file} est {value}.",
        "es": "El valor más alto de «{column}» en {file} es {value}.",
    },
    "table_lowest": {
        "en": "The lowest {column} in {file} is {value}.",
        "de": "Der niedrigste Wert von „{column}“ in {file} ist {value}.",
        "fr": "La valeur la plus basse de « {column} » dans {file} est {value}.",
        "es": "El valor más bajo de «{column}» en {file} es {value}.",
    },
    "table_mean": {
        "en": "The average {column} in {file} is {value}.",
        "de": "Der Durchschnitt von „{column}“ in {file} ist {value}.",
        "fr": "La moyenne de « {column} » dans {file} est {value}.",
        "es": "El promedio de «{column}» en {file} es {value}.",
    },
    "table_sum": {
        "en": "The total {column} in {file} is {value}.",
        "de": "Die Summe von „{column}“ in {file} ist {value}.",
        "fr": "La somme de « {column} » dans {file} est {value}.",
        "es": "La suma de «{column}» en {file} es {value}.",
    },
    "table_rows": {
        "en": "The number of rows in {file} that this asks about: {n}.",
        "de": "Zahl der Zeilen in {file}, um die es geht: {n}.",
        "fr": "Nombre de lignes concernées dans {file} : {n}.",
        "es": "Número de filas de {file} de las que se trata: {n}.",
    },
    "table_row": {
        "en": "{file} has this: {row}.",
        "de": "In {file} steht: {row}.",
        "fr": "{file} contient : {row}.",
        "es": "{file} contiene: {row}.",
    },
    "table_holds": {
        "en": "{file} has {n} rows with the columns {columns}:",
        "de": "{file} hat {n} Zeilen mit den Spalten {columns}:",
        "fr": "{file} a {n} lignes avec les colonnes {columns} :",
        "es": "{file} tiene {n} filas con las columnas {columns}:",
    },
}


def phrase(name: Name, language: str, **values: str) -> str:
    """The phrase in the language, or in English where the language is not one of ours."""
    forms = PHRASES[name]
    return forms.get(language, forms["en"]).format(**values)
