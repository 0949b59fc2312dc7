"""Which of several readings of a page is taken, and what of it is left out."""

from mcp_local.extract.html import extract_html
from mcp_local.extract.readings import choose, drop_lone_lines, trim_menus

POSTS = [
    "My heat pump stops at minus ten degrees and the display shows code 14. What does it mean?",
    "That is the sensor of the outdoor unit. Ice on it makes it read wrong.",
    "Mine had the same in January, and a new seal at the fan helped.",
    "Thanks, the seal it was. The noise is gone as well.",
]
MENUS = [f"Board {n}: houses and gardens" for n in range(30)]


def test_a_reading_that_lacks_most_of_what_the_others_share_is_not_taken() -> None:
    thread = "\n\n".join(POSTS)
    whole = "\n".join([*MENUS, *POSTS])
    readings = {"plain": POSTS[0], "joined": thread, "resiliparse": thread, "whole": whole}
    assert choose(readings) == "joined"


def test_a_reading_without_tables_has_to_be_better_and_not_only_as_good() -> None:
    thread = "\n\n".join(POSTS)
    whole = "\n".join([*MENUS, *POSTS])
    readings = {"plain": thread, "joined": thread, "resiliparse": thread, "whole": whole}
    assert choose(readings) == "plain"


def test_what_stands_only_in_notices_and_footers_is_left_out_and_a_page_made_of_them_is_not() -> (
    None
):
    text = "".join(f"<p>{post}</p>" for post in POSTS)
    consent = (
        "<p>We and our partners read your device for measuring, ads and other aims of ours.</p>"
    )
    page = (
        f"<html><head><title>Code 14</title></head><body><main class='modal-open'>{text}</main>"
        f"<div class='cmp-cookieConsent'>{consent}</div>"
        f"<footer><p>{consent}</p></footer></body></html>"
    )
    read = extract_html(page, "http://forum.example/")
    assert all(post in read.markdown for post in POSTS)
    assert "partners" not in read.markdown
    pop_up = page.replace("<main", "<div").replace("</main", "</div").replace(consent, "")
    assert POSTS[3] in extract_html(pop_up, "http://forum.example/").markdown


def test_a_short_line_that_no_other_reading_has_is_left_out() -> None:
    text = f"{POSTS[0]}\nJoin to see the picture\n{POSTS[1]}\n## Answers"
    assert drop_lone_lines(text, [POSTS[0], "Answers"]) == f"{POSTS[0]}\n{POSTS[1]}\n## Answers"


def test_labels_of_menus_at_the_ends_are_left_out_and_figures_and_indexes_are_not() -> None:
    thread = "\n".join(POSTS)
    assert trim_menus(f"Skip to content\n\nLog in\n{thread}\nApply now\nGuidelines") == thread
    for kept in (f"£249 a piece\n{thread}\n- two seals\n- one fan", "\n".join(["a line"] * 9)):
        assert trim_menus(kept) == kept


def test_a_page_on_which_trafilatura_finds_nothing_is_read_by_the_other_reader() -> None:
    rows = "".join(
        f"<div class=footer-links>Works {n} in Town {n}, open since 19{n}</div>"
        for n in range(10, 50)
    )
    page = f"<html><head><title>Works</title></head><body>{rows}</body></html>"
    read = extract_html(page, "http://lists.example/")
    assert "Works 49 in Town 49, open since 1949" in read.markdown
