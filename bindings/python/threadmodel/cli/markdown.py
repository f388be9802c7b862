# SPDX-License-Identifier: Apache-2.0
"""The report as GitHub-flavoured Markdown, for the summary of a CI job."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from rich.text import Text

from threadmodel.cli.grid import Grid
from threadmodel.cli.page import Fact, Section

# Names come from the recorded program: nothing in them is a link, a tag or a mention.
SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+.!|~$-])")
# An invisible character: a word that it splits is neither a mention nor an address.
JOINER: Final = "&#8203;"


def escaped(text: str) -> str:
    """Write text so that it is shown as it is."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = SPECIAL.sub(r"\\\1", text)
    text = text.replace("@", f"@{JOINER}").replace("://", f":{JOINER}//")
    return re.sub(r"(?i)\bwww", f"www{JOINER}", text)


def render(sections: Iterable[Section], heading: str) -> str:
    """Write sections: facts as a list, grids as tables."""
    lines = [f"## {escaped(heading)}"]
    for section in sections:
        lines += ["", f"### {escaped(section.heading)}", ""]
        # A list, a table and a paragraph end where an empty line is.
        before: type | None = None
        for part in section.body:
            if before not in (None, type(part)):
                lines.append("")
            before = type(part)
            if isinstance(part, Grid):
                lines += _table(part)
            elif isinstance(part, Fact):
                lines.append(_fact(part))
            else:
                lines.append(_line(part))
    return "".join(f"{line}\n" for line in lines)


def _fact(fact: Fact) -> str:
    """A name and its value, or a value that continues the one before."""
    value = escaped(" ".join(fact.value.split()))
    return f"- **{escaped(fact.name)}** {value}" if fact.name else f"  - {value}"


def _line(text: Text) -> str:
    return escaped(text.plain.strip()) + "  "


def _table(grid: Grid) -> list[str]:
    """Rows under titles; numbers are aligned to the right."""
    marks = ["---" if c.name or c.label else "--:" for c in grid.columns]
    return [
        _row([escaped(column.title) for column in grid.columns]),
        _row(marks),
        *(_row([escaped(cell) for cell in row]) for row in grid.rows),
    ]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
