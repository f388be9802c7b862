# SPDX-License-Identifier: Apache-2.0
"""A live view: screens of a target one after the other, and keys."""

import os
import sys
import tempfile
import time
from dataclasses import replace
from typing import Final

from rich.console import Console

from threadmodel import page, private
from threadmodel.cli import terminal
from threadmodel.cli.keys import CLEAR_LINE, keys_of_terminal
from threadmodel.cli.report import stdout_console
from threadmodel.cli.targets import Target
from threadmodel.cli.top_screen import View, sections
from threadmodel.errors import AttachError, ThreadmodelError
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.text import clean, count, duration

# A written report is of so much of the past.
WRITTEN_NS: Final = 30_000_000_000
HOME: Final = "\033[H"
CLEAR_REST: Final = "\033[J"
FIRST_SECONDS: Final = 20.0
POLL_SECONDS: Final = 0.05
FILL_SECONDS: Final = 2.0
KEYS: Final = "q quit   p freeze   s sort   / filter   w write a report"


def _heading(model: Model, name: str, view: View, marks: "Marks") -> str:
    if not view.has_rates:
        return name
    facts = []
    rate = marks.rate(model.event_count)
    if rate is not None:
        facts.append(f"{rate:,.0f} events a second")
    if model.run.cost_dropped:
        facts.append(f"{count(model.run.cost_dropped, 'event')} dropped")
    length = f"{name}, {duration(model.length_ns)}"
    return f"{length}: {', '.join(facts)}" if facts else length


class Marks:
    """How many events there were when, for their rate."""

    def __init__(self) -> None:
        """None yet."""
        self._last: tuple[float, int] | None = None
        self._rate: float | None = None

    def rate(self, events: int) -> float | None:
        """Note the number of events; return how many came a second since the last."""
        now = time.monotonic()
        if self._last is not None and now > self._last[0]:
            self._rate = max(events - self._last[1], 0) / (now - self._last[0])
        self._last = now, events
        return self._rate


def _first(target: Target) -> Model:
    deadline = time.monotonic() + FIRST_SECONDS
    while True:
        model = target.update()
        if model is not None:
            return model
        if not target.is_going_on() or time.monotonic() > deadline:
            raise AttachError(
                "nothing was recorded: the process has ended, or is stopped"
            )
        time.sleep(POLL_SECONDS)


def print_screens(
    target: Target, name: str, view: View, every: float, screens: int | None
) -> None:
    """Print screens one below the other."""
    marks = Marks()
    marks.rate(_first(target).event_count)
    console = stdout_console()
    for number in range(screens or 1):
        if number:
            print()
        # There is nothing to sum up at first.
        time.sleep(
            every if number else max(every, min(view.window_ns / 1e9, FILL_SECONDS))
        )
        model = target.update()
        if model is None or (number and not target.is_going_on()):
            return
        heading = _heading(model, name, view, marks)
        terminal.show(sections(model, view, heading, console), console)
        sys.stdout.flush()


def watch(
    target: Target, name: str, view: View, every: float, screens: int | None
) -> None:
    """Draw screens in place of one another, and obey keys."""
    marks = Marks()
    with keys_of_terminal() as keys:
        model = _first(target)
        heading = name
        is_frozen = False
        said = ""
        shown = 0
        while target.is_going_on():
            if not is_frozen:
                model = target.update() or model
                heading = _heading(model, name, view, marks)
            _draw(model, view, heading, "frozen" if is_frozen else said)
            said = ""
            shown += 1
            if screens is not None and shown >= screens:
                return
            due = time.monotonic() + every
            while (left := due - time.monotonic()) > 0:
                key = keys.read(left)
                if key == "q":
                    return
                if key == "p":
                    is_frozen = not is_frozen
                elif key == "s":
                    view = view.next_sort()
                elif key == "/":
                    view = replace(view, words=keys.line("show only what has: "))
                elif key == "w":
                    said = _write(model)
                if key:
                    break


def _write(model: Model) -> str:
    """Write the page of the report, and return where it is."""
    path = os.path.abspath(time.strftime("top-%H%M%S.html"))
    try:
        start_ns = model.length_ns - WRITTEN_NS
        part = Selection(window=(start_ns, None)) if start_ns > 0 else None
        text = page.render(model, part=part)
        with open(path, "w", encoding="utf-8", opener=private.owner_only) as file:
            file.write(text)
    except (OSError, ThreadmodelError) as failure:
        return clean(f"not written: {failure}")
    return f"written: {path}"


def _draw(model: Model, view: View, heading: str, said: str) -> None:
    width, height = os.get_terminal_size(sys.stdout.fileno())
    view = replace(view, height=height - 1)
    with tempfile.SpooledTemporaryFile(mode="w+", max_size=1 << 20) as text:
        console = Console(
            file=text,
            width=width,
            height=height,
            force_terminal=True,
            highlight=False,
            no_color="NO_COLOR" in os.environ,
        )
        terminal.show(sections(model, view, heading, console), console)
        text.seek(0)
        shown = text.read().split("\n")[: height - 1]
    status = said or (f"only {view.words!r}   {KEYS}" if view.words else KEYS)
    screen = "".join(f"{line}{CLEAR_LINE}\n" for line in shown)
    sys.stdout.write(
        f"{HOME}{screen}{clean(status)[: width - 1]}{CLEAR_LINE}{CLEAR_REST}"
    )
    sys.stdout.flush()
