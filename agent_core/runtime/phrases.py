"""What is said to a person without asking a model, in the languages that we have words for."""

from dataclasses import dataclass

from agent_core.events import Outcome
from agent_core.prompts.language import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """One language. `{n}` is a number, `{path}` a file of the workspace, `{what}` some names."""

    thousands: str
    help: str
    answered: str
    limited: str
    stopped: str
    failed: str
    at_work: str
    so_far: str
    """What follows the time in `at_work`, if something was done."""
    under_way: str
    at_model: str
    add_something: str
    waiting: str
    just_begun: str
    steps: str
    """One and several, apart by a bar; so for `calls`."""
    calls: str
    counted: str
    stopped_by: str
    stopped_now: str
    stopped_deleted: str
    until_then: str
    saved: str
    unsure: str
    left_out: str
    """What people added and the work had not come to."""
    to_go_on: str
    unanswered: str
    thanks: str
    nothing_running: str
    noise: str
    long_text: str
    long_text_kept: str
    new_workspace: str
    nothing_read: str
    digest: str
    """What a digest's turn is asked for. `{task}` is what was ordered, in a person's words."""

    def count(self, forms: str, n: int) -> str:
        """`1 step`, `12 steps`."""
        one, _, several = forms.partition("|")
        return f"{self.number(n)} {one if n == 1 else several}"

    def number(self, n: int) -> str:
        """`39,000`, as the language groups it."""
        return f"{n:,}".replace(",", self.thousands)

    def state(self, outcome: Outcome) -> str:
        """What the thread's last turn came to."""
        match outcome:
            case "answered" | "steered":
                return self.answered
            case "limited":
                return self.limited
            case "stopped":
                return self.stopped
            case "failed":
                return self.failed


_ENGLISH = Phrases(
    thousands=",",
    help=(
        "Here I am. Mention me with a question or a task, and I get to work.\n\n"
        "- I answer from what I know, or search the web and read pages and files first.\n"
        "- For a report say what on, such as “write a report on heat pumps in old houses”: "
        "you get it as a file, with its sources.\n"
        "- Attach files and say what to do with them.\n"
        "- “Every weekday at 9 post a digest on battery storage in #energy” orders a digest; "
        "“digests” lists them.\n"
        "- In this thread a word is enough: a reply without a mention goes on from here, and "
        "“continue” takes up what is not finished."
    ),
    answered=(
        "The last request in this thread is answered. A word is enough to go on: ask the next "
        "question, or say what to change or to look into."
    ),
    limited=(
        "The last request in this thread stopped at a limit and is not finished. A word is "
        "enough: reply “continue” and I go on from there."
    ),
    stopped=(
        "The last request in this thread was stopped. A word is enough: reply “continue” and I "
        "go on from there, or ask something else."
    ),
    failed=(
        "The last request in this thread could not be finished. A word is enough: reply "
        "“continue” and I try again from there."
    ),
    at_work="I have been at work for {time}{so_far}.",
    so_far=", with {done} so far",
    under_way="Under way right now: {what}.",
    at_model="I am waiting for the model's reply.",
    add_something="A word is enough to add something, “stop” ends it.",
    waiting="I am waiting for an answer to my question above.",
    just_begun="I have just begun.",
    steps="step|steps",
    calls="tool call|tool calls",
    counted="{steps} and {calls}",
    stopped_by="Stopped, as {name} asked.",
    stopped_now="Stopped.",
    stopped_deleted="Stopped, because the message that asked for it was deleted.",
    until_then="Until then: {done}.",
    saved="Saved: {what}.",
    unsure="What may or may not have happened: {what}. Please look before it is done again.",
    left_out="Not begun any more: {what}.",
    to_go_on="Reply “continue” and I go on from there.",
    unanswered=(
        "Nobody answered my question above, so I stopped here. Reply with the answer and I go on."
    ),
    thanks="You are welcome! If there is more I can do, a few words are enough.",
    nothing_running=(
        "Nothing is running in this thread. If I am at work in another one, please reply there."
    ),
    noise=(
        "Your message has {n} characters and no word in it, so there was nothing I could work on. "
        "Tell me in a few words what you need."
    ),
    long_text="Your message has {n} characters; I took in all of it.",
    long_text_kept="Your message has {n} characters; I took in all of it and saved it as `{path}`.",
    new_workspace="The files of this thread were gone; I started a new workspace.",
    nothing_read="I could not read any of the pages that I tried.",
    digest="Research {task} and write a report.",
)

_GERMAN = Phrases(
    thousands=".",
    help=(
        "Hier bin ich. Erwähne mich mit einer Frage oder einer Aufgabe, dann lege ich los.\n\n"
        "- Ich antworte aus dem, was ich weiß, oder suche vorher im Web und lese Seiten und "
        "Dateien.\n"
        "- Für einen Bericht genügt das Thema, etwa „Schreibe einen Bericht über Wärmepumpen in "
        "Altbauten“: Er kommt als Datei, mit seinen Quellen.\n"
        "- Hänge Dateien an und sag, was damit geschehen soll.\n"
        "- „Poste jeden Werktag um 9 einen Überblick über Batteriespeicher in #energie“ bestellt "
        "einen Digest; „Digests“ listet sie auf.\n"
        "- In diesem Thread genügt ein Wort: Eine Antwort ohne Erwähnung führt von hier weiter, "
        "und „weiter“ nimmt auf, was nicht fertig ist."
    ),
    answered=(
        "Die letzte Anfrage in diesem Thread ist beantwortet. Ein Wort genügt, um "
        "weiterzumachen: Stell die nächste Frage, oder sag, was ich ändern oder nachsehen soll."
    ),
    limited=(
        "Die letzte Anfrage in diesem Thread hat an einer Grenze angehalten und ist nicht "
        "fertig. Ein Wort genügt: Antworte „weiter“, dann mache ich dort weiter."
    ),
    stopped=(
        "Die letzte Anfrage in diesem Thread wurde angehalten. Ein Wort genügt: Antworte "
        "„weiter“, dann mache ich dort weiter, oder frag etwas anderes."
    ),
    failed=(
        "Die letzte Anfrage in diesem Thread wurde nicht fertig. Ein Wort genügt: Antworte "
        "„weiter“, dann versuche ich es von dort noch einmal."
    ),
    at_work="Ich bin seit {time} dabei{so_far}.",
    so_far=", bisher mit {done}",
    under_way="Gerade läuft: {what}.",
    at_model="Ich warte auf die Antwort des Modells.",
    add_something="Ein Wort genügt, um etwas hinzuzufügen; „stopp“ beendet es.",
    waiting="Ich warte auf eine Antwort auf meine Frage oben.",
    just_begun="Ich habe gerade angefangen.",
    steps="Schritt|Schritten",
    calls="Werkzeugaufruf|Werkzeugaufrufen",
    counted="{steps} und {calls}",
    stopped_by="Angehalten, wie {name} es wollte.",
    stopped_now="Angehalten.",
    stopped_deleted="Angehalten, weil die Nachricht mit dem Auftrag gelöscht wurde.",
    until_then="Bis dahin war ich bei {done}.",
    saved="Gesichert: {what}.",
    unsure="Ungewiss, ob es geschehen ist: {what}. Bitte vor einer Wiederholung nachsehen.",
    left_out="Nicht mehr begonnen: {what}.",
    to_go_on="Antworte „weiter“, dann mache ich dort weiter.",
    unanswered=(
        "Auf meine Frage oben kam keine Antwort, daher habe ich hier angehalten. Antworte darauf, "
        "dann mache ich weiter."
    ),
    nothing_running=(
        "In diesem Thread läuft gerade nichts. Bin ich in einem anderen am Werk, antworte bitte "
        "dort."
    ),
    thanks="Gern! Wenn ich noch etwas tun kann, genügen ein paar Worte.",
    noise=(
        "Deine Nachricht hat {n} Zeichen und kein Wort, daher konnte ich nichts damit anfangen. "
        "Sag mir in ein paar Worten, was du brauchst."
    ),
    long_text="Deine Nachricht hat {n} Zeichen; ich habe alles aufgenommen.",
    long_text_kept=(
        "Deine Nachricht hat {n} Zeichen; ich habe alles aufgenommen und als `{path}` gesichert."
    ),
    new_workspace=(
        "Die Dateien dieses Threads waren weg; ich habe einen neuen Arbeitsbereich begonnen."
    ),
    nothing_read="Von den Seiten, die ich versucht habe, konnte ich keine lesen.",
    digest="Recherchiere {task} und schreibe einen Bericht.",
)

_FRENCH = Phrases(
    thousands="\N{NO-BREAK SPACE}",
    help=(
        "Me voici. Mentionnez-moi avec une question ou une tâche, et je m'y mets.\n\n"
        "- Je réponds avec ce que je sais, ou je cherche d'abord sur le web et lis des pages et "
        "des fichiers.\n"
        "- Pour un rapport, dites sur quoi, par exemple « rédige un rapport sur les pompes à "
        "chaleur dans les maisons anciennes » : il arrive en fichier, avec ses sources.\n"
        "- Joignez des fichiers et dites quoi en faire.\n"
        "- « Chaque jour ouvré à 9h publie un résumé sur le stockage dans #energie » commande un "
        "digest ; « digests » les liste.\n"
        "- Dans ce fil, un mot suffit : une réponse sans mention poursuit d'ici, et « continue » "
        "reprend ce qui n'est pas terminé."
    ),
    answered=(
        "La dernière demande de ce fil a reçu sa réponse. Un mot suffit pour poursuivre : posez "
        "la question suivante, ou dites ce qu'il faut changer ou vérifier."
    ),
    limited=(
        "La dernière demande de ce fil s'est arrêtée à une limite et n'est pas terminée. Un mot "
        "suffit : répondez « continue » et je reprends là."
    ),
    stopped=(
        "La dernière demande de ce fil a été arrêtée. Un mot suffit : répondez « continue » et je "
        "reprends là, ou demandez autre chose."
    ),
    failed=(
        "La dernière demande de ce fil n'a pas pu être terminée. Un mot suffit : répondez "
        "« continue » et je réessaie à partir de là."
    ),
    at_work="J'y travaille depuis {time}{so_far}.",
    so_far=", avec {done} jusqu'ici",
    under_way="En cours : {what}.",
    at_model="J'attends la réponse du modèle.",
    add_something="Un mot suffit pour ajouter quelque chose, « stop » pour arrêter.",
    waiting="J'attends une réponse à ma question ci-dessus.",
    just_begun="Je viens de commencer.",
    steps="étape|étapes",
    calls="appel d'outil|appels d'outils",
    counted="{steps} et {calls}",
    stopped_by="Arrêté, comme {name} l'a demandé.",
    stopped_now="Arrêté.",
    stopped_deleted="Arrêté, car le message qui le demandait a été supprimé.",
    until_then="Jusque-là : {done}.",
    saved="Enregistré : {what}.",
    unsure="Peut-être fait, peut-être pas : {what}. À vérifier avant de le refaire.",
    left_out="Pas encore commencé : {what}.",
    to_go_on="Répondez « continue » et je reprends là.",
    unanswered=(
        "Ma question ci-dessus est restée sans réponse, je me suis donc arrêté ici. Répondez-y et "
        "je continue."
    ),
    nothing_running=(
        "Rien n'est en cours dans ce fil. Si je travaille dans un autre, répondez là-bas."
    ),
    thanks="Avec plaisir ! Si je peux faire autre chose, quelques mots suffisent.",
    noise=(
        "Votre message compte {n} caractères et aucun mot, je n'ai donc rien pu en faire. "
        "Dites-moi en quelques mots ce qu'il vous faut."
    ),
    long_text="Votre message compte {n} caractères ; je l'ai pris en entier.",
    long_text_kept=(
        "Votre message compte {n} caractères ; je l'ai pris en entier et enregistré sous `{path}`."
    ),
    new_workspace=(
        "Les fichiers de ce fil avaient disparu ; j'ai commencé un nouvel espace de travail."
    ),
    nothing_read="Je n'ai pu lire aucune des pages que j'ai essayées.",
    digest="Recherche {task} et écris un rapport.",
)

_SPANISH = Phrases(
    thousands=".",
    help=(
        "Aquí estoy. Mencióname con una pregunta o una tarea y me pongo a ello.\n\n"
        "- Respondo con lo que sé, o antes busco en la web y leo páginas y archivos.\n"
        "- Para un informe basta con el tema, por ejemplo «escribe un informe sobre las bombas "
        "de calor en casas antiguas»: llega como archivo, con sus fuentes.\n"
        "- Adjunta archivos y di qué hacer con ellos.\n"
        "- «Cada día laborable a las 9 publica un resumen sobre baterías en #energia» pide un "
        "digest; «digests» los muestra.\n"
        "- En este hilo basta una palabra: una respuesta sin mención sigue desde aquí, y "
        "«continúa» retoma lo que no está terminado."
    ),
    answered=(
        "La última petición de este hilo está respondida. Basta una palabra para seguir: haz la "
        "siguiente pregunta, o di qué hay que cambiar o comprobar."
    ),
    limited=(
        "La última petición de este hilo se detuvo en un límite y no está terminada. Basta una "
        "palabra: responde «continúa» y sigo desde ahí."
    ),
    stopped=(
        "La última petición de este hilo se detuvo. Basta una palabra: responde «continúa» y sigo "
        "desde ahí, o pide otra cosa."
    ),
    failed=(
        "La última petición de este hilo no se pudo terminar. Basta una palabra: responde "
        "«continúa» y lo intento de nuevo desde ahí."
    ),
    at_work="Llevo {time} con ello{so_far}.",
    so_far=", con {done} hasta ahora",
    under_way="Ahora mismo: {what}.",
    at_model="Espero la respuesta del modelo.",
    add_something="Basta una palabra para añadir algo; «para» lo detiene.",
    waiting="Espero una respuesta a mi pregunta de arriba.",
    just_begun="Acabo de empezar.",
    steps="paso|pasos",
    calls="llamada a herramienta|llamadas a herramientas",
    counted="{steps} y {calls}",
    stopped_by="Detenido, como pidió {name}.",
    stopped_now="Detenido.",
    stopped_deleted="Detenido, porque se borró el mensaje que lo pedía.",
    until_then="Hasta entonces: {done}.",
    saved="Guardado: {what}.",
    unsure="Puede que haya ocurrido o no: {what}. Conviene mirarlo antes de repetirlo.",
    left_out="Sin empezar: {what}.",
    to_go_on="Responde «continúa» y sigo desde ahí.",
    unanswered=(
        "Nadie respondió a mi pregunta de arriba, así que me detuve aquí. Responde y sigo."
    ),
    nothing_running=(
        "No hay nada en marcha en este hilo. Si estoy trabajando en otro, responde allí."
    ),
    thanks="¡De nada! Si puedo hacer algo más, bastan unas palabras.",
    noise=(
        "Tu mensaje tiene {n} caracteres y ninguna palabra, así que no pude hacer nada con él. "
        "Dime en pocas palabras qué necesitas."
    ),
    long_text="Tu mensaje tiene {n} caracteres; lo he leído entero.",
    long_text_kept=(
        "Tu mensaje tiene {n} caracteres; lo he leído entero y lo guardé como `{path}`."
    ),
    new_workspace="Los archivos de este hilo ya no estaban; empecé un nuevo espacio de trabajo.",
    nothing_read="No pude leer ninguna de las páginas que intenté.",
    digest="Investiga {task} y escribe un informe.",
)

PHRASES: dict[Language, Phrases] = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
}
