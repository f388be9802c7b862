# SPDX-License-Identifier: Apache-2.0
"""Sections as one HTML page that looks like the report: no script, no other file."""

import html
from collections.abc import Iterable, Mapping

from rich.text import Text

from threadmodel._library import BUILT_VERSION, version_text
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import Fact, Section
from threadmodel.page import asset
from threadmodel.text import clean

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" \
content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="threadmodel {version}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main class="still"><h1>{title}</h1>
{sections}
</main>
</body>
</html>
"""


def render(
    sections: Iterable[Section], title: str, links: Mapping[str, str] | None = None
) -> str:
    """Return the page.

    Args:
        sections: on it
        title: above them
        links: by the text of a cell, the URL that it links to
    """
    return _PAGE.format(
        version=version_text(BUILT_VERSION),
        style=asset("report.css"),
        title=html.escape(clean(title)),
        sections=fragment(sections, links or {}),
    )


def fragment(sections: Iterable[Section], links: Mapping[str, str]) -> str:
    """Return the sections alone, to be put into an element of class ``still``."""
    return "\n".join(_section(section, links) for section in sections)


def _section(section: Section, links: Mapping[str, str]) -> str:
    parts = [f"<section><h2>{html.escape(section.heading)}</h2>"]
    for part in section.body:
        if isinstance(part, Grid):
            parts.append(_table(part, links))
        elif isinstance(part, Fact):
            name, value = html.escape(part.name), html.escape(part.value)
            parts.append(f"<p><b>{name}</b> {value}</p>")
        else:
            parts.append(_line(part))
    return "".join([*parts, "</section>"])


def _line(text: Text) -> str:
    return f"<p>{html.escape(text.plain.strip())}</p>"


def _table(grid: Grid, links: Mapping[str, str]) -> str:
    kinds = [_kind(column) for column in grid.columns]
    titles = [column.title for column in grid.columns]
    head = "".join(
        f"<th{kind}>{html.escape(title)}</th>"
        for kind, title in zip(kinds, titles, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{_cell(cell, links)}</td>"
            for kind, cell in zip(kinds, row, strict=True)
        )
        + "</tr>"
        for row in grid.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _kind(column: Column) -> str:
    if column.label:
        return ' class="label"'
    return "" if column.name else ' class="number"'


def _cell(cell: str, links: Mapping[str, str]) -> str:
    text = html.escape(cell)
    if cell not in links:
        return text
    return f'<a href="{html.escape(links[cell])}">{text}</a>'
