"""Digests in French."""

from bot.digests.words.shape import Words

FRENCH = Words(
    understood="*{task}*\n{when}, dans {channel}\nProchains : {next}",
    only_news="Je ne publie que s'il y a du nouveau.",
    says_no_news="S'il n'y a rien de nouveau, je le dis en une ligne.",
    shall_i="Est-ce que je fais cela ?",
    in_private="nos messages directs",
    ask={
        "time": "À quelle heure ? Par exemple « à 9h » (votre fuseau horaire est {zone}).",
        "day": "Quels jours ? Par exemple « tous les lundis à 9h ».",
        "task": "Sur quoi doit porter le digest ?",
        "zone": "Quel fuseau horaire ? Par exemple « 9h Europe/Paris ».",
        "channel": "Dans quel canal ? Un seul, par exemple « dans #actualites ».",
    },
    ask_which_rule=(
        "Un digest ne suit qu'une seule règle. Laquelle choisir : « {first} » ou « {second} » ? "
        "L'autre peut devenir un digest à part."
    ),
    scheduled=(
        "Programmé comme digest {n}, demandé par {who} : *{task}*\n"
        "{when}, dans {channel}\nProchains : {next}"
    ),
    not_scheduled="Non programmé.",
    refusals={
        "unreadable": "Je n'ai pas compris quand. Par exemple : « chaque jour ouvré à 9h ».",
        "unknown_zone": "Je ne connais pas ce fuseau horaire. Par exemple : « 9h Europe/Paris ».",
        "too_often": "C'est trop souvent : un digest paraît au plus toutes les 15 minutes.",
        "never": "Ce jour n'existe pas dans les dix ans à venir. Indiquez-en un autre.",
        "over": "Toutes ces dates sont déjà passées.",
        "unknown_channel": "Je ne vois pas de canal {channel}. Invitez-moi, puis redemandez.",
        "bot_not_there": "Je ne suis pas dans {channel}. Invitez-moi, puis redemandez.",
        "not_allowed": "Je n'ai pas le droit de travailler dans {channel}.",
        "asker_not_there": "Vous n'êtes pas dans {channel}. Rejoignez-le, puis redemandez.",
        "team_full": "Cet espace de travail a {n} digests. Je ne peux pas en garder plus.",
        "place_full": "{channel} a {n} digests. Je ne peux pas y en garder plus.",
        "person_full": "Vous avez {n} digests. Je ne peux pas en garder plus par personne.",
        "not_yours": "Seuls {who}, à l'origine du digest {n}, et les admins peuvent le modifier.",
        "not_yours_yet": "C'est à {who}, à l'origine de la demande, d'en décider.",
        "not_there": "Ce digest n'existe pas. « Liste les digests » les montre tous.",
        "which": "Lequel ? Indiquez son numéro :",
        "already_running": "Le digest {n} est en cours de préparation.",
        "press_again": "Cela a pris trop de temps. Appuyez encore une fois sur le bouton.",
    },
    buttons={
        "confirm": "Confirmer",
        "change": "Modifier",
        "cancel": "Annuler",
        "pause": "Mettre en pause",
        "resume": "Reprendre",
        "run": "Exécuter maintenant",
        "edit": "Modifier",
        "delete": "Supprimer",
        "new": "Nouveau digest",
    },
    listed="Digests",
    more="Et {n} de plus. Nommez-en un par son numéro : « modifie le digest 21 ».",
    none=(
        "Il n'y a pas de digest ici. Demandez-en un, par exemple : "
        "« publie chaque jour ouvré à 9h un digest sur le stockage d'énergie dans #energie »."
    ),
    paused="Le digest {n} (*{task}*) est en pause. « Reprends le digest {n} » le relance.",
    resumed="Le digest {n} (*{task}*) reprend. Prochains : {next}",
    deleted="Le digest {n} (*{task}*) est supprimé. Ce qu'il a publié reste.",
    started="Le digest {n} (*{task}*) est en cours de préparation.",
    changed="Le digest {n} est modifié : *{task}*\n{when}, dans {channel}\nProchains : {next}",
    is_paused="en pause",
    is_paused_because="en pause : {why}",
    is_over="terminé",
    next_is="prochain : {next}",
    why_paused={
        "failing": "il a échoué trois fois de suite",
        "owner_left": "la personne qui l'a demandé a quitté le canal ou l'espace de travail",
        "place_closed": "son canal est archivé ou supprimé",
        "not_in_place": "je ne suis plus dans son canal",
        "may_not_post": "je n'ai pas le droit de publier dans son canal",
    },
    form_title="Digest",
    form_task="Sur quoi porte-t-il ?",
    form_when="Quand ? Par exemple : chaque jour ouvré à 9h",
    form_channel="Dans quel canal ?",
    form_news="S'il n'y a rien de nouveau",
    news_post="Publier quand même",
    news_say_so="Le dire en une ligne",
    news_silent="Ne rien publier",
    form_save="Enregistrer",
    form_unclear="Indiquez les jours et l'heure, par exemple : chaque jour ouvré à 9h",
    first="C'est le premier.",
    news_since="Nouveautés depuis {when} : {count} sur {of}.",
    no_news_since="Rien de nouveau depuis {when}.",
    late="En retard : il était prévu {when}.",
    left_out=("{n} précédent a été laissé de côté.", "{n} précédents ont été laissés de côté."),
    new_mark="nouveau",
    by_hand="Préparé sur demande, hors de ses heures habituelles.",
    footer="Digest {n} · {when} · demandé par {who} · répondez ici pour continuer",
    failed="Le digest {n} (*{task}*) n'a pas abouti cette fois. Je réessaierai.",
    paused_because=(
        "Le digest {n} (*{task}*) est en pause : {why}. « Reprends le digest {n} » le relance."
    ),
)
