# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = fr
schedule-date = EEEE d MMMM y
schedule-moment = ccc d MMMM y, HH:mm
schedule-day = ccc d
schedule-day-month = ccc d MMMM
schedule-day-year = ccc d MMMM y
schedule-days-at = { $days } à { $time }
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
    Bonjour ! Posez-moi une question ou confiez-moi une tâche.

    - Je réponds avec ce que je sais, ou je cherche d'abord sur le web et lis des pages et des fichiers.
    - Pour un rapport, dites sur quoi, par exemple « rédige un rapport sur les pompes à chaleur dans les maisons anciennes » : il arrive en fichier, avec ses sources.
    - Joignez des fichiers et dites quoi en faire.
    - « Chaque jour ouvré à 9h publie un résumé sur le stockage » commande un digest ; « digests » les liste.
    - Dans ce fil, un mot suffit : votre réponse poursuit d'ici, et « continue » reprend ce qui n'est pas terminé.
answer-thanks = Avec plaisir !
answer-agreed = Merci ! Décidez de ma demande ci-dessus avec ses boutons ; seul un clic compte.
answer-aside-later = Je pourrai m'en occuper dès que ma demande ci-dessus sera tranchée. Si elle doit être différente, écrivez ce qu'il faut changer.
answer-nothing-running = Je ne travaille sur rien ici. Pour arrêter un autre travail, écrivez « stop » dans son fil.
answer-noise = Votre message compte { $n } caractères et aucun mot, je n'ai donc rien pu en faire. Dites-moi en quelques mots ce qu'il vous faut.
answer-declined = Je ne peux pas répondre à cela : mon modèle de langage l'a refusé.
answer-cut-off = (La réponse s'arrête ici. Répondez « continue » et je poursuis.)
answer-no-words = J'ai fini sans rien avoir à dire. Redemandez, ou répondez « continue ».
answer-unanswered = Ma question ci-dessus est restée sans réponse, je me suis donc arrêté ici. Répondez-y et je continue.
answer-without-source = Je n’ai trouvé aucune source pour cela, et dans ce canal je ne réponds qu’avec une source. Dites-moi où chercher, ou demandez dans un autre canal.
question-default = Sans réponse d’ici { $n } minutes, je pars de ceci : { $default }

## What a thread's last request came to

state-answered = La dernière demande de ce fil a reçu sa réponse. Écrivez simplement la suite : une question, ou ce qu'il faut changer.
state-limited = J'ai arrêté la dernière demande de ce fil avant la fin ; elle n'est pas terminée. Répondez « continue » et je reprends là.
state-stopped = La dernière demande de ce fil a été arrêtée. Répondez « continue » et je reprends là, ou demandez autre chose.
state-failed = Je n'ai pas pu terminer la dernière demande de ce fil. Répondez « continue » et je réessaie.

## Progress

progress-begun = Je viens de commencer.
progress-model-away = J'y travaille depuis { $time }, mais mon modèle de langage est injoignable en ce moment. Je réessaie jusqu'à { $until } ; « stop » y met fin.
progress-at-work = J'y travaille depuis { $time }.
progress-read =
    { $n ->
        [one] J'y travaille depuis { $time } et j'ai lu une page.
       *[other] J'y travaille depuis { $time } et j'ai lu { $n } pages.
    }
progress-now-parts = En ce moment, je regarde { $what }.
progress-now-report = En ce moment, j'écris le rapport.
progress-add = Pour ajouter quelque chose, écrivez-le simplement ; « stop » pour arrêter.
progress-wait-answer = J'attends une réponse à ma question ci-dessus.
progress-wait-approval = J'attends un clic sur ma demande ci-dessus.
progress-wait-connection = J'attends que le compte soit connecté : voir mon message ci-dessus.

## Stops

stop-by = { $name } l'a arrêté.
stop-now = Arrêté.
stop-deleted = Arrêté, car le message qui le demandait a été supprimé.
stop-nothing = Je n'avais encore rien à montrer.
stop-so-far = Voici ce que j'ai jusqu'ici :
stop-read = Dans les pages que j’ai lues :
stop-found = Dans les résultats de recherche, pas encore lus :
stop-more = et { $n } de plus
stop-saved = Déjà écrit : { $what }.
stop-left-out = Pas encore regardé : { $what }.
stop-to-go-on = Répondez « continue » et je reprends là.

## Notices beside an answer

notice-unsure = Je ne sais pas si cela a été fait : { $what }. À vérifier avant de le refaire.
deed-message = envoyer le message à { $whom }
deed-in-app = « { $deed } » dans { $app }
deed-plain = « { $deed } »
notice-long-text = C'était un long message ({ $n } caractères). Je l'ai lu en entier.
notice-files-gone = Les anciens fichiers de ce fil ont disparu ; j'ai commencé sans eux.
notice-transcript-gone = Ce qui a été dit ici avant a été supprimé ; j'ai commencé sans cela.
notice-too-late = C'est arrivé trop tard pour ce que j'ai publié ci-dessus : j'y réponds à part.
notice-nothing-read = Je n'ai pu lire aucune des pages que j'ai essayées.
notice-keyless-search = J’ai cherché sans Composio, dans des moteurs de recherche publics ; des pages ont pu m’échapper.
notice-file-broken = « { $name } » est endommagé ; je n'ai pas pu le lire.
notice-file-empty = « { $name } » est vide.
notice-file-encrypted = « { $name } » est protégé par un mot de passe ; envoyez-moi une copie sans mot de passe.
notice-file-heic = Je ne peux pas regarder « { $name } » : c'est une image HEIC ou AVIF. Envoyez-la en JPEG ou PNG.
notice-file-no-text = Je n'ai trouvé aucun texte dans « { $name } » ; c'est peut-être un scan.
notice-file-old-office = « { $name } » est d'un ancien format Office ; envoyez-le en .docx ou .xlsx.
notice-file-too-big = « { $name } » est trop gros ou trop complexe pour que je le lise.
notice-file-unknown = « { $name } » est d'un type que je ne sais pas lire.
notice-tools-away = J'ai dû me passer de ceci, injoignable pour le moment : { $what }. Redemander plus tard peut aider.
notice-tools-away-now = Je continue sans ceci, injoignable pour le moment : { $what }
away-composio = la recherche web et vos applications
away-local-toolkit = lire des pages et écrire des rapports
away-run-python = calculer

## Scheduled work

digest-task = Recherche { $task } et écris un rapport.

## Failures

failure-too-long = Ce fil est devenu trop long pour moi. Commencez-en un nouveau et dites-moi ce qu'il faut en reprendre.
failure-truncated = Ce que je voulais écrire était trop long pour une seule fois. Répondez « continue » et demandez un morceau plus petit.
failure-rejected = Mon modèle de langage a refusé la demande, et la répéter n'y changerait rien. La personne qui m'exploite doit vérifier sa clé ou ses limites.
failure-unavailable = Mon modèle de langage ne répond pas en ce moment. Ce qui est fait est conservé : répondez « continue » et je reprends là.
failure-other = Quelque chose s'est mal passé de mon côté. Ce qui est fait est conservé : répondez « continue » et je reprends là.
failure-set-aside = Je suis tombé en panne plusieurs fois au milieu de cette demande ; je l'ai donc mise de côté. Merci de la formuler autrement, ou d'en demander une plus petite partie.
failure-with-reference = { $reason } (référence { $mark })

## Short forms: whole messages that save a call, apart by commas

language-small-words = le la les un une des du de et ou est sont avec pour dans sur quoi que qui quel quelle comment pourquoi quand rédige écris moi ce cette ces au aux je nous rapport fichier peux tu pouvez vous contient résume
polite-words = svp, s'il te plaît, s'il vous plaît, bonjour, salut, maintenant, très
short-help = aide, à l'aide, aide-moi, aidez-moi, j'ai besoin d'aide, peux-tu m'aider, que peux-tu faire, que sais-tu faire
short-stop = stop, arrête, arrête ça, arrête tout, arrête-toi, arrêtez, arrêtez tout, arrêter, annule, annule ça, annulez, annuler, laisse tomber, oublie ça
short-status = statut, où en es-tu, où en êtes-vous, tu en es où, ça avance, tu es encore là, tu es toujours là, as-tu fini, que fais-tu en ce moment
short-thanks = merci, merci beaucoup, merci bien, mille mercis, parfait merci, super merci, merci à toi, merci à vous, merci pour ton aide
short-laughter = mdr, ptdr, lol, haha, hahaha, hihi, héhé
short-continue = continue, continuer, continuez, vas-y, reprends, oui continue
short-wrap-up = Réponds avec ce que tu as
short-yes = oui, ouais, d'accord, vas-y, oui merci, ça marche, c'est bon, parfait, confirmer, oui vas-y
short-no = non, non merci, surtout pas
short-digests = digests, les digests, mes digests, liste les digests, montre les digests, montre-moi les digests, quels digests y a-t-il

## Interventions

done-by = Marqué comme terminé par { $name }.
intervention-comment = J’ai dit ceci de la partie « { $task } » : { $text }
intervention-content = J’ai dit ceci de la partie « { $task } » : { $text }
intervention-task = Au lieu de ce que j’ai demandé, fais ceci : { $text }
intervention-retry = Refais cette partie du travail : { $task }

## Argent

cap-what = { $kind ->
    [turn] cette demande a épuisé son budget de { $usd }
    [person] { $name } a épuisé le budget de ce mois, { $usd }, et le prochain commence le { $day }
    [thread] ce fil a épuisé le budget de ce mois, { $usd }, et le prochain commence le { $day }
    [channel] ce canal a épuisé le budget de ce mois, { $usd }, et le prochain commence le { $day }
   *[team] cet espace de travail a épuisé le budget de ce mois, { $usd }, et le prochain commence le { $day }
 }
cap-person = quelqu'un
cap-admin = la personne qui s'occupe de moi
cap-ended = Je réponds avec ce que j'ai pour l'instant, car { $what } ; { $who } peut l'augmenter.
cap-refused = Je ne peux pas m'en charger, car { $what } ; { $who } peut l'augmenter avant.
