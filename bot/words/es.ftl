# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Ingress: what is said to people whose message is not simply answered

ingress-parked = Algo salió mal por mi parte y todavía no pude empezar con tu mensaje. Lo he guardado y sigo intentándolo; no hace falta que lo envíes otra vez.
ingress-begun = Ya había empezado con tu mensaje; escribe la corrección en un mensaje nuevo.
ingress-refusal-unknown-user = Solo puedo trabajar para miembros de este espacio de trabajo que Slack me deje consultar.
ingress-refusal-guest = Solo puedo trabajar para miembros de pleno derecho de este espacio de trabajo, y tú estás aquí como invitado.
ingress-refusal-stranger = Solo puedo trabajar para miembros de este espacio de trabajo, y tú perteneces a otro.
ingress-refusal-channel-not-listed = No tengo permiso para trabajar en esta conversación.
ingress-refusal-user-not-listed = No estás en la lista de personas para las que puedo trabajar.
ingress-left-out-too-big = Dejé fuera “{$name}”: pesa más de {$max_mb} MB.
ingress-left-out-not-given = Dejé fuera “{$name}”: Slack no me dejó descargarlo.
ingress-left-out-not-saved = Dejé fuera “{$name}”: no se pudo guardar.
ingress-left-out-rest = Me ocupo del resto de tu mensaje.
ingress-late = No estaba en marcha cuando llegaron estos mensajes. Tienen más de un día, así que no los he contestado. Si la respuesta todavía importa, vuelve a preguntarme.
ingress-late-more = … y {$count} más antiguos.
