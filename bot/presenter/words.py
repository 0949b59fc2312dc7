"""The fixed words of progress, in the asker's language. Pure."""

from dataclasses import dataclass
from typing import Literal

from agent_core.prompts.language import Language

Purpose = Literal[
    "ask_agent", "ask_report_expert", "ask_user", "check_accounts", "find_tools", "list_files",
    "read_file", "read_pages", "run_code", "save_sources", "search_news", "search_sources",
    "search_web", "upload_file", "use_tool", "write_file", "write_report",
]  # fmt: skip
FileRefusal = Literal["no_uploads", "no_room", "no_such_type", "too_big", "no_scope", "other"]
"""Why Slack did not take a file, so far as a person can do something about it."""

_FILE_REFUSALS: dict[str, FileRefusal] = {
    "file_type_not_allowed": "no_such_type",
    "file_upload_size_restricted": "too_big",
    "file_uploads_disabled": "no_uploads",
    "missing_scope": "no_scope",
    "no_permission": "no_scope",
    "storage_limit_reached": "no_room",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language. `{what}` is a foreign text, `{who}` a name, `{n}` a number."""

    working: str
    done: str
    limited: str
    stopped: str
    failed: str
    tool_calls: tuple[str, str]
    """One, and several."""
    pages_read: tuple[str, str]
    earlier_steps: tuple[str, str]
    more_steps: str
    trying_again: str
    thinking: str
    no_answer: str
    failure: str
    reference: str
    no_file: str
    file_refusals: dict[FileRefusal, str]
    """Clauses for `why` in `no_file`."""
    whole_answer: str
    not_in_thread: str
    waiting: str
    waiting_approval: str
    waiting_connection: str
    asked: str
    asked_approval: str
    asked_connection: str
    choose: str
    answer_by: str
    took_in: str
    answered_by: str
    unsure: str
    """Of a call whose result was lost."""
    unsure_steps: tuple[str, str]
    purposes: dict[Purpose, str]

    def count(self, forms: tuple[str, str], n: int) -> str:
        return forms[0 if n == 1 else 1].format(n=n)

    def why_not_taken(self, code: str) -> str:
        """Why Slack did not take a file, by Slack's word for it, which is not shown."""
        return self.file_refusals[_FILE_REFUSALS.get(code, "other")]


_ENGLISH = Words(
    working="Working on it",
    done="Done in {time}",
    limited="Stopped at a limit after {time}",
    stopped="Stopped after {time}",
    failed="Failed after {time}",
    tool_calls=("{n} tool call", "{n} tool calls"),
    pages_read=("{n} page read", "{n} pages read"),
    earlier_steps=("{n} earlier step", "{n} earlier steps"),
    more_steps="and {n} more",
    trying_again="The model is busy; trying again",
    thinking="Thinking about the next step",
    no_answer="I have no answer to give.",
    failure="Something went wrong and I could not finish this.",
    reference="Reference: {what}",
    no_file="I could not attach {what}: {why}.",
    file_refusals={
        "no_uploads": "file uploads are switched off in this workspace",
        "no_room": "this workspace has no room left for files",
        "no_such_type": "files of this type are not allowed in this workspace",
        "too_big": "it is bigger than this workspace allows",
        "no_scope": "I am not allowed to upload files in this workspace",
        "other": "Slack did not take it",
    },
    whole_answer="The answer is long; the rest of it is in the attached file.",
    not_in_thread="I could not answer in the thread, so here is the answer.",
    waiting="Waiting for {who}'s answer",
    waiting_approval="Waiting for {who}'s decision",
    waiting_connection="Waiting for {who} to connect {what}",
    asked="Asked {who} a question after {time}",
    asked_approval="Asked {who} for an approval after {time}",
    asked_connection="Asked {who} to connect {what} after {time}",
    choose="Answer with a number or in your own words.",
    answer_by="I wait for your answer until {when}.",
    took_in="Took in {who}'s message: {what}",
    answered_by="{who} answered: {what}",
    unsure="may or may not have happened",
    unsure_steps=(
        "{n} step may or may not have happened",
        "{n} steps may or may not have happened",
    ),
    purposes={
        "ask_agent": "Asking the {what}",
        "ask_report_expert": "Asking the report expert",
        "ask_user": "Asking you a question",
        "check_accounts": "Checking the connected accounts",
        "find_tools": "Looking for the right tools",
        "list_files": "Looking through the files",
        "read_file": "Reading {what}",
        "read_pages": "Reading {n} pages",
        "run_code": "Working with the data",
        "save_sources": "Saving the sources",
        "search_news": "Searching the news for {what}",
        "search_sources": "Searching the sources for {what}",
        "search_web": "Searching the web for {what}",
        "upload_file": "Handing over a file",
        "use_tool": "{what}",
        "write_file": "Writing {what}",
        "write_report": "Writing the report",
    },
)

_GERMAN = Words(
    working="Ich bin dran",
    done="Fertig in {time}",
    limited="An einer Grenze angehalten nach {time}",
    stopped="Angehalten nach {time}",
    failed="Gescheitert nach {time}",
    tool_calls=("{n} Werkzeugaufruf", "{n} Werkzeugaufrufe"),
    pages_read=("{n} Seite gelesen", "{n} Seiten gelesen"),
    earlier_steps=("{n} früherer Schritt", "{n} frühere Schritte"),
    more_steps="und {n} weitere",
    trying_again="Das Modell ist ausgelastet; neuer Versuch",
    thinking="Überlege den nächsten Schritt",
    no_answer="Ich habe darauf keine Antwort.",
    failure="Etwas ist schiefgegangen, und ich konnte das nicht abschließen.",
    reference="Kennung: {what}",
    no_file="Ich konnte {what} nicht anhängen: {why}.",
    file_refusals={
        "no_uploads": "In diesem Workspace ist das Hochladen von Dateien abgeschaltet",
        "no_room": "In diesem Workspace ist kein Platz mehr für Dateien",
        "no_such_type": "Dateien dieser Art sind in diesem Workspace nicht erlaubt",
        "too_big": "Die Datei ist größer, als dieser Workspace erlaubt",
        "no_scope": "Ich darf in diesem Workspace keine Dateien hochladen",
        "other": "Slack hat die Datei nicht angenommen",
    },
    whole_answer="Die Antwort ist lang; der Rest steht in der angehängten Datei.",
    not_in_thread="Im Thread konnte ich nicht antworten, daher hier.",
    waiting="Warte auf die Antwort von {who}",
    waiting_approval="Warte auf die Entscheidung von {who}",
    waiting_connection="Warte darauf, dass {who} {what} verbindet",
    asked="Rückfrage an {who} nach {time}",
    asked_approval="Um Freigabe durch {who} gebeten nach {time}",
    asked_connection="{who} gebeten, {what} zu verbinden, nach {time}",
    choose="Antworte mit einer Zahl oder in eigenen Worten.",
    answer_by="Ich warte auf deine Antwort bis {when}.",
    took_in="Nachricht von {who} aufgenommen: {what}",
    answered_by="{who} hat geantwortet: {what}",
    unsure="vielleicht geschehen, vielleicht nicht",
    unsure_steps=(
        "{n} Schritt ist vielleicht geschehen, vielleicht nicht",
        "{n} Schritte sind vielleicht geschehen, vielleicht nicht",
    ),
    purposes={
        "ask_agent": "Frage {what}",
        "ask_report_expert": "Frage den Berichtsexperten",
        "ask_user": "Stelle eine Rückfrage",
        "check_accounts": "Prüfe die verbundenen Konten",
        "find_tools": "Suche die passenden Werkzeuge",
        "list_files": "Sehe die Dateien durch",
        "read_file": "Lese {what}",
        "read_pages": "Lese {n} Seiten",
        "run_code": "Arbeite mit den Daten",
        "save_sources": "Sichere die Quellen",
        "search_news": "Durchsuche die Nachrichten nach {what}",
        "search_sources": "Durchsuche die Quellen nach {what}",
        "search_web": "Suche im Web nach {what}",
        "upload_file": "Übergebe eine Datei",
        "use_tool": "{what}",
        "write_file": "Schreibe {what}",
        "write_report": "Schreibe den Bericht",
    },
)

_FRENCH = Words(
    working="J'y travaille",
    done="Terminé en {time}",
    limited="Arrêté à une limite après {time}",
    stopped="Arrêté après {time}",
    failed="Échec après {time}",
    tool_calls=("{n} appel d'outil", "{n} appels d'outils"),
    pages_read=("{n} page lue", "{n} pages lues"),
    earlier_steps=("{n} étape précédente", "{n} étapes précédentes"),
    more_steps="et {n} autres",
    trying_again="Le modèle est occupé ; nouvel essai",
    thinking="Réflexion sur la prochaine étape",
    no_answer="Je n'ai pas de réponse à donner.",
    failure="Un problème est survenu et je n'ai pas pu terminer.",
    reference="Référence : {what}",
    no_file="Je n'ai pas pu joindre {what} : {why}.",
    file_refusals={
        "no_uploads": "l'envoi de fichiers est désactivé dans cet espace de travail",
        "no_room": "cet espace de travail n'a plus de place pour des fichiers",
        "no_such_type": "ce type de fichier n'est pas autorisé dans cet espace de travail",
        "too_big": "le fichier dépasse la taille autorisée dans cet espace de travail",
        "no_scope": "je n'ai pas le droit d'envoyer des fichiers dans cet espace de travail",
        "other": "Slack ne l'a pas accepté",
    },
    whole_answer="La réponse est longue ; la suite se trouve dans le fichier joint.",
    not_in_thread="Je n'ai pas pu répondre dans le fil, voici donc la réponse.",
    waiting="En attente de la réponse de {who}",
    waiting_approval="En attente de la décision de {who}",
    waiting_connection="En attente de la connexion de {what} par {who}",
    asked="Question posée à {who} après {time}",
    asked_approval="Accord demandé à {who} après {time}",
    asked_connection="Connexion de {what} demandée à {who} après {time}",
    choose="Répondez par un numéro ou avec vos propres mots.",
    answer_by="J'attends votre réponse jusqu'à {when}.",
    took_in="Message de {who} pris en compte : {what}",
    answered_by="{who} a répondu : {what}",
    unsure="a peut-être eu lieu, peut-être pas",
    unsure_steps=(
        "{n} étape a peut-être eu lieu, peut-être pas",
        "{n} étapes ont peut-être eu lieu, peut-être pas",
    ),
    purposes={
        "ask_agent": "Question à {what}",
        "ask_report_expert": "Question à l'expert des rapports",
        "ask_user": "Question à vous poser",
        "check_accounts": "Vérification des comptes connectés",
        "find_tools": "Recherche des bons outils",
        "list_files": "Parcours des fichiers",
        "read_file": "Lecture de {what}",
        "read_pages": "Lecture de {n} pages",
        "run_code": "Travail sur les données",
        "save_sources": "Enregistrement des sources",
        "search_news": "Recherche dans l'actualité : {what}",
        "search_sources": "Recherche dans les sources : {what}",
        "search_web": "Recherche sur le web : {what}",
        "upload_file": "Remise d'un fichier",
        "use_tool": "{what}",
        "write_file": "Écriture de {what}",
        "write_report": "Rédaction du rapport",
    },
)

_SPANISH = Words(
    working="Trabajando en ello",
    done="Listo en {time}",
    limited="Detenido en un límite tras {time}",
    stopped="Detenido tras {time}",
    failed="Fallido tras {time}",
    tool_calls=("{n} llamada a herramientas", "{n} llamadas a herramientas"),
    pages_read=("{n} página leída", "{n} páginas leídas"),
    earlier_steps=("{n} paso anterior", "{n} pasos anteriores"),
    more_steps="y {n} más",
    trying_again="El modelo está ocupado; nuevo intento",
    thinking="Pensando el siguiente paso",
    no_answer="No tengo una respuesta.",
    failure="Algo salió mal y no pude terminar.",
    reference="Referencia: {what}",
    no_file="No pude adjuntar {what}: {why}.",
    file_refusals={
        "no_uploads": "la subida de archivos está desactivada en este espacio de trabajo",
        "no_room": "este espacio de trabajo ya no tiene sitio para archivos",
        "no_such_type": "este tipo de archivo no está permitido en este espacio de trabajo",
        "too_big": "el archivo es más grande de lo que permite este espacio de trabajo",
        "no_scope": "no tengo permiso para subir archivos en este espacio de trabajo",
        "other": "Slack no lo aceptó",
    },
    whole_answer="La respuesta es larga; el resto está en el archivo adjunto.",
    not_in_thread="No pude responder en el hilo, así que aquí está la respuesta.",
    waiting="Esperando la respuesta de {who}",
    waiting_approval="Esperando la decisión de {who}",
    waiting_connection="Esperando que {who} conecte {what}",
    asked="Pregunta a {who} tras {time}",
    asked_approval="Aprobación pedida a {who} tras {time}",
    asked_connection="Se pidió a {who} conectar {what} tras {time}",
    choose="Responde con un número o con tus propias palabras.",
    answer_by="Espero tu respuesta hasta {when}.",
    took_in="Mensaje de {who} incorporado: {what}",
    answered_by="{who} respondió: {what}",
    unsure="puede que haya ocurrido o no",
    unsure_steps=(
        "{n} paso puede que haya ocurrido o no",
        "{n} pasos puede que hayan ocurrido o no",
    ),
    purposes={
        "ask_agent": "Preguntando a {what}",
        "ask_report_expert": "Preguntando al experto en informes",
        "ask_user": "Haciendo una pregunta",
        "check_accounts": "Comprobando las cuentas conectadas",
        "find_tools": "Buscando las herramientas adecuadas",
        "list_files": "Revisando los archivos",
        "read_file": "Leyendo {what}",
        "read_pages": "Leyendo {n} páginas",
        "run_code": "Trabajando con los datos",
        "save_sources": "Guardando las fuentes",
        "search_news": "Buscando noticias sobre {what}",
        "search_sources": "Buscando en las fuentes: {what}",
        "search_web": "Buscando en la web: {what}",
        "upload_file": "Entregando un archivo",
        "use_tool": "{what}",
        "write_file": "Escribiendo {what}",
        "write_report": "Redactando el informe",
    },
)

WORDS: dict[Language, Words] = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
}
