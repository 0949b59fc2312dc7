# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = fr
schedule-date = EEEE d MMMM y
schedule-moment = ccc d MMMM y, HH:mm
rule-every = { $kind ->
    [day] chaque jour
    [workday] chaque jour ouvré
    [weekend] chaque week-end
   *[days] chaque { $days }
 }
rule-weeks-apart = toutes les { $n } semaines le { $days }
rule-days-apart = tous les { $n } jours
rule-elapsed = { $unit ->
    [HOURLY] { $n ->
        [1] toutes les heures
       *[other] toutes les { $n } heures
     }
   *[MINUTELY] { $n ->
        [1] toutes les minutes
       *[other] toutes les { $n } minutes
     }
 }
rule-workday = jour ouvré
rule-day = jour
rule-nth = le { $nth } { $day } du mois
rule-on-nth = le { $nth } { $day }
rule-ordinal = { $n ->
    [1] premier
    [2] deuxième
    [3] troisième
    [4] quatrième
    [5] cinquième
    [-1] dernier
    [-2] avant-dernier
   *[other] { rule-date }
 }
rule-date = { $n }
rule-month-day = le { $days } de chaque mois
rule-on-month-day = le { $days }
rule-months-apart = tous les { $n } mois { $on }
rule-yearly = { $n ->
    [1] chaque année le { $day } { $month }
   *[other] tous les { $n } ans le { $day } { $month }
 }
rule-only-in = { $recurrence } en { $months }
rule-times = à { $times }
rule-until = jusqu'au { $day }
rule-starting = à partir du { $day }
## Ready answers

answer-help =
    Me voici. Donnez-moi une question ou une tâche, et je m'y mets.

    - Je réponds avec ce que je sais, ou je cherche d'abord sur le web et lis des pages et des fichiers.
    - Pour un rapport, dites sur quoi, par exemple « rédige un rapport sur les pompes à chaleur dans les maisons anciennes » : il arrive en fichier, avec ses sources.
    - Joignez des fichiers et dites quoi en faire.
    - « Chaque jour ouvré à 9h publie un résumé sur le stockage » commande un digest ; « digests » les liste.
    - Dans ce fil, un mot suffit : votre réponse poursuit d'ici, et « continue » reprend ce qui n'est pas terminé.
answer-thanks = Avec plaisir ! Si je peux faire autre chose, quelques mots suffisent.
answer-agreed = Merci ! Un mot ne suffit pas ici : il faut un clic sur ma demande ci-dessus. Ensuite, je continue.
answer-nothing-running = Rien n'est en cours dans ce fil. Si je travaille dans un autre, répondez là-bas.
answer-noise = Votre message compte { $n } caractères et aucun mot, je n'ai donc rien pu en faire. Dites-moi en quelques mots ce qu'il vous faut.
answer-unanswered = Ma question ci-dessus est restée sans réponse, je me suis donc arrêté ici. Répondez-y et je continue.
question-default = Sans réponse d’ici { $n } minutes, je pars de ceci : { $default }

## What a thread's last request came to

state-answered = La dernière demande de ce fil a reçu sa réponse. Un mot suffit pour poursuivre : posez la question suivante, ou dites ce qu'il faut changer ou vérifier.
state-limited = La dernière demande de ce fil s'est arrêtée à une limite et n'est pas terminée. Un mot suffit : répondez « continue » et je reprends là.
state-stopped = La dernière demande de ce fil a été arrêtée. Un mot suffit : répondez « continue » et je reprends là, ou demandez autre chose.
state-failed = La dernière demande de ce fil n'a pas pu être terminée. Un mot suffit : répondez « continue » et je réessaie à partir de là.

## Progress

progress-at-work = J'y travaille depuis { $time }.
progress-at-work-done = J'y travaille depuis { $time }, avec { $done } jusqu'ici.
progress-under-way = En cours : { $what }.
progress-at-model = J'attends la réponse du modèle.
progress-add = Un mot suffit pour ajouter quelque chose, « stop » pour arrêter.
progress-waiting = J'attends une réponse à ma question ci-dessus.
progress-begun = Je viens de commencer.
progress-steps = { $n ->
    [one] { $n } étape
   *[other] { $n } étapes
}
progress-calls = { $n ->
    [one] { $n } appel d'outil
   *[other] { $n } appels d'outils
}
progress-both = { $steps } et { $calls }

## Stops

stop-by = Arrêté, comme { $name } l'a demandé.
stop-now = Arrêté.
stop-deleted = Arrêté, car le message qui le demandait a été supprimé.
stop-until-then = Jusque-là : { $done }.
stop-saved = Enregistré : { $what }.
stop-left-out = Pas encore commencé : { $what }.
stop-to-go-on = Répondez « continue » et je reprends là.

## Notices beside an answer

notice-unsure = Peut-être fait, peut-être pas : { $what }. À vérifier avant de le refaire.
notice-long-text = Votre message compte { $n } caractères ; je l'ai pris en entier.
notice-long-text-kept = Votre message compte { $n } caractères ; je l'ai pris en entier et enregistré sous `{ $path }`.
notice-new-workspace = Les fichiers de ce fil avaient disparu ; j'ai commencé un nouvel espace de travail.
notice-too-late-for-report = C'est arrivé trop tard pour le rapport ci-dessus : je l'ai traité à part.
notice-too-late-for-answer = C'est arrivé trop tard pour la réponse ci-dessus : je l'ai traité à part.
notice-nothing-read = Je n'ai pu lire aucune des pages que j'ai essayées.
notice-file-broken = `{ $name }` est endommagé ; je n'ai pas pu le lire.
notice-file-empty = `{ $name }` est vide.
notice-file-encrypted = `{ $name }` est protégé par un mot de passe ; envoyez-moi une copie sans mot de passe.
notice-file-heic = Je ne peux pas regarder `{ $name }` : c'est une image HEIC ou AVIF. Envoyez-la en JPEG ou PNG.
notice-file-no-text = Je n'ai trouvé aucun texte dans `{ $name }` ; c'est peut-être un scan.
notice-file-old-office = `{ $name }` est d'un ancien format Office ; envoyez-le en .docx ou .xlsx.
notice-file-too-big = `{ $name }` est trop gros ou trop complexe pour que je le lise.
notice-file-unknown = `{ $name }` est d'un type que je ne sais pas lire.
notice-tools-away = J’ai dû me passer des outils de { $what }, injoignables pour le moment. Réessayer plus tard peut aider.

## Scheduled work

digest-task = Recherche { $task } et écris un rapport.

## Failures

failure-too-long = Ce fil est devenu trop long pour mon modèle de langage. Commencez un nouveau fil et dites-moi ce qu'il faut en reprendre.
failure-truncated = Ce que je voulais écrire dépassait ce que mon modèle de langage peut écrire en une fois. Répondez « continue » et demandez un morceau plus petit.
failure-rejected = Mon modèle de langage a refusé la demande, et la répéter n'y changerait rien. La personne qui m'exploite doit vérifier sa clé ou ses limites.
failure-unavailable = Mon modèle de langage ne répond pas en ce moment. Ce qui est fait est conservé : répondez « continue » et je reprends là.
failure-other = Quelque chose s'est mal passé de mon côté. Ce qui est fait est conservé : répondez « continue » et je reprends là.
failure-set-aside = Je me suis arrêté plusieurs fois au milieu de cette demande ; je l'ai donc mise de côté, et tout le reste continue. Merci de la formuler autrement, ou d'en demander une plus petite partie.
failure-with-reference = { $reason } (référence { $mark })

## Short forms: whole messages that save a call, apart by commas

language-small-words = le la les un une des du de et ou est sont avec pour dans sur quoi que qui quel quelle comment pourquoi quand rédige écris moi ce cette ces au aux je nous rapport fichier peux tu pouvez vous contient résume
polite-words = svp, s'il te plaît, s'il vous plaît, bonjour, salut, maintenant, très
short-help = aide, à l'aide, aide-moi, aidez-moi, j'ai besoin d'aide, peux-tu m'aider, que peux-tu faire, que sais-tu faire
short-stop = stop, arrête, arrête ça, arrête tout, arrête-toi, arrêtez, arrêtez tout, arrêter, annule, annule ça, annulez, annuler, laisse tomber, oublie ça
short-status = statut, où en es-tu, où en êtes-vous, tu en es où, ça avance, tu es encore là, tu es toujours là, as-tu fini, que fais-tu en ce moment
short-thanks = merci, merci beaucoup, merci bien, mille mercis, parfait merci, super merci, merci à toi, merci à vous, merci pour ton aide
short-continue = continue, continuer, continuez, vas-y, reprends, oui continue
short-yes = oui, ouais, d'accord, vas-y, oui merci, ça marche, c'est bon, parfait, confirmer, oui vas-y
short-no = non, non merci, surtout pas
short-digests = digests, les digests, mes digests, liste les digests, montre les digests, montre-moi les digests, quels digests y a-t-il

## Interventions

done-by = Marqué comme terminé par { $name }.
intervention-comment = J’ai dit ceci de la partie « { $task } » : { $text }
intervention-content = J’ai dit ceci de la partie « { $task } » : { $text }
intervention-task = Au lieu de ce que j’ai demandé, fais ceci : { $text }
intervention-retry = Refais cette partie du travail : { $task }
