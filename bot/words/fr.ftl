# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Ingress: what is said to people whose message is not simply answered

ingress-parked = Quelque chose s'est mal passé de mon côté, je n'ai donc pas encore pu commencer votre message. Je l'ai gardé et je continue d'essayer ; inutile de le renvoyer.
ingress-begun = J'avais déjà commencé à traiter votre message ; écrivez la correction dans un nouveau message.
ingress-refusal-unknown-user = Je ne peux travailler que pour les membres de cet espace de travail que Slack me laisse consulter.
ingress-refusal-guest = Je ne peux travailler que pour les membres à part entière de cet espace de travail, et vous y êtes en tant qu'invité.
ingress-refusal-stranger = Je ne peux travailler que pour les membres de cet espace de travail, et vous appartenez à un autre.
ingress-refusal-channel-not-listed = Je n'ai pas le droit de travailler dans cette conversation.
ingress-refusal-user-not-listed = Vous n'êtes pas sur la liste des personnes pour qui je peux travailler.
ingress-left-out-too-big = J'ai laissé “{$name}” de côté : plus de {$max_mb} Mo.
ingress-left-out-not-given = J'ai laissé “{$name}” de côté : Slack ne m'a pas laissé le télécharger.
ingress-left-out-not-saved = J'ai laissé “{$name}” de côté : le fichier n'a pas pu être enregistré.
ingress-left-out-rest = Je m'occupe du reste de votre message.
ingress-late = Je n'étais pas en service quand ces messages sont arrivés. Ils datent de plus d'un jour, je n'y ai donc pas répondu. Si la réponse compte encore, reposez-moi la question.
ingress-late-more = … et {$count} plus anciens.
