# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Ready answers

answer-help =
    Me voici. Donnez-moi une question ou une tâche, et je m'y mets.

    - Je réponds avec ce que je sais, ou je cherche d'abord sur le web et lis des pages et des fichiers.
    - Pour un rapport, dites sur quoi, par exemple « rédige un rapport sur les pompes à chaleur dans les maisons anciennes » : il arrive en fichier, avec ses sources.
    - Joignez des fichiers et dites quoi en faire.
    - « Chaque jour ouvré à 9h publie un résumé sur le stockage » commande un digest ; « digests » les liste.
    - Dans ce fil, un mot suffit : votre réponse poursuit d'ici, et « continue » reprend ce qui n'est pas terminé.
answer-thanks = Avec plaisir ! Si je peux faire autre chose, quelques mots suffisent.
answer-nothing-running = Rien n'est en cours dans ce fil. Si je travaille dans un autre, répondez là-bas.
answer-noise = Votre message compte { $n } caractères et aucun mot, je n'ai donc rien pu en faire. Dites-moi en quelques mots ce qu'il vous faut.
answer-unanswered = Ma question ci-dessus est restée sans réponse, je me suis donc arrêté ici. Répondez-y et je continue.

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
notice-nothing-read = Je n'ai pu lire aucune des pages que j'ai essayées.

## Scheduled work

digest-task = Recherche { $task } et écris un rapport.

## Failures

failure-too-long = Ce fil est devenu trop long pour mon modèle de langage. Commencez un nouveau fil et dites-moi ce qu'il faut en reprendre.
failure-truncated = Ce que je voulais écrire dépassait ce que mon modèle de langage peut écrire en une fois. Répondez « continue » et demandez un morceau plus petit.
failure-rejected = Mon modèle de langage a refusé la demande, et la répéter n'y changerait rien. La personne qui m'exploite doit vérifier sa clé ou ses limites.
failure-unavailable = Mon modèle de langage ne répond pas en ce moment. Ce qui est fait est conservé : répondez « continue » et je reprends là.
failure-other = Quelque chose s'est mal passé de mon côté. Ce qui est fait est conservé : répondez « continue » et je reprends là.
failure-with-reference = { $reason } (référence { $mark })
