# SPDX-License-Identifier: Apache-2.0
"""Names may hold anything; a page shows them as text, and runs nothing of them."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

import runs
import threadmodel
from conftest import Show, go, grid_rows, state
from threadmodel import Event, EventFlag, EventKind, Frame, Run
from threadmodel.text import clean

NAMES = {
    **runs.HOSTILE_NAMES,
    "script": "</script><script>globalThis.pwned = 1</script>",
    "comment": "<!--<script>globalThis.pwned = 2//",
    "image": '<img src=x onerror="globalThis.pwned = 3">',
    "svg": "<svg onload=globalThis.pwned=4>",
    "attribute": "\" onmouseover='globalThis.pwned = 5' x=\"",
    "url": "javascript:globalThis.pwned=6",
    "template": "${globalThis.pwned = 7}{{constructor.constructor('pwned=8')()}}",
    "prototype": "__proto__",
    "constructor": "constructor",
    "emoji": "👩‍🚀🧵\u200d🔒 \U0001f600",
    "zalgo": "Z̴̛͙̈́ȃ̷l̶g̸o̵",
}
VIEWS = ("overview", "timeline", "statistics", "locks", "whatif", "flame")


def hostile() -> threadmodel.Model:
    """Each name is a thread's, a group's, a class's and a method's; all deadlock."""
    model = threadmodel.Model()
    kind = EventKind
    name = NAMES["script"]
    model.define_run(Run(policy=1, start_ns=1, source=name, vm=name, command=name))
    model.add_caveat(name)
    count = len(NAMES)
    for number, text in enumerate(NAMES.values(), 1):
        model.define_thread(number, text, text)
        model.define_class(number, text, text)
        model.define_method(number, number, text)
        model.define_stack(number, [Frame(number, line=7), Frame(1 + number % count)])
        model.define_object(number, number)
    for number in range(1, count + 1):
        wait = {"object": number, "stack": number}
        model.ingest(
            [
                Event(number * 1000, number, kind.WAIT, **wait),
                Event(number * 1000 + 10, 1 + number % count, kind.NOTIFY, **wait),
                Event(number * 1000 + 20, number, kind.WAITED, object=number),
                Event(number * 1000 + 30, number, kind.CONTENDED_ENTER, **wait),
                Event(
                    number * 1000 + 500, number, kind.CONTENDED_ENTERED, object=number
                ),
            ]
        )
    reported = EventFlag.PEER_REPORTED
    for number in range(1, count + 1):
        following = 1 + number % count
        model.ingest(
            [
                Event(
                    100_000 + number,
                    number,
                    kind.CONTENDED_ENTER,
                    object=following,
                    peer=following,
                    stack=number,
                    flags=reported,
                )
            ]
        )
    return model


def nothing_ran(page: Page) -> None:
    assert page.evaluate("globalThis.pwned") is None
    assert page.locator("img, iframe, object, embed, script[src]").count() == 0
    assert page.locator("[onerror], [onload], [onmouseover]").count() == 0
    assert page.locator('a[href^="javascript:"]').count() == 0


@pytest.fixture(scope="module")
def model() -> threadmodel.Model:
    return hostile()


@pytest.mark.parametrize("view", VIEWS)
def test_names_run_nowhere(show: Show, model: threadmodel.Model, view: str) -> None:
    page = show(model, view)
    nothing_ran(page)
    assert page.locator("#view").inner_text().strip()
    assert "</script><script>" in (page.locator("h1").first.text_content() or "")


def test_names_are_text_in_tables(show: Show, model: threadmodel.Model) -> None:
    page = show(model, "statistics")
    shown = grid_rows(page, "Threads")
    assert len(shown) > 5
    labels = {clean(name, 200) or "thread" for name in NAMES.values()}
    for row in shown:
        assert row["name"] in {label.strip() for label in labels} or row[
            "name"
        ].startswith("thread ")
    nothing_ran(page)


def test_names_are_text_in_the_timeline(show: Show, model: threadmodel.Model) -> None:
    page = show(model, "timeline")
    lanes = page.get_by_role("application", name="Timeline of threads")
    lanes.focus()
    for _ in NAMES:
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        panel = page.get_by_label("The chosen interval")
        lane = state(page, "s.data.threads[s.lane.value].label")
        assert panel.locator("dd").first.text_content() == lane
    page.get_by_role("button", name="Filter:").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Critical path").click()
    page.get_by_role("button", name="Show as a table").click()
    nothing_ran(page)


def test_names_are_text_among_locks(show: Show, model: threadmodel.Model) -> None:
    page = show(model, "locks")
    assert page.locator("article.deadlock .member").count() == len(NAMES)
    text = page.locator(".members").text_content() or ""
    assert clean(NAMES["script"]) in text
    assert NAMES["image"] in text
    assert NAMES["emoji"] in text
    nothing_ran(page)


def test_names_are_text_in_the_flame_graph(
    show: Show, model: threadmodel.Model
) -> None:
    page = show(model, "flame")
    page.locator("g.frame").nth(3).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("searchbox").fill("(((")
    page.get_by_role("searchbox").fill("script")
    nothing_ran(page)
    go(page, "overview")
    nothing_ran(page)


def test_no_name_is_in_the_file_as_it_is(
    model: threadmodel.Model, tmp_path: Path
) -> None:
    """But in the words for those who run no scripts, escaped."""
    page = model.to_html() or ""
    assert NAMES["script"] not in page
    assert NAMES["image"] not in page
    assert page.count("<script") == 3
