# SPDX-License-Identifier: Apache-2.0
"""docs/tables.md: every table and column, and what the strings in them mean."""

from collections.abc import Iterable
from functools import cache

from describe import INCLUDE, MADE, PACKAGE, ROOT
from describe.columns import PLACE, Column, Repeated, Table, read_tables
from describe.enums import Enum, read_enums
from describe.examples import COMMAND, RUN, examples
from describe.paragraphs import functions

DOCS = ROOT / "docs"
HEAD = f"""\
# Tables

<!-- {MADE} from libthreadmodel/table/tables.toml and the public headers. -->

Reference, for users of tables in C, Python, SQL and JSON.

Every answer is a table. These are all of them, with their columns. Times are
nanoseconds since the run began, unless a column states another origin. A name ends in
its unit; other units and fractions are given in column *unit*. A column without an
entry under *null* is null in no row. Later releases may add columns, and change none.

- **C**: `int rc = tm_timeline_list(&table, model, &selection);`, see
  [embedding.md](embedding.md). String columns hold codes of a dictionary.
- **Python**: `model.timeline()`, where `model = threadmodel.open("run.tmt")`.
- **SQL**: `model.sql("select * from timeline")`.
- **Command line**: `threadmodel report run.tmt --json` prints the verdict, findings and
  sums as one object, `--tables NAMES` other tables that SQL has; `--csv DIR` and
  `--parquet DIR` write a file for each.
  Some have a command.

The rows below each table are of one small run, [{RUN.name}]({RUN.relative_to(DOCS)}):
one line per column, up to three rows. A column that is null, false or 0 in all of them
is left out; long texts are cut. The run was recorded by `{COMMAND}`.

"""
INDEX = """\
| table | content |
|---|---|
"""
ENUMS = """\
## Names in string columns

"""


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def code(name: str) -> str:
    return f"`{name}`"


@cache
def listed_enums() -> list[str]:
    """Enums whose every value a column may have."""
    used = {
        column.enum
        for table in read_tables().values()
        for column in table.columns
        if not column.values
    }
    return [name for name in read_enums() if name in used]


def meaning(column: Column) -> str:
    parts = [column.text] if column.text else []
    if column.values:
        parts.append("one of " + ", ".join(map(code, column.values)))
    if column.enum in listed_enums():
        parts.append(f"see [{column.enum}](#{column.enum})")
    return cell("; ".join(parts))


def keys_of(column: Column) -> str:
    text = " or ".join(map(code, column.keys))
    if column.without:
        text += f", not with {' or '.join(map(code, column.without))}"
    return text


def row(column: Column, name: str, by_keys: bool) -> str:
    cells = [code(name), column.type, column.unit, meaning(column), cell(column.null)]
    if by_keys:
        cells.insert(1, keys_of(column))
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


def shown(item: Repeated, column: Column) -> str:
    """The name of a column that is there once for each word."""
    place = PLACE + "_" if item.words[0].endswith("_") else PLACE
    return column.name.replace(PLACE, place if len(item.words) > 1 else item.words[0])


def rows(table: Table, by_keys: bool) -> list[str]:
    lines = []
    for item in table.items:
        if isinstance(item, Column):
            lines.append(row(item, item.name, by_keys))
            continue
        lines += [row(column, shown(item, column), by_keys) for column in item.columns]
    return lines


def repeats(table: Table) -> list[str]:
    for item in table.items:
        if isinstance(item, Repeated) and len(item.words) > 1:
            words = [code(word.removesuffix("_")) for word in item.words]
            return ["", f"`{PLACE}` is each of {', '.join(words)}."]
    return []


def merging(table: Table) -> list[str]:
    """How rows of many runs become one."""
    if not table.merge:
        return []
    by: dict[str, list[str]] = {}
    for item in table.items:
        if isinstance(item, Repeated):
            for column in item.columns:
                by.setdefault(column.merge, []).append(code(shown(item, column)))
        elif (name := code(item.name)) not in by.setdefault(item.merge, []):
            by[item.merge].append(name)
    said = [
        f"{what} {', '.join(by[merge])}"
        for merge, what in (
            ("key", "keys"),
            ("sum", "sums"),
            ("signed", "sums that may be below 0"),
            ("min", "smallest"),
            ("max", "largest"),
        )
        if merge in by
    ]
    return ["", f"Runs merge: {'; '.join(said)}."]


def ways(table: Table, c: dict[str, list[str]], python: dict[str, list[str]]) -> str:
    said = []
    for name in c.get(table.name, []):
        said.append(f"C `{name}()`")
    if not said:
        keys = " | ".join(table.keys)
        said += [f"C `{name}()` by keys `{keys}`" for name in c[table.of]]
    said += [f"Python `{name}()`" for name in python.get(table.name, [])]
    if table.sql:
        said.append(f"SQL `{table.sql}`")
    if table.cli:
        said.append(f"command `threadmodel {table.cli}`")
    return "; ".join(said) + "."


def example(name: str, given: dict[str, list[tuple[str, list[str]]]]) -> list[str]:
    columns = given[name]
    if not columns:
        return ["", "The run has no row of it.", ""]
    count = len(columns[0][1])
    lines = ["", f"| column |{' example |' * count}", "|---" * (count + 1) + "|"]
    for column, cells in columns:
        lines.append(f"| {' | '.join([code(column), *map(cell, cells)])} |")
    return [*(line.replace("|  |", "| |").replace("|  |", "| |") for line in lines), ""]


def section(
    table: Table, c: dict[str, list[str]], python: dict[str, list[str]]
) -> list[str]:
    lines = [f"## {table.name}", "", table.about, "", ways(table, c, python), ""]
    if table.of:
        own = ", ".join(code(column.name) for column in table.columns if column.keys)
        rest = f"those of [{table.of}](#{table.of}) that need no key"
        return [*lines, f"Columns: {own + ', and ' if own else ''}{rest}."]
    by_keys = any(column.keys for column in table.columns)
    head = ["column", "type", "unit", "meaning", "null"]
    if by_keys:
        head.insert(1, "by key")
    lines += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return [*lines, *rows(table, by_keys), *repeats(table), *merging(table)]


def index(tables: Iterable[Table]) -> str:
    """A line a table, as far as the first full stop."""
    lines = (
        f"| [{table.name}](#{table.name}) | {cell(table.about.partition('. ')[0])} |"
        for table in tables
    )
    return INDEX + "\n".join(line.replace(". |", " |") for line in lines) + "\n\n"


def names(enum: Enum) -> list[str]:
    lines = [
        f"### {enum.name}",
        "",
        f"{enum.text}.",
        "",
        "| name | means |",
        "|---|---|",
    ]
    lines += [f"| `{value.name}` | {cell(value.text)} |" for value in enum.values]
    return [*(line.replace("|  |", "| |") for line in lines), ""]


def page() -> str:
    tables = read_tables()
    c = functions(sorted(INCLUDE.glob("*.h")))
    python = functions(sorted(PACKAGE.rglob("*.py")))
    shown = examples()
    lines: list[str] = []
    for table in tables.values():
        lines += section(table, c, python) + example(table.name, shown)
    text = HEAD + index(tables.values()) + "\n".join(lines) + "\n" + ENUMS
    for name in listed_enums():
        text += "\n".join(names(read_enums()[name])) + "\n"
    return text.rstrip("\n") + "\n"
