# SPDX-License-Identifier: Apache-2.0
"""Resources without an owner, in the view of locks: their waits and their users."""

import threadmodel
from conftest import Show
from threadmodel import Event, EventKind, Frame

MS = 1_000_000
TAKE, GIVE = 1, 2


def one_connection() -> threadmodel.Model:
    """Thread 1 has the only connection; 2 gets it from there, and 3 from 2."""
    model = threadmodel.Model()
    for thread, name in ((1, "early"), (2, "middle"), (3, "late")):
        model.define_thread(thread, name)
    model.define_class(1, "demo.Pool")
    model.define_method(1, 1, "borrow")
    model.define_method(2, 1, "giveBack")
    model.define_stack(TAKE, [Frame(1, line=22)])
    model.define_stack(GIVE, [Frame(2, line=30)])
    model.define_object(100, 1)
    model.ingest(
        [
            *(Event(1, thread, EventKind.THREAD_START) for thread in (1, 2, 3)),
            Event(1 * MS, 2, EventKind.PARK, object=100, stack=TAKE),
            Event(2 * MS, 3, EventKind.PARK, object=100, stack=TAKE),
            Event(4 * MS, 1, EventKind.UNPARK_CALLED, peer=2, stack=GIVE),
            Event(5 * MS, 2, EventKind.UNPARKED, object=100),
            Event(9 * MS, 2, EventKind.UNPARK_CALLED, peer=3, stack=GIVE),
            Event(10 * MS, 3, EventKind.UNPARKED, object=100),
        ]
    )
    return model


def test_waits_for_a_pool_are_shown_with_who_used_it(show: Show) -> None:
    page = show(one_connection())
    page.click("#tab-locks")
    waits = page.locator(".locks section", has_text="nobody owns")
    waits.locator("text=demo.Pool.giveBack").first.wait_for()
    shown = waits.inner_text().splitlines()
    assert "demo.Pool.borrow" in shown
    # 2 waited for 3 ms for what 1 had, and 3 for 2 ms; for 4 ms of its wait 2 had it.
    for user, time in (("early", "5.00 ms"), ("middle", "4.00 ms")):
        row = shown[shown.index(user) :]
        assert time in row[:5]


def test_where_nobody_waited_the_view_is_calm(show: Show) -> None:
    page = show(threadmodel.Model())
    page.click("#tab-locks")
    page.locator("text=No thread waited for what nobody owns.").wait_for()


def test_how_many_permits_were_in_use_is_drawn_over_the_run(show: Show) -> None:
    model = one_connection()
    page = show(model)
    page.click("#tab-locks")
    picture = page.locator(".locks section", has_text="nobody owns").locator(
        "figure svg"
    )
    picture.wait_for()
    assert float(picture.get_attribute("data-most") or 0) == 1
    # 2 had the connection from 5 to 9 ms of the run's 10.
    (use,) = model.resource_uses()
    assert (use["thread"], use["in_use"]) == ("middle", 1)
    words = picture.get_attribute("aria-label")
    assert words
    assert words.endswith("in demo.Pool.borrow, up to 1 permit")
