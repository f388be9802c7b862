# SPDX-License-Identifier: Apache-2.0
"""Lists of columns in comments of C and in docstrings of Python.

A paragraph that begins "Columns (table `name`):" is ours to write, wherever it is.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from describe import INCLUDE, PACKAGE
from describe.columns import PLACE, Column, Repeated, Table, read_tables

WIDTH = 88
# Behind it comes an empty line, the end of the comment or that of the docstring.
PARAGRAPH = re.compile(
    r"^(?P<indent>[ *]*)Columns \(table `{1,2}(?P<name>\w+)`{1,2}\):.*\n"
    r"(?:(?P=indent)(?! *(?:\n|\"\"\"))[^\n]*\n)*",
    re.MULTILINE,
)
FUNCTION = re.compile(r"(?:TM_API int|def) (\w+)\(")


def parentheses(column: Column, in_c: bool) -> str:
    """What the table itself says of a column; what is said of all such is left out, and
    so is that null is "not known"."""
    parts = []
    if in_c and column.enum and not column.values:
        parts.append(f"enum {column.enum}")
    elif column.values:
        parts.append(", ".join(column.values))
    if "text" in column.own and column.text:
        parts.append(column.text)
    if "null" in column.own and column.null not in ("", "not known"):
        parts.append(f"{'null' if in_c else 'None'}: {column.null}")
    return f" ({'; '.join(parts)})" if parts else ""


def entries(columns: Iterable[Column], in_c: bool) -> str:
    """Columns one after another; what is said of neighbours alike is said once."""
    parts = []
    for said, group in groupby(columns, lambda column: parentheses(column, in_c)):
        names = [f"{it.name} {it.type}" for it in group]
        if said and len(names) > 1:
            names[-2:] = [f"{names[-2]} and {names[-1]}"]
        parts.append(", ".join(names) + said)
    return ", ".join(parts)


def key_names(column: Column, in_c: bool) -> str:
    """Under which keys it is there; empty: always."""
    if in_c:
        names, but = column.keys, column.without
    else:
        names = tuple(key.split("BY_")[1].lower() for key in column.keys)
        but = tuple(key.split("BY_")[1].lower() for key in column.without)
    text = " or ".join(names)
    return f"{text} without {', '.join(but)}" if but else text


def repeated(item: Repeated, in_c: bool) -> str:
    words = [word.removesuffix("_") for word in item.words]
    if item.enum and in_c:
        listed = f"each of enum {item.enum}"
    else:
        listed = f"each of {', '.join(words)}"
    columns = entries(item.columns, in_c)
    if item.words[0].endswith("_"):
        columns = columns.replace(PLACE, f"{PLACE}_")
    keys = key_names(item.columns[0], in_c)
    return f"{f'by {keys}, ' if keys else ''}for {listed}: {columns}"


def clauses(table: Table, in_c: bool) -> Iterator[str]:
    """The list in pieces, columns of the same keys in one."""
    pieces: list[Column | Repeated] = []
    for item in table.items:
        # A repetition for a single word is not a pattern.
        if isinstance(item, Repeated) and len(item.words) == 1:
            pieces += item.expanded()
        else:
            pieces.append(item)
    by_key = False
    for keys, group in groupby(
        pieces, lambda it: None if isinstance(it, Repeated) else key_names(it, in_c)
    ):
        if keys is None:
            for item in group:
                assert isinstance(item, Repeated)
                yield repeated(item, in_c)
            continue
        plain = [item for item in group if isinstance(item, Column)]
        text = entries(plain, in_c)
        if keys:
            text = f"by {keys}: {text}"
        elif by_key:
            text = f"always: {text}"
        by_key = bool(keys)
        yield text


def listed_columns(table: Table, in_c: bool) -> str:
    if not table.of:
        return "; ".join(clauses(table, in_c))
    own = [column for column in table.columns if column.keys]
    rest = f"those of table `{table.of}` that are always there"
    return f"{entries(own, in_c)}; {rest}" if own else rest


def paragraph(table: Table, indent: str, in_c: bool) -> str:
    text = f"Columns (table `{table.name}`): {listed_columns(table, in_c)}."
    if not in_c:
        text = text.replace("`", "``")
    lines = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) + "\n"


def rewritten(path: Path) -> str:
    """A file with its lists of columns as they should be."""
    tables = read_tables()
    return PARAGRAPH.sub(
        lambda found: paragraph(
            tables[found["name"]], found["indent"], path.suffix == ".h"
        ),
        path.read_text(),
    )


def files() -> list[Path]:
    """Where such paragraphs may be."""
    return [*sorted(INCLUDE.glob("*.h")), *sorted(PACKAGE.rglob("*.py"))]


def functions(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Names of tables, and of the functions whose comments list their columns."""
    found: dict[str, list[str]] = {}
    for path in paths:
        text = path.read_text()
        for match in PARAGRAPH.finditer(text):
            if path.suffix == ".h":
                name = FUNCTION.findall(text, match.end())[0]
            else:
                name = FUNCTION.findall(text, 0, match.start())[-1]
            found.setdefault(match["name"], []).append(name)
    return found
