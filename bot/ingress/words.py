"""What the ingress says to people, in the languages that we have words for. Pure."""

from dataclasses import dataclass

from agent_core.prompts.language import Language, detect_language
from bot.inbound import InboundPost, plain_text
from bot.ingress.authorise import Reason
from bot.slack_api import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language."""

    parked: str
    begun: str
    refusals: dict[Reason, str]
    """What is not among these is met with silence."""


def post_language(post: InboundPost, author: Person | None, earlier: str = "") -> Language:
    """The language of a post, or else of the thread's earlier posts, or else of its author."""
    locale = author.locale if author else ""
    return detect_language(plain_text(post.wire_text), earlier, locale=locale)


WORDS: dict[Language, Words] = {
    "en": Words(
        parked=(
            "Something failed on my side, so I could not start on your message yet. "
            "I have kept it and keep trying; you need not send it again."
        ),
        begun=("I had already begun with your message; write the correction as a new message."),
        refusals={
            "unknown_user": (
                "I can only work for members of this workspace whom Slack lets me look up."
            ),
            "guest": (
                "I can only work for full members of this workspace, and you are here as a guest."
            ),
            "stranger": (
                "I can only work for members of this workspace, and you belong to another one."
            ),
            "channel_not_listed": "I am not allowed to work in this conversation.",
            "user_not_listed": "You are not on the list of people I may work for.",
        },
    ),
    "de": Words(
        parked=(
            "Bei mir ist etwas schiefgegangen, daher konnte ich mit deiner Nachricht noch nicht "
            "anfangen. Ich habe sie behalten und versuche es weiter; du musst sie nicht noch "
            "einmal schicken."
        ),
        begun=(
            "Ich hatte mit deiner Nachricht schon angefangen; schreib die Korrektur bitte als "
            "neue Nachricht."
        ),
        refusals={
            "unknown_user": (
                "Ich kann nur für Mitglieder dieses Workspace arbeiten, die Slack mich nachsehen "
                "lässt."
            ),
            "guest": (
                "Ich kann nur für volle Mitglieder dieses Workspace arbeiten, und du bist hier "
                "als Gast."
            ),
            "stranger": (
                "Ich kann nur für Mitglieder dieses Workspace arbeiten, und du gehörst zu einem "
                "anderen."
            ),
            "channel_not_listed": "In dieser Unterhaltung darf ich nicht arbeiten.",
            "user_not_listed": (
                "Du stehst nicht auf der Liste der Personen, für die ich arbeiten darf."
            ),
        },
    ),
    "fr": Words(
        parked=(
            "Quelque chose s'est mal passé de mon côté, je n'ai donc pas encore pu commencer "
            "votre message. Je l'ai gardé et je continue d'essayer ; inutile de le renvoyer."
        ),
        begun=(
            "J'avais déjà commencé à traiter votre message ; écrivez la correction dans un "
            "nouveau message."
        ),
        refusals={
            "unknown_user": (
                "Je ne peux travailler que pour les membres de cet espace de travail que Slack me "
                "laisse consulter."
            ),
            "guest": (
                "Je ne peux travailler que pour les membres à part entière de cet espace de "
                "travail, et vous y êtes en tant qu'invité."
            ),
            "stranger": (
                "Je ne peux travailler que pour les membres de cet espace de travail, et vous "
                "appartenez à un autre."
            ),
            "channel_not_listed": "Je n'ai pas le droit de travailler dans cette conversation.",
            "user_not_listed": (
                "Vous n'êtes pas sur la liste des personnes pour qui je peux travailler."
            ),
        },
    ),
    "es": Words(
        parked=(
            "Algo salió mal por mi parte y todavía no pude empezar con tu mensaje. "
            "Lo he guardado y sigo intentándolo; no hace falta que lo envíes otra vez."
        ),
        begun=("Ya había empezado con tu mensaje; escribe la corrección en un mensaje nuevo."),
        refusals={
            "unknown_user": (
                "Solo puedo trabajar para miembros de este espacio de trabajo que Slack me deje "
                "consultar."
            ),
            "guest": (
                "Solo puedo trabajar para miembros de pleno derecho de este espacio de trabajo, y "
                "tú estás aquí como invitado."
            ),
            "stranger": (
                "Solo puedo trabajar para miembros de este espacio de trabajo, y tú perteneces a "
                "otro."
            ),
            "channel_not_listed": "No tengo permiso para trabajar en esta conversación.",
            "user_not_listed": ("No estás en la lista de personas para las que puedo trabajar."),
        },
    ),
}
