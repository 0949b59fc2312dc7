# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Digests

digest-understood = *{ $task }*
    { $when }, dans { $channel }
    Prochains : { $next }
digest-only-news = Je ne publie que s'il y a du nouveau.
digest-says-no-news = S'il n'y a rien de nouveau, je le dis en une ligne.
digest-shall-i = Est-ce que je fais cela ?
digest-repeats = Le digest { $n }, demandé par { $who }, porte sur le même sujet : *{ $task }*
    { $when }, dans { $channel }
digest-in-private = nos messages directs
digest-ask-time = À quelle heure ? Par exemple « à 9h » (votre fuseau horaire est { $zone }).
digest-ask-day = Quels jours ? Par exemple « tous les lundis à 9h ».
digest-ask-task = Sur quoi doit porter le digest ?
digest-ask-channel = Dans quel canal ? Un seul, par exemple « dans #actualites ».
digest-scheduled = Programmé comme digest { $n }, demandé par { $who } : *{ $task }*
    { $when }, dans { $channel }
    Prochains : { $next }
digest-not-scheduled = Non programmé.
digest-replaced = Remplacé par la version ci-dessous.
digest-refusal-unreadable = Je n'ai pas compris quand. Par exemple : « chaque jour ouvré à 9h ».
digest-refusal-unknown-zone = Je ne connais pas ce fuseau horaire. Par exemple : « 9h Europe/Paris ».
digest-refusal-too-often = C'est trop souvent : un digest paraît au plus toutes les 15 minutes.
digest-refusal-never = Ce jour n'existe pas dans les dix ans à venir. Indiquez-en un autre.
digest-refusal-over = Toutes ces dates sont déjà passées.
digest-refusal-place-closed = Je ne vois pas de canal { $channel }. Invitez-moi, puis redemandez.
digest-refusal-not-in-place = Je ne suis pas dans { $channel }. Invitez-moi, puis redemandez.
digest-refusal-switched-off = Dans { $channel }, les synthèses sont désactivées. Un admin ou la personne qui gère le canal peut les activer.
digest-refusal-not-allowed = Je n'ai pas le droit de travailler dans { $channel }.
digest-refusal-owner-left = Vous n'êtes pas dans { $channel }. Rejoignez-le, puis redemandez.
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
digest-button-keep-both = Garder les deux
digest-button-replace = Remplacer
digest-button-pause = Mettre en pause
digest-button-resume = Reprendre
digest-button-run = Exécuter maintenant
digest-button-edit = Modifier
digest-button-delete = Supprimer
digest-from-home = Voici le résumé que vous avez demandé sur mon onglet Accueil :
digest-button-new = Nouveau digest
digest-listed = Digests
digest-more = Et { $n } de plus. Nommez-en un par son numéro : « modifie le digest 21 ».
digest-none = Il n'y a pas encore de digest. Demandez-en un, par exemple : « publie chaque jour ouvré à 9h un digest sur le stockage d'énergie dans #energie ».
digest-none-there = Il n'y a pas encore de digest dans { $channel }.
digest-did-pause = Le digest { $n } (*{ $task }*) est en pause. « Reprends le digest { $n } » le relance.
digest-did-resume = Le digest { $n } (*{ $task }*) est de nouveau actif. Prochains : { $next }
digest-did-delete = Le digest { $n } (*{ $task }*) est supprimé. Ce qu'il a publié reste.
digest-did-run = Le digest { $n } (*{ $task }*) est en cours de préparation.
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
digest-why-switched-off = les synthèses sont désactivées dans son canal
digest-why-may-not-post = je n'ai pas le droit de publier dans son canal
digest-form-title = Digest
digest-form-task = Sur quoi porte-t-il ?
digest-form-channel = Dans quel canal ?
digest-form-news = S'il n'y a rien de nouveau
digest-news-post = Publier quand même
digest-news-say-so = Le dire en une ligne
digest-news-be-silent = Ne rien publier
digest-form-save = Enregistrer
digest-first = Première édition.
digest-news-since = Nouveautés depuis { $when } : { $count } sur { $of }.
digest-no-news-since = Rien de nouveau depuis { $when }.
digest-late = En retard : il était prévu { $when }.
digest-left-out = { $n ->
    [one] { $n } précédent a été laissé de côté.
   *[other] { $n } précédents ont été laissés de côté.
 }
digest-new-mark = nouveau
digest-by-hand = Édition spéciale, préparée sur demande.
digest-footer = Digest { $n } · { $when } · demandé par { $who } · répondez ici pour en savoir plus
digest-failed = Le digest { $n } (*{ $task }*) n'a pas abouti cette fois. Je réessaierai.
digest-paused-because = Le digest { $n } (*{ $task }*) est en pause : { $why }. « Reprends le digest { $n } » le relance.
digest-reads = Je lirai ce qui est publié dans { $reads }.
digest-reads-not = Je n'ai pas le droit de lire { $reads }. Tant que je n'y suis pas invité, le digest ne dira que cela.
digest-refusal-repeats = Appuie sur l'un des boutons ci-dessus, s'il te plaît.
digest-away = Je ne peux pas lire cela pour le moment. Si tu veux un digest, un formulaire convient aussi.
digest-form-days = Quels jours ?
digest-form-time = À quelle heure ? Par exemple 09:00 ({ $zone })
digest-form-time-unclear = Écris l'heure sous la forme 09:00.
## Progress and answers

progress-working = J'y travaille
progress-ended-done = Terminé en { $time }
progress-ended-early = J'y ai travaillé { $time }
progress-pages-read =
    { $n ->
        [one] { $n } page lue
       *[other] { $n } pages lues
    }
progress-earlier-steps =
    { $n ->
        [one] { $n } étape précédente
       *[other] { $n } étapes précédentes
    }
progress-more-steps = et { $n } autres
progress-trying-again = Mon modèle de langage ne répond pas ; nouvel essai
progress-model-away = Mon modèle de langage est injoignable ; je réessaie jusqu'à { $time }. « stop » y met fin.
progress-model-back = Mon modèle de langage était injoignable et répond de nouveau
progress-model-gone = Mon modèle de langage est resté injoignable
progress-thinking = J'y réfléchis
progress-answer-now = Réponds avec ce que tu as
progress-no-answer = Je n'ai pas de réponse à donner.
progress-failure = Un problème est survenu et je n'ai pas pu terminer.
progress-reference = Référence : { $what }
progress-no-file = Je n'ai pas pu joindre { $what }.
progress-whole-answer = La réponse est longue ; la suite se trouve dans le fichier joint.
progress-sources = Sources :
progress-picture-of = Première page de « { $what } »
progress-not-in-thread = Je n'ai pas pu répondre dans le fil, voici donc la réponse.
progress-took-in = { $who } : « { $what } » — pris en compte
progress-changed = { $who } a changé la tâche : « { $old } » → « { $new } »
progress-took-in-late = { $who } : « { $what } » — trop tard pour le rapport ; dites « continue » et je l'y intègre
progress-failed = Cela n'a pas marché ; je continue sans
progress-stopped = Non approuvé
progress-cut = Pas terminé
progress-line = y travaille · { $time }
progress-line-looking = y jette un œil
progress-waiting = En attente d'une réponse
progress-waiting-for = En attente de { $who }
progress-writing = Rédaction : { $what }
progress-writing-answer = Rédaction de la réponse
progress-report-ahead = Préparation du rapport
progress-stop = Arrêter « { $what } »
progress-stop-late = Il n'y a plus rien à arrêter : cette partie est déjà terminée.
progress-stop-branch = { $who } a arrêté cette partie
progress-done-branch = { $who } a marqué cette partie comme terminée
progress-retry-branch = { $who } veut refaire cette partie
progress-unsure = a peut-être eu lieu, peut-être pas
progress-purpose-check-accounts = Vérification des comptes connectés
progress-purpose-look-back = Je parcours le travail précédent
progress-purpose-mend-post = Je modifie ce que j’ai publié
progress-purpose-read-channel = Je lis ce qui a été publié dans { $what }
progress-purpose-find-tools = Recherche des bonnes applications
progress-purpose-read-file = Lecture des documents
progress-purpose-read-pages = Lecture de { $what } et { $n } autres
progress-purpose-read-page = Lecture de { $what }
progress-purpose-use-app = Travail avec { $what }
progress-purpose-run-code = Travail sur les données
progress-purpose-save-sources = Enregistrement des sources
progress-purpose-search-news = Recherche dans l'actualité : { $what }
progress-purpose-search-sources = Recherche dans les sources : { $what }
progress-purpose-search-web = Recherche sur le web : { $what }
progress-purpose-upload-file = Remise d'un fichier
progress-purpose-use-tool = J'y travaille
progress-purpose-write-file = Mise par écrit
progress-purpose-write-report = Rédaction du rapport

## A question about a post, from its menu

ask-title = Demander à l’agent
ask-what = Que veux-tu savoir ?
ask-hint = Laissé vide : de quoi il s'agit et ce qu'il y a à faire.
ask-told = { $who } demande à ce sujet :
ask-default = De quoi s’agit-il, et qu’y a-t-il à faire ?
ask-about = À propos du message de { $who } : « { $what } »
ask-which = il s’agit de ce que { $who } a écrit à { $at }
ask-app = une application
ask-not-there = Je ne peux pas répondre là : je ne suis pas dans ce canal, ou il est archivé. Invitez-moi, puis réessayez.
ask-again = Cela a pris trop de temps. Réessayez, ou mentionnez-moi dans le fil.

## Its own posts

surface-corrected = (corrigé à la demande de { $who })

## Questions

question-choose = Choisissez ou écrivez votre réponse.
question-answer-by = J'attends votre réponse jusqu'à { $when }.
question-other = Autre chose…
question-form-title = Votre réponse
question-form-send = Envoyer
question-form-label = Que dois-je savoir ?
question-answered = { $who } a répondu : { $what }
question-default-taken = Personne n'a répondu, j'ai donc continué avec : { $what }
question-unanswered = Aucune réponse n'est venue.
question-default-option = { $what } (ma proposition)
question-over = Trop tard : cette question a reçu une réponse, ou j'ai continué sans.
question-not-yours = J'ai posé cette question à { $who }, et seul(e) { $who } peut y répondre ici. Vous pouvez toujours écrire dans le fil.
question-write-it = Le formulaire n'a pas pu s'ouvrir. Écrivez votre réponse dans le fil.

## Approvals and connections

consent-conjunction = et
consent-asked = { $who } a demandé ceci. Je ne le fais qu'après un accord :
consent-with-account = avec le compte { $account }
consent-reaches =
    { $n ->
        [one] Atteint { $n } destinataire : { $whom }
       *[other] Atteint { $n } destinataires : { $whom }
    }
consent-language = fr
consent-no-zone = sans fuseau horaire : l'application décide
consent-no-arguments = Sans aucun paramètre.
consent-along = Se fait dans le même lot et ne demande pas d'accord : { $what }
consent-more = et { $n } autres
consent-tainted = J'ai lu dans ce fil un texte venu de l'extérieur. Il a pu demander ceci.
consent-owner-only = Plusieurs personnes ont participé à ce travail : seule la personne concernée, { $who }, peut décider, à chaque fois de nouveau.
consent-until = J’attends jusqu’à { $when }.
consent-in-file = Tout est dans le fichier `{ $file }` ci-dessus.
consent-fingerprint = Empreinte `{ $digest }`
consent-not-shown = Je n'ai pas pu tout montrer, donc personne ne peut l'approuver. On peut seulement le refuser.
consent-sent-shown = En pièce jointe, et publié ci-dessus : { $files }.
consent-sent-hidden = Je ne peux pas vous montrer ce qui serait joint, cela ne peut donc pas être approuvé : { $files }.
consent-button-approve = Approuver
consent-button-approve-thread = Approuver pour ce fil
consent-button-reject = Refuser…
consent-button-edit = Modifier…
consent-button-details = Tous les détails
consent-button-link = Afficher mon lien
consent-button-skip = Passer
consent-button-check = Je l'ai connecté
consent-decided-approved = Approuvé par { $who }, { $when }
consent-decided-approved-thread = Approuvé pour ce fil par { $who }, { $when }
consent-decided-rejected = Refusé par { $who }, { $when }
consent-decided-rejected-because = Refusé par { $who }, { $when } : « { $reason } »
consent-decided-expired = Personne n'a décidé à temps, donc rien n'a été fait.
consent-decided-overtaken = Pas fait : avant cela, le travail a été arrêté ou quelque chose de nouveau a été écrit.
consent-decided-replaced = Remplacée par la demande ci-dessous.
consent-decided-void = Rien n'a été fait : ce qui était prévu a changé, donc aucun accord n'y correspond.
consent-decided-edited = Modifié par { $who }, { $when }
consent-changed = Modifié : { $what } « { $before } » → « { $after } »
consent-changed-text = Modifié : { $what }, comme ci-dessous
consent-reason-title = Refuser
consent-reason-label = Pourquoi ?
consent-reason-hint = L'agent lit ceci et peut proposer une fois l'action modifiée.
consent-cancel = Annuler
consent-close = Fermer
consent-edit-title = Modifier avant
consent-edit-save = Enregistrer
consent-part-to = À
consent-part-cc = Copie
consent-part-bcc = Copie cachée
consent-part-subject = Objet
consent-part-body = Texte
consent-part-attachment =
    { $n ->
        [one] Pièce jointe
       *[other] Pièces jointes
    }
consent-part-title = Titre
consent-part-start = Début
consent-part-end = Fin
consent-part-zone = Fuseau horaire
consent-part-people = Invités
consent-part-place = Lieu
consent-part-about = Description
consent-part-channel = Canal
consent-part-text = Message
consent-part-answer = Ma réponse commence
consent-part-report = Son rapport
consent-part-asked = Demandé
consent-part-correction = Elle dira
consent-own-remove = Supprimer définitivement une de mes réponses
consent-own-correct = Corriger une de mes réponses
consent-own-account = Dire dans ce fil quels comptes sont connectés et ce qui a été utilisé
consent-own-read = Raconter dans ce fil ce qui a été publié dans un canal que vous pouvez lire
consent-to-connect = En attente de la connexion de { $what } par { $who }, jusqu'à { $when }.
consent-link = Connectez { $what } pour que je puisse continuer. Le lien est pour vous seul : qui l'ouvre connecte son propre compte en votre nom.
consent-connect = Connecter { $what }
consent-ended-connected =
    { $n ->
        [one] { $what } connecté par { $who }
       *[other] { $what } connectés par { $who }
    }
consent-ended-skipped =
    { $n ->
        [one] { $who } a passé la connexion de { $what }
       *[other] { $who } a passé la connexion de { $what }
    }
consent-ended-expired =
    { $n ->
        [one] { $what } n'a pas été connecté à temps
       *[other] { $what } n'ont pas été connectés à temps
    }
consent-ended-overtaken =
    { $n ->
        [one] { $what } n'a pas été connecté : le travail a été arrêté, ou a continué avec un nouveau message
       *[other] { $what } n'ont pas été connectés : le travail a été arrêté, ou a continué avec un nouveau message
    }
consent-refusal-not-yours = { $n ->
    [one] C'est à { $who } d'en décider.
   *[other] C'est à l'une de ces personnes d'en décider : { $who }.
 }
consent-refusal-not-your-words = C'est à { $who } de changer le texte ; tu peux approuver ou refuser.
consent-refusal-not-your-link = C'est à { $who } de connecter un compte ici, ou de passer.
consent-refusal-busy = Je lis ce qui vient d'être écrit. Appuyez de nouveau dans un instant.
consent-refusal-over = Il est trop tard : c'est terminé.
consent-refusal-decided = C'est déjà décidé.
consent-refusal-unknown = Je ne connais rien de tel ici, donc je n'ai rien fait.
consent-refusal-no-link = Je n'obtiens pas de lien. Appuyez dans un instant sur « Afficher mon lien ».
consent-refusal-tainted = Un texte venu de l'extérieur a été lu entre-temps dans ce fil, donc chaque étape se décide seule. Appuyez sur « Approuver » ou « Refuser ».
consent-refusal-press-again = Cela n'a pas marché. Veuillez appuyer encore une fois.
consent-refusal-not-connected-yet = Cela ne semble pas encore connecté. Je continue de vérifier.
consent-refusal-not-editable = Cela ne peut plus être modifié ici. Refusez et dites ce qui doit changer.

## Ingress: what is said to people whose message is not simply answered

ingress-parked = Quelque chose s'est mal passé de mon côté. J'ai votre message et je continue d'essayer ; inutile de le renvoyer.
ingress-begun = J'avais déjà commencé ; écrivez la correction dans un nouveau message.
ingress-refusal-unknown-user = Je n'ai pas pu savoir qui vous êtes dans Slack, je ne peux donc pas travailler pour vous.
ingress-refusal-guest = Vous êtes ici en tant qu'invité, et je ne peux travailler que pour les membres à part entière de cet espace de travail.
ingress-refusal-stranger = Vous appartenez à un autre espace de travail, et je ne peux travailler que pour les membres de celui-ci.
ingress-refusal-channel-not-listed = Je n'ai pas le droit de travailler dans cette conversation.
ingress-refusal-user-not-listed = Vous n'êtes pas sur la liste des personnes pour qui je peux travailler.
ingress-in-vain = Cela n'a pas marché. Veuillez réessayer dans un instant.
ingress-left-out-too-big = J'ai laissé “{$name}” de côté : plus de {$max_mb} Mo.
ingress-left-out-not-given = J'ai laissé “{$name}” de côté : Slack ne m'a pas laissé le télécharger.
ingress-left-out-not-saved = J'ai laissé “{$name}” de côté : le fichier n'a pas pu être enregistré.
ingress-left-out-gone = J'ai laissé “{$name}” de côté : il a été supprimé de Slack entre-temps.
ingress-left-out-rest = Je m'occupe du reste de votre message.
ingress-late = Je n'étais pas là quand ces messages sont arrivés, il y a plus d'un jour, et je n'y ai pas répondu. Si l'un d'eux compte encore, reposez-moi la question.
ingress-late-more = … et {$count} plus anciens.

## Home and the slash command

home-intro = Je cherche, je lis, je compare, j’écris des rapports et je travaille dans vos applications, pour vous et votre équipe. Mentionnez-moi dans un canal ou écrivez-moi ici.
home-waiting = En attente de vous
home-waits-question = Une question
home-waits-approval = Une approbation
home-waits-connection = Un compte à connecter
home-sessions = Vos fils
home-no-sessions = Rien pour le moment. Mentionnez-moi dans un canal ou écrivez-moi ici.
home-more = et { $n } de plus
home-stop = Arrêter
home-no = Garder
home-delete = Supprimer les fichiers
home-delete-sure = Tous les fichiers de ce fil sont supprimés définitivement. Les messages restent.
home-deleted = Les fichiers de ce fil sont supprimés.
home-not-deleted = Un travail est en cours dans ce fil, ou il est sous conservation légale : je n'ai rien supprimé. Arrête d'abord le travail.
home-not-yours = Seule la personne qui a commencé ce fil peut le faire.
home-stopped = C'est arrêté. Ce qui a été trouvé est dans le fil.
home-nothing-running = Je ne travaille sur rien pour vous en ce moment.
home-nothing-here = Je ne travaille sur rien pour vous dans ce canal.
home-in-private = dans une conversation privée
home-accounts = Comptes connectés
home-no-accounts = Aucun compte n'est connecté.
home-connect = Connecter une app
home-disconnect = Déconnecter
home-disconnect-sure = Je ne pourrai plus utiliser { $what } pour vous, dans aucun fil.
home-disconnected = { $what } est déconnecté.
home-apps-away = Vos comptes ne peuvent pas être consultés pour le moment. Réessayez dans un instant.
home-this-month = Ce mois-ci
home-usage =
    { $n ->
        [one] { $n } demande
       *[other] { $n } demandes
    }, { $reports ->
        [one] { $reports } rapport
       *[other] { $reports } rapports
    }, { $pages ->
        [one] { $pages } page lue
       *[other] { $pages } pages lues
    }, { $minutes ->
        [one] { $minutes } minute de travail
       *[other] { $minutes } minutes de travail
    }
home-usage-tokens = { $usage }, { $tokens } jetons, { $cost } $
home-usage-unpriced = { $usage } (sans { $n } appels à des modèles dont je ne connais pas le prix)
home-recent = { $simple } % des demandes ont reçu une réponse immédiate ({ $fallbacks } % des réponses rapides ont été abandonnées), la moitié en { $half } s au plus et 95 % en { $most } s. { $errors } % des accès aux applications et au web ont échoué.
home-preferences = Préférences
home-language = Langue de mes réponses
home-language-auto = La langue dans laquelle vous écrivez
home-digest-time = Heure habituelle des nouveaux résumés
home-erase = Tout supprimer sur moi
home-erase-what = *Tes données :* les fils que tu as commencés partent avec leurs fichiers. Dans les fils des autres, ce que tu as demandé part, ainsi que tout ce que j'y ai écrit et fait. Tes veilles, préférences et évaluations partent aussi. Les messages dans Slack, les comptes chez Composio, les sauvegardes et ce qui est sous conservation légale restent, et le journal garde des identifiants.
home-erase-sure = J'arrête ce qui travaille avec tes mots et je supprime pour de bon ce que je garde de toi. Les messages dans Slack, les comptes chez Composio, les anciennes sauvegardes et la conservation légale restent.
home-erased =
    Supprimé : ce que je gardais de toi dans { $n ->
        [one] { $n } fil
       *[other] { $n } fils
     }, ainsi que tes veilles et préférences. { $left ->
        [0] Les messages dans Slack, les comptes chez Composio et les anciennes sauvegardes restent.
       *[other] Dans { $left } autres je n'ai rien supprimé : ils sont sous conservation légale, ou un travail y était en cours. Les messages dans Slack, les comptes chez Composio et les anciennes sauvegardes restent.
     }
home-team = Réglages des admins
home-follow-ups = Répondre aux messages qui ne me mentionnent pas
home-channel = Choisir un canal
home-follow-ups-meant = Quand il m'est destiné
home-follow-ups-two-party = Dans les fils entre une personne et moi
home-follow-ups-mention = Jamais sans mention
home-buttons = Vous pouvez le changer dans mon onglet Accueil.
home-help = Mentionnez-moi dans un canal ou écrivez-moi, et je m'y mets. Ici vous pouvez demander :
    `{ $command } status` · sur quoi je travaille pour vous
    `{ $command } stop` · terminer mon travail pour vous dans ce canal
    `{ $command } schedules` · vos résumés
    `{ $command } connections` · vos comptes connectés
    `{ $command } usage` · ce que vous avez utilisé ce mois-ci
    `{ $command } help` · cette liste
home-unknown = Je ne connais pas « { $command } { $what } ». « { $command } help » montre ce qu'il y a ; pour une question ou une tâche, mentionnez-moi dans un canal ou écrivez-moi.
home-state-queued = en attente de son tour
home-state-running = en cours
home-state-waiting = attend une réponse
home-state-answered = répondu
home-state-limited = arrêté avant la fin
home-state-stopped = arrêté
home-state-failed = échoué
home-prompt-report = Écris un rapport complet sur la fiabilité des chatbots
home-prompt-compare = Compare les pompes à chaleur, le stockage par batterie et l'énergie éolienne
home-prompt-news = Quoi de neuf sur les batteries dans le réseau électrique ?
home-prompt-again = Quoi de neuf sur « { $what } » ?
home-prompt-digest = Chaque jour ouvré à 9h, publie ici un résumé sur le stockage par batterie

## Feedback on answers

feedback-up = Bonne réponse
feedback-down = Mauvaise réponse
feedback-thanks = Merci, c’est noté.

## The live view

live-button = Ouvrir la vue en direct
live-link = <{ $url }|Ouvrir la vue en direct> de ce fil. Le lien est pour vous seul, marche une fois et vaut 10 minutes.
live-enter = Ouvrir en tant que { $name }
live-off = La vue en direct est coupée pour le moment.
live-how = Cette page est privée. Dans Slack, appuyez sur « Ouvrir la vue en direct » sous un message de progression : vous recevrez un lien à vous.
live-over = Ce lien a déjà servi ou a plus de 10 minutes. Appuyez sur « Ouvrir la vue en direct » dans Slack pour en avoir un nouveau.
live-not-yours = Cette vue en direct est réservée aux membres de cet espace de travail qui peuvent voir le fil.
live-not-from-here = Seules les pages de cette adresse reçoivent une réponse.
live-no-file = Ce fichier n’existe pas.
live-away = C’est impossible pour le moment. Veuillez réessayer.
live-asked = { $who } a demandé dans la vue en direct :
live-wrote = { $who } a écrit dans la vue en direct :
live-picked = { $who } demande :
live-picked-before = Cela a déjà été demandé : voir plus bas dans ce fil.
live-again = Refaites cette partie, s’il vous plaît.
live-unreadable = Ce message est illisible.
live-empty = Il n’y a rien à envoyer.
live-too-long = C’est trop long : { $max } caractères au plus.
live-only-look = Vous pouvez lire ici, mais pas agir.
live-too-fast = Cela fait beaucoup en une fois. Réessayez dans quelques secondes.
live-no-change = Cela ne changerait rien ici.
live-not-asked = Plus personne n’attend cette réponse.
live-question-not-yours = J'ai posé cette question à { $who }, et seul(e) { $who } peut y répondre.
live-not-there = Cette partie du travail est terminée ou n’existe pas.
setting-proposal = Voici ce qui vaudrait dès lors :
    { $wanted }
    Pour l’instant :
    { $now }
    Rien ne change tant qu’un admin ou la personne qui gère le canal n’a pas appuyé sur le bouton.
setting-agree = Régler ainsi
setting-changed = { $who } a changé ma façon de travailler :
    { $values }
setting-name = { $name ->
    [instructions] Ma façon de répondre
    [model] Modèle
    [tools] Ce que je peux utiliser
    [follow_ups] Réponses sans mention
    [budget] Budget par mois
    [guests] Invités de l’espace de travail
    [digests] Digests
    [approvals] Ce qui a un effet
    [cite_or_stay_silent] Réponses sans source
    [footer] Pages, durée et coût sous une réponse
    [keep_workspaces_days] Fichiers conservés
    [keep_transcripts_days] Historiques conservés
   *[keep_reports_days] Rapports conservés
    }
setting-value = { $case ->
    [instructions-] dans la langue et la longueur qui conviennent
    [model-main] le grand
    [model-small] le petit
    [tools-all] tous
    [follow_ups-meant] quand elles s’adressent à moi
    [follow_ups-two_party] dans les fils d’une personne et moi
    [follow_ups-mention] jamais
    [budget-] sans limite
    [guests-true] peuvent me demander
    [guests-false] ne peuvent pas me demander
    [digests-true] peuvent être commandés
    [digests-false] ne peuvent pas être commandés
    [approvals-policy] selon les règles
    [approvals-ask] toujours après une question
    [approvals-refuse] jamais
    [cite_or_stay_silent-true] sont retenues
    [cite_or_stay_silent-false] sont données
    [footer-true] affichés
    [footer-false] non affichés
    [keep_workspaces_days-] pour toujours
    [keep_transcripts_days-] pour toujours
    [keep_reports_days-] pour toujours
    [days] { $value } jours
    [budget] { $value } $
   *[other] { $value }
    }
setting-line = • *{ setting-name }* : { $value } · _{ $origin ->
    [default] comme d’habitude
    [environment] de ma configuration
    [team] pour toute l’équipe
    [channel] pour ce canal
    [thread] pour ce fil
   *[file] du fichier de mon opérateur, qui l’emporte
    }_
setting-not-yours = { $who ->
    [NOBODY] Seul un admin de l’espace peut changer cela. Demandez-lui de me le dire ou d’appuyer sur le bouton.
   *[other] Seuls un admin de l’espace et <@{ $who }>, qui gère ce canal, peuvent changer cela. Demandez à l’un d’eux de me le dire ou d’appuyer sur le bouton.
    }
setting-in-file = *{ setting-name }* est réglé dans le fichier de mon opérateur, qui l’emporte. La personne qui m’exploite peut le changer là-bas.
setting-unknown = Il n’y a pas de réglage *{ $name }*. Vouliez-vous dire *{ $near }* ?
setting-wrong = *{ setting-name }* ne peut pas avoir cette valeur. « Qu’est-ce qui est réglé ici ? » montre ce qui vaut maintenant.

why = { $state ->
    [queued] Je l'ai, et je m'y mets dès que ce qui précède dans le fil est terminé.
    [running] J'y travaille.
    [waiting] J'attends dans le fil que quelqu'un décide ou réponde.
    [answered] J'ai répondu dans son fil.
    [limited] J'ai répondu dans son fil avec ce que j'avais quand une limite a été atteinte.
    [stopped] Quelqu'un a arrêté le travail.
    [failed] Je n'ai pas pu le faire, et je l'ai dit dans son fil.
    [steered] Il est arrivé pendant que je travaillais déjà dans son fil, et fait partie de ce travail.
    [set_aside] Je l'ai mis de côté : chaque fois que j'y travaillais, je suis tombé en panne. Merci de le demander autrement.
    [received] Je l'ai reçu, et je le regarde dès que je peux.
    [settled] Je m'en suis occupé tout de suite : il s'agissait d'un digest ou d'un arrêt, ou il a été supprimé.
    [not_ours] Il n'était pas pour moi : il ne me mentionne pas, et je ne participe pas à son fil.
    [mention_only] Ici, je ne réponds que si l'on me mentionne.
    [two_party] Dans un fil à plusieurs, je ne réponds ici que si l'on me mentionne.
    [reaction] C'était un merci, un rire ou quelque chose de ce genre, que je laisse sans réponse.
    [others] Dans un fil à plusieurs, il semblait s'adresser à quelqu'un d'autre. Avec une mention, c'est sûr.
    [unknown_user] Je n'ai pas pu savoir qui l'a écrit.
    [guest] Son auteur est invité, et je ne peux travailler que pour des membres à part entière.
    [stranger] Son auteur appartient à un autre espace de travail.
    [deactivated] Le compte de son auteur est désactivé.
    [channel_not_listed] Je n'ai pas le droit de travailler dans cette conversation.
    [user_not_listed] Son auteur n'est pas sur la liste des personnes pour qui je peux travailler.
    [bot] Une application l'a écrit, et je laisse de côté les messages des applications.
    [heard] J'écoutais quand il est arrivé, et il n'était pas pour moi : ni mention, ni fil à moi. Ce qui a plus d'une semaine, je ne le sais plus.
    [others_post] Je ne le dis qu'à la personne qui a écrit le message.
   *[unheard] Je ne l'ai pas vu. Je ne suis peut-être pas dans ce canal, ou je ne tournais pas ; ce que j'ai manqué, je le lis dès que je tourne à nouveau.
}

## Money

answer-pages = { $n ->
    [one] une page
   *[other] { $n } pages
 }
cap-near = { $kind ->
    [person] { $who } a
    [thread] Un fil de { $who } a
    [channel] { $who } a
   *[team] Cet espace de travail a
 } dépensé plus de 80 % du budget de ce mois, { $usd }. Une fois épuisé, je termine ce qui est en cours avec ce que j'ai et ne prends rien de nouveau avant le mois prochain, sauf si le budget est augmenté.
