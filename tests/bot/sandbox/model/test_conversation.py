"""Reading a history in all its shapes."""

import json
from typing import Any

from bot.sandbox.model.brief import read_brief
from bot.sandbox.model.conversation import Call, read_conversation
from bot.sandbox.model.evidence import (
    find_report_file,
    find_urls,
    join_chunks,
    read_chunks,
    read_hits,
    read_rows,
    succeeded,
)
from tests.bot.sandbox.model.world import CRAWL

Json = dict[str, Any]


def call(result: str, *, is_error: bool = False, **arguments: Any) -> Call:
    return Call(name="t", purpose="", arguments=arguments, result=result, is_error=is_error)


def use(key: str) -> Json:
    return {"type": "tool_use", "id": key, "name": "grab", "input": {"urls": ["u"]}}


def result(key: str, content: object) -> Json:
    return {"type": "tool_result", "tool_use_id": key, "content": content}


def test_each_question_opens_a_new_exchange_with_its_own_calls() -> None:
    conversation = read_conversation(
        {
            "tools": [CRAWL],
            "system": [{"type": "text", "text": "be kind"}],
            "messages": [
                {"role": "user", "content": "first"},
                {"role": "assistant", "content": [use("a")]},
                {"role": "user", "content": [result("a", "one")]},
                {"role": "assistant", "content": "done"},
                {"role": "user", "content": [{"type": "text", "text": "second"}]},
                {"role": "assistant", "content": [use("b"), use("c")]},
                {"role": "user", "content": [result("c", "3"), result("b", [])]},
            ],
        }
    )
    first, second = conversation.exchanges
    assert (first.asked, first.answer, [c.result for c in first.calls]) == (
        "first",
        "done",
        ["one"],
    )
    assert second.asked == "second"
    assert [(c.purpose, c.result) for c in second.calls] == [("crawl", ""), ("crawl", "3")]
    assert conversation.system == "be kind"


def test_material_in_tags_is_no_part_of_what_was_asked() -> None:
    text = "<earlier_posts>\nAna: write a report\n</earlier_posts>\n\nWhat is a heat pump?"
    conversation = read_conversation({"messages": [{"role": "user", "content": text}]})
    assert conversation.asked == "What is a heat pump?"


def test_words_and_settings_can_forbid_further_calls() -> None:
    def may_call(text: str, **fields: Any) -> bool:
        messages = [{"role": "user", "content": text}]
        body = {"tools": [CRAWL], "messages": messages, **fields}
        return read_conversation(body).may_call_tools

    assert may_call("Search for cats")
    assert not may_call("Search", tool_choice={"type": "none"})
    assert not may_call("You reached a limit. Do not call any more tools. Answer now.")


def test_hits_are_found_at_any_depth_and_under_both_names() -> None:
    hits = read_hits(
        [
            call(json.dumps({"data": {"results": {"news_results": [hit("link", "a")]}}})),
            call(json.dumps({"data": {"citations": [hit("url", "b"), hit("url", "a")]}})),
        ]
    )
    assert [h.url for h in hits] == ["https://a.test", "https://b.test"]


def hit(key: str, name: str) -> Json:
    return {key: f"https://{name}.test", "title": name, "snippet": "s"}


def test_hits_survive_a_result_whose_middle_was_cut() -> None:
    whole = json.dumps({"data": {"citations": [hit("url", f"s{n}") for n in range(40)]}})
    note = "[… 1,000 characters left out; whole result in x.json …]"
    cut = f"{whole[:900]}\n\n{note}\n\n{whole[-700:]}"
    urls = [h.url for h in read_hits([call(cut)])]
    assert urls[0] == "https://s0.test"
    assert urls[-1] == "https://s39.test"
    assert len(urls) > 15


def test_rows_of_several_tables_are_joined_by_url() -> None:
    pages = {"pages": [{"url": "u", "title": "t", "path": "p.md", "status": "success"}]}
    sources = {"sources": [{"n": 3, "url": "u", "title": "", "status": "success"}]}
    (row,) = read_rows([call(json.dumps(pages)), call(json.dumps(sources))])
    assert (row.n, row.path, row.title, row.ok) == (3, "p.md", "t", True)


def test_pieces_of_a_file_are_joined_where_they_meet() -> None:
    pieces = [
        call(json.dumps({"text": "lo world", "next_offset": None}), path="a", offset=3),
        call(json.dumps({"text": "hel", "next_offset": 3}), path="a"),
    ]
    assert join_chunks(read_chunks(pieces, "path")) == {"a": "hello world"}


def test_a_file_read_as_plain_text_is_understood() -> None:
    (chunk,) = read_chunks([call("Some text.\n[next offset: 400 of 900]", path="a")], "path")
    assert (chunk.text.strip(), chunk.next_offset) == ("Some text.", 400)


def test_a_file_answer_with_its_middle_cut_gives_its_text() -> None:
    text = json.dumps({"path": "a", "text": "Line “one”.\nLine two." + "x" * 50})
    (chunk,) = read_chunks([call(text[:60] + "\n[… cut …]\n" + text[-20:], path="a")], "path")
    assert chunk.text.startswith("Line “one”.\nLine two.")


def test_success_is_read_from_flags_before_words() -> None:
    assert succeeded(call('{"success": true, "note": "error-free"}'))
    assert not succeeded(call('{"success": false}'))
    assert not succeeded(call("Error: source [7] does not exist"))
    assert not succeeded(call("fine", is_error=True))


def test_a_task_in_anybodys_words_is_understood() -> None:
    brief = read_brief(
        "Please write an in-depth report about tidal power in Wales. Use these pages: "
        "https://a.test/x (good), and https://b.test/y."
    )
    assert brief.topic.startswith("tidal power in Wales")
    assert brief.is_deep
    assert brief.urls == ("https://a.test/x", "https://b.test/y")


def test_urls_lose_the_punctuation_after_them() -> None:
    text = "See https://a.test/x, (https://b.test/y_(z)) and <https://c.test/?q=1>."
    assert find_urls(text) == ["https://a.test/x", "https://b.test/y_(z)", "https://c.test/?q=1"]


def test_the_report_file_is_named_without_its_folder() -> None:
    assert find_report_file("Ready: work_products/cats_may_2026_v2.html.") == (
        "cats_may_2026_v2.html"
    )
    assert find_report_file("See https://a.test/page.html") == ""
