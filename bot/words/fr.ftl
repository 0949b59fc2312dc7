# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Digests

digest-understood = *{ $task }*
    { $when }, dans { $channel }
    Prochains : { $next }
digest-only-news = Je ne publie que s'il y a du nouveau.
digest-says-no-news = S'il n'y a rien de nouveau, je le dis en une ligne.
digest-shall-i = Est-ce que je fais cela ?
digest-in-private = nos messages directs
digest-ask-time = À quelle heure ? Par exemple « à 9h » (votre fuseau horaire est { $zone }).
digest-ask-day = Quels jours ? Par exemple « tous les lundis à 9h ».
digest-ask-task = Sur quoi doit porter le digest ?
digest-ask-channel = Dans quel canal ? Un seul, par exemple « dans #actualites ».
digest-scheduled = Programmé comme digest { $n }, demandé par { $who } : *{ $task }*
    { $when }, dans { $channel }
    Prochains : { $next }
digest-not-scheduled = Non programmé.
digest-refusal-unreadable = Je n'ai pas compris quand. Par exemple : « chaque jour ouvré à 9h ».
digest-refusal-unknown-zone = Je ne connais pas ce fuseau horaire. Par exemple : « 9h Europe/Paris ».
digest-refusal-too-often = C'est trop souvent : un digest paraît au plus toutes les 15 minutes.
digest-refusal-never = Ce jour n'existe pas dans les dix ans à venir. Indiquez-en un autre.
digest-refusal-over = Toutes ces dates sont déjà passées.
digest-refusal-unknown-channel = Je ne vois pas de canal { $channel }. Invitez-moi, puis redemandez.
digest-refusal-bot-not-there = Je ne suis pas dans { $channel }. Invitez-moi, puis redemandez.
digest-refusal-not-allowed = Je n'ai pas le droit de travailler dans { $channel }.
digest-refusal-asker-not-there = Vous n'êtes pas dans { $channel }. Rejoignez-le, puis redemandez.
digest-refusal-team-full = Cet espace de travail a { $n } digests. Je ne peux pas en garder plus.
digest-refusal-place-full = { $channel } a { $n } digests. Je ne peux pas y en garder plus.
digest-refusal-person-full = Vous avez { $n } digests. Je ne peux pas en garder plus par personne.
digest-refusal-not-yours = Seuls { $who }, à l'origine du digest { $n }, et les admins peuvent le modifier.
digest-refusal-not-yours-yet = C'est à { $who }, à l'origine de la demande, d'en décider.
digest-refusal-not-there = Ce digest n'existe pas. « Liste les digests » les montre tous.
digest-refusal-which = Lequel ? Indiquez son numéro :
digest-refusal-already-running = Le digest { $n } est en cours de préparation.
digest-refusal-press-again = Cela a pris trop de temps. Appuyez encore une fois sur le bouton.
digest-button-confirm = Confirmer
digest-button-change = Modifier
digest-button-cancel = Annuler
digest-button-pause = Mettre en pause
digest-button-resume = Reprendre
digest-button-run = Exécuter maintenant
digest-button-edit = Modifier
digest-button-delete = Supprimer
digest-button-new = Nouveau digest
digest-listed = Digests
digest-more = Et { $n } de plus. Nommez-en un par son numéro : « modifie le digest 21 ».
digest-none = Il n'y a pas de digest ici. Demandez-en un, par exemple : « publie chaque jour ouvré à 9h un digest sur le stockage d'énergie dans #energie ».
digest-paused = Le digest { $n } (*{ $task }*) est en pause. « Reprends le digest { $n } » le relance.
digest-resumed = Le digest { $n } (*{ $task }*) reprend. Prochains : { $next }
digest-deleted = Le digest { $n } (*{ $task }*) est supprimé. Ce qu'il a publié reste.
digest-started = Le digest { $n } (*{ $task }*) est en cours de préparation.
digest-changed = Le digest { $n } est modifié : *{ $task }*
    { $when }, dans { $channel }
    Prochains : { $next }
digest-is-paused = en pause
digest-is-paused-because = en pause : { $why }
digest-is-over = terminé
digest-next-is = prochain : { $next }
digest-why-failing = il a échoué trois fois de suite
digest-why-owner-left = la personne qui l'a demandé a quitté le canal ou l'espace de travail
digest-why-place-closed = son canal est archivé ou supprimé
digest-why-not-in-place = je ne suis plus dans son canal
digest-why-may-not-post = je n'ai pas le droit de publier dans son canal
digest-form-title = Digest
digest-form-task = Sur quoi porte-t-il ?
digest-form-channel = Dans quel canal ?
digest-form-news = S'il n'y a rien de nouveau
digest-news-post = Publier quand même
digest-news-say-so = Le dire en une ligne
digest-news-silent = Ne rien publier
digest-form-save = Enregistrer
digest-first = C'est le premier.
digest-news-since = Nouveautés depuis { $when } : { $count } sur { $of }.
digest-no-news-since = Rien de nouveau depuis { $when }.
digest-late = En retard : il était prévu { $when }.
digest-left-out = { $n ->
    [one] { $n } précédent a été laissé de côté.
   *[other] { $n } précédents ont été laissés de côté.
 }
digest-new-mark = nouveau
digest-by-hand = Préparé sur demande, hors de ses heures habituelles.
digest-footer = Digest { $n } · { $when } · demandé par { $who } · répondez ici pour continuer
digest-failed = Le digest { $n } (*{ $task }*) n'a pas abouti cette fois. Je réessaierai.
digest-paused-because = Le digest { $n } (*{ $task }*) est en pause : { $why }. « Reprends le digest { $n } » le relance.
digest-reads = Je lirai ce qui est publié dans { $reads }.
digest-reads-not = Je n'ai pas le droit de lire { $reads }. Tant que je n'y suis pas invité, le digest ne dira que cela.
digest-agree = Pour accepter, appuie sur « Confirmer » ou réponds « oui ».
digest-away = Je ne peux pas lire cela pour le moment. Si tu veux un digest, un formulaire convient aussi.
digest-form-days = Quels jours ?
digest-form-time = À quelle heure ? Par exemple 09:00 ({ $zone })
digest-form-time-unclear = Écris l'heure sous la forme 09:00.
