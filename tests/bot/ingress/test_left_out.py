"""Files that cannot be had: one plain sentence each, and the rest of the message is worked on."""

import pytest

from agent_core.prompts.language import detect_language
from tests.bot.ingress.world import World

BIG = ("film.mov", b"12345", "video/quicktime")
SMALL = ("a.log", b"12345", "text/plain")


def posts(world: World, ts: str) -> list[str]:
    thread = world.slack.thread("general", ts)
    return [post.text for post in thread if post.user == world.slack.bot_user_id]




async def test_a_message_of_nothing_but_a_lost_file_is_told_so_and_begins_nothing(
    world: World,
) -> None:
    world.files.left_out = {"film.mov": "not_given"}
    ts = await world.say("ann", "general", world.mention, files=[BIG])
    await world.settle()

    assert posts(world, ts) == ["I left out “film.mov”: Slack did not let me download it."]
    assert world.front.messages == []
    assert len(world.ledger.settled) == 1
    assert "active" in world.signs_shown()


@pytest.mark.parametrize("text", [":tada:", "🎉", "thanks!", "..."])
async def test_where_no_word_is_left_to_work_on_nothing_is_promised(
    world: World, text: str
) -> None:
    world.files.left_out = {"film.mov": "too_big"}
    ts = await world.say("ann", "general", f"{world.mention} {text}", files=[BIG])
    await world.settle()

    assert posts(world, ts) == ["I left out “film.mov”: it is bigger than 50 MB."]
    assert world.front.messages == []


async def test_what_the_model_is_told_of_lost_files_does_not_change_the_language(
    world: World,
) -> None:
    world.files.left_out = {"film.mov": "too_big", "a.log": "not_given", "b.log": "not_saved"}
    files = [BIG, SMALL, ("b.log", b"1", "text/plain")]
    await world.say("ann", "general", f"{world.mention} Was steht in der Datei?", files=files)
    await world.settle()

    [message] = world.front.messages
    assert all(name in message.text for name in world.files.left_out)
    assert detect_language(message.text) == "de"
    note = message.text.removeprefix("Was steht in der Datei?")
    assert detect_language(note, locale="es-ES") == "es"




async def test_the_sentence_on_a_lost_file_is_posted_once_over_several_tries(world: World) -> None:
    world.files.left_out = {"film.mov": "not_saved"}
    world.front.failures = 1
    ts = await world.say("ann", "general", f"{world.mention} what is new?", files=[BIG])
    await world.settle()

    assert len(posts(world, ts)) == 1
    assert len(world.front.messages) == 1


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("", "Ich habe “film.mov” weggelassen: größer als 50 MB."),
        ("🎉", "Ich habe “film.mov” weggelassen: größer als 50 MB."),
        ("What is in the film and who is in it?", "I left out “film.mov”: it is bigger"),
    ],
)
async def test_the_sentence_is_in_the_language_of_the_post_or_else_of_its_author(
    world: World, asked: str, sentence: str
) -> None:
    world.files.left_out = {"film.mov": "too_big"}
    ts = await world.say("cleo", "general", f"{world.mention} {asked}", files=[BIG])
    await world.settle()

    [said] = posts(world, ts)
    assert said.startswith(sentence)
