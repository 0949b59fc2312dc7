"""Approvals and connections in Spanish."""

from bot.presenter.consents.words.shape import Words

SPANISH = Words(
    conjunction="y",
    asked="{who} pidió esto. Solo lo hago después de una aprobación:",
    with_account="con la cuenta {account}",
    reaches=("Llega a {n} destinatario: {whom}", "Llega a {n} destinatarios: {whom}"),
    no_arguments="Sin ningún dato.",
    along="Va en el mismo lote y no necesita aprobación: {what}",
    more="y {n} más",
    tainted="En este hilo leí texto de fuera. Puede que ese texto lo haya pedido.",
    until="Espero hasta {when}. Huella `{digest}`",
    in_file="Todo está en el archivo `{file}` de arriba. Huella `{digest}`",
    cut="… el resto está en el archivo",
    not_shown="No pude mostrarlo todo, así que nadie puede aprobarlo. Solo se puede rechazar.",
    buttons={
        "approve": "Aprobar",
        "approve_thread": "Aprobar para este hilo",
        "reject": "Rechazar…",
        "link": "Mostrar mi enlace",
        "skip": "Omitir",
        "check": "Ya lo conecté",
    },
    approved="Aprobado por {who}, {when}",
    approved_thread="Aprobado para este hilo por {who}, {when}",
    rejected="Rechazado por {who}, {when}",
    rejected_because="Rechazado por {who}, {when}: «{reason}»",
    expired="Nadie decidió a tiempo, así que no se hizo.",
    overtaken="No se hizo: antes se detuvo el trabajo, o siguió con un mensaje nuevo.",
    void="No se hizo: lo que había que hacer cambió, así que ninguna aprobación encaja.",
    reason_title="Rechazar",
    reason_label="¿Por qué?",
    reason_hint="El agente lo lee y puede hacerlo de otra manera.",
    cancel="Cancelar",
    to_connect="Esperando hasta {when} a que {who} conecte {what}.",
    link=(
        "Conecta {what} para que pueda seguir. El enlace es solo para ti: "
        "quien lo abra conecta su propia cuenta en tu nombre."
    ),
    connect="Conectar {what}",
    connected=("{what} conectado por {who}", "{what} conectados por {who}"),
    skipped=("{who} omitió conectar {what}", "{who} omitió conectar {what}"),
    not_in_time=("{what} no se conectó a tiempo", "{what} no se conectaron a tiempo"),
    left_off=(
        "{what} no se conectó: el trabajo se detuvo, o siguió con un mensaje nuevo",
        "{what} no se conectaron: el trabajo se detuvo, o siguió con un mensaje nuevo",
    ),
    refusals={
        "not_yours": "Solo quien lo pidió, o alguien designado para ello, puede decidirlo.",
        "not_your_link": "Solo quien lo pidió puede conectar su cuenta u omitirlo.",
        "over": "Es demasiado tarde: esto ha terminado.",
        "decided": "Esto ya está decidido.",
        "unknown": "No sé nada de esto aquí, así que no hice nada.",
        "no_link": "Ahora no consigo un enlace. Pulsa «Mostrar mi enlace» dentro de un momento.",
        "tainted": (
            "Entretanto se leyó texto de fuera en este hilo, así que cada paso se decide por "
            "separado. Pulsa «Aprobar» o «Rechazar»."
        ),
        "press_again": "No funcionó. Pulsa el botón otra vez, por favor.",
        "not_connected_yet": "Parece que aún no está conectado. Sigo mirando.",
    },
)
