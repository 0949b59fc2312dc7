"""Approvals and connections in French."""

from bot.presenter.consents.words.shape import Words

FRENCH = Words(
    conjunction="et",
    asked="{who} a demandé ceci. Je ne le fais qu'après un accord :",
    with_account="avec le compte {account}",
    reaches=("Atteint {n} destinataire : {whom}", "Atteint {n} destinataires : {whom}"),
    no_arguments="Sans aucun paramètre.",
    along="Se fait dans le même lot et ne demande pas d'accord : {what}",
    more="et {n} autres",
    tainted="J'ai lu dans ce fil un texte venu de l'extérieur. Il a pu demander ceci.",
    until="J'attends jusqu'à {when}. Empreinte `{digest}`",
    in_file="Le tout est dans le fichier `{file}` ci-dessus. Empreinte `{digest}`",
    cut="… la suite est dans le fichier",
    not_shown=(
        "Je n'ai pas pu tout montrer, donc personne ne peut l'approuver. "
        "On peut seulement le refuser."
    ),
    buttons={
        "approve": "Approuver",
        "approve_thread": "Approuver pour ce fil",
        "reject": "Refuser…",
        "link": "Afficher mon lien",
        "skip": "Passer",
        "check": "Je l'ai connecté",
    },
    approved="Approuvé par {who}, {when}",
    approved_thread="Approuvé pour ce fil par {who}, {when}",
    rejected="Refusé par {who}, {when}",
    rejected_because="Refusé par {who}, {when} : « {reason} »",
    expired="Personne n'a décidé à temps, donc rien n'a été fait.",
    overtaken=(
        "Rien n'a été fait : le travail a été arrêté avant, ou a continué avec un nouveau message."
    ),
    void="Rien n'a été fait : ce qui était prévu a changé, donc aucun accord n'y correspond.",
    reason_title="Refuser",
    reason_label="Pourquoi ?",
    reason_hint="L'agent lit ceci et peut s'y prendre autrement.",
    cancel="Annuler",
    to_connect="En attente de la connexion de {what} par {who}, jusqu'à {when}.",
    link=(
        "Connectez {what} pour que je puisse continuer. Le lien est pour vous seul : "
        "qui l'ouvre connecte son propre compte en votre nom."
    ),
    connect="Connecter {what}",
    connected=("{what} connecté par {who}", "{what} connectés par {who}"),
    skipped=("{who} a passé la connexion de {what}", "{who} a passé la connexion de {what}"),
    not_in_time=(
        "{what} n'a pas été connecté à temps",
        "{what} n'ont pas été connectés à temps",
    ),
    left_off=(
        "{what} n'a pas été connecté : le travail a été arrêté, ou a continué avec un nouveau "
        "message",
        "{what} n'ont pas été connectés : le travail a été arrêté, ou a continué avec un nouveau "
        "message",
    ),
    refusals={
        "not_yours": "Seule la personne qui l'a demandé, ou désignée pour cela, peut en décider.",
        "not_your_link": "Seule la personne qui l'a demandé peut connecter son compte ou passer.",
        "over": "Il est trop tard : c'est terminé.",
        "decided": "C'est déjà décidé.",
        "unknown": "Je ne connais rien de tel ici, donc je n'ai rien fait.",
        "no_link": "Je n'obtiens pas de lien. Appuyez dans un instant sur « Afficher mon lien ».",
        "tainted": (
            "Un texte venu de l'extérieur a été lu entre-temps dans ce fil, donc chaque étape se "
            "décide seule. Appuyez sur « Approuver » ou « Refuser »."
        ),
        "press_again": "Cela n'a pas marché. Veuillez appuyer encore une fois.",
        "not_connected_yet": "Cela ne semble pas encore connecté. Je continue de vérifier.",
    },
)
