# SPDX-License-Identifier: Apache-2.0
"""Two runs as one HTML file: both timelines on one scale, and their difference."""

import html
from pathlib import Path
from typing import TYPE_CHECKING

from threadmodel import drawn, page, tables
from threadmodel.pack import Pack
from threadmodel.selection import ALL, Selection
from threadmodel.text import clean

if TYPE_CHECKING:
    from threadmodel.model import Model


def render(
    before: "Model",
    after: "Model",
    above: str,
    below: str,
    *,
    parts: tuple[Selection, Selection] = (ALL, ALL),
    detail: int = page.TILE_ROWS,
    step: page.Listener = lambda _: None,
) -> str:
    """Return the whole page.

    Args:
        before: one run
        after: the other
        above: HTML of what is above the timelines
        below: HTML of what is below the flame graph
        parts: of each run: what the flame graph adds up, and the timelines show first
        detail: rows of a timeline to hold at most
        step: called with what is being written

    Raises:
        UnsupportedError: the package was built without the front end
    """
    names = [_name(before), _name(after)]
    title = html.escape(f"{names[0]} and {names[1]}, before and after")
    body = (
        f'<main><div class="still"><h1>{title}</h1>{above}</div>'
        '<div id="pair"><noscript><p>The timelines need JavaScript: all of it is in '
        f'this file.</p></noscript></div><div class="still">{below}</div></main>'
    )
    packs = {
        "before": _side(before, names[0], parts[0], detail, step),
        "after": _side(after, names[1], parts[1], detail, step),
    }
    return page.whole(title, body, packs)


def _name(model: "Model") -> str:
    return clean(Path(model.run.source or model.run.command or "a run").name, 100)


def _side(
    model: "Model", name: str, part: Selection, detail: int, step: page.Listener
) -> bytes:
    pack = Pack()
    pack.put("name", name)
    pack.put("range", tables.bounds(model, part))
    pack.add("threads", model.threads())
    drawn.put_all(pack, model, detail, step)
    page.put_causes(pack, model, part)
    page.put_owners(pack, model, part)
    page.put_stacks(pack, model, part, step)
    return pack.finish()
