# SPDX-License-Identifier: Apache-2.0
"""SQL over the tables of a run, by DuckDB."""

import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from threadmodel import errors
from threadmodel.extras import extra
from threadmodel.tables import ALL_TABLES, ask

if TYPE_CHECKING:
    from threadmodel.model import Model

_WORD: Final = re.compile(r"\w+")
_SHOW_TABLES: Final = re.compile(
    r"(\s|--.*\n)*show\s+(all\s+)?tables\s*;?\s*", re.IGNORECASE
)
Ask = Callable[[str, list[str] | None], Any]
_SEALED: Final = (
    "set memory_limit = '512MB'; set threads = 2; set enable_external_access = false; "
    "set lock_configuration = true"
)
# Tables that may have millions of rows: only the columns that are read are built.
_LISTS: Final = {"timeline", "interactions", "holds", "resource_uses", "units"}
_SCAN: Final = "PYTHON_ARROW_SCAN"
_MISSING_TABLE: Final = re.compile(r"Table with name (\w+) does not exist")


def query(model: "Model", statement: str) -> Any:
    """Run one SQL statement over the tables of the run, by DuckDB.

    ``show tables`` lists the tables, and ``describe threads`` the columns of one. Only
    tables that the statement names are built; DuckDB reads them without a copy.

    Returns:
        a DuckDBPyRelation, which shows itself: ``.df()``, ``.pl()``,
        ``.to_arrow_table()``, ``.fetchall()``

    Raises:
        MissingExtraError: duckdb or pyarrow is not installed
        InvalidArgumentError: the statement is invalid, or is not a query
    """
    return prepared(lambda name, read: ask(model, name, read).to_arrow(), statement)[1]


def prepared(
    table_of: Ask, statement: str, *, sealed_for_s: float | None = None
) -> Any:
    """Return a connection of its own and the relation that a statement is.

    Args:
        table_of: returns the table of a name, for Arrow, with these columns; None: all
        statement: as for :func:`query`
        sealed_for_s: it may use nothing but the tables, no file and no extension, and
            what DuckDB runs at once of it ends after so many seconds
    """
    duckdb = extra("duckdb")
    extra("pyarrow")
    connection = duckdb.connect()
    try:
        # A name is a table, and never a Python variable of the caller.
        connection.execute("set python_enable_replacements = false")
        if sealed_for_s is not None:
            connection.execute(_SEALED)
        if _SHOW_TABLES.fullmatch(statement):
            names = "select unnest($names) as name order by name"
            relation = connection.sql(names, params={"names": list(ALL_TABLES)})
            return connection, relation
        # A word that only looks like the name of a table costs an unused table.
        asked = set(_WORD.findall(statement.lower())) & ALL_TABLES.keys()
        with ending_after(connection, sealed_for_s):
            read = _columns(connection, statement, asked) if asked & _LISTS else {}
        for name in sorted(asked):
            connection.register(name, table_of(name, read.get(name)))
        with ending_after(connection, sealed_for_s):
            relation = connection.sql(statement)
    except duckdb.Error as failure:
        missing = _MISSING_TABLE.search(str(failure))
        words = _no_table(missing[1]) if missing else str(failure)
        raise errors.InvalidArgumentError(words) from failure
    if relation is None:
        raise errors.InvalidArgumentError(f"asks nothing: {statement!r:.200}")
    return connection, relation


@contextlib.contextmanager
def ending_after(connection: Any, seconds: float | None) -> Iterator[None]:
    """Interrupt a statement in the block after this time; None: never."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _columns(connection: Any, statement: str, names: set[str]) -> dict[str, list[str]]:
    """Return the columns of lists that a statement reads, by DuckDB's plan.

    The plan is made over tables without rows. If it does not show the columns, the
    result is empty.
    """
    # That module imports this one.
    from threadmodel.model import Model

    duckdb = extra("duckdb")
    try:
        parsed = connection.extract_statements(statement)
    except duckdb.Error:
        return {}
    # EXPLAIN of another statement might execute it.
    if [it.type for it in parsed] != [duckdb.StatementType.SELECT]:
        return {}
    nothing = Model()
    tables = {name: ask(nothing, name) for name in names}
    for name, table in tables.items():
        connection.register(name, table.to_arrow())
    try:
        plans = connection.execute(f"explain (format json) {statement}").fetchall()
        nodes = [node for row in plans for node in _nodes(json.loads(row[1]))]
    except (duckdb.Error, ValueError):
        return {}
    scans = [node["extra_info"] for node in nodes if node["name"] == _SCAN]
    # The plan may leave an empty table out: its columns are then unknown.
    if not all("Projections" in scan for scan in scans) or any(
        node["name"] == "EMPTY_RESULT" for node in nodes
    ):
        return {}
    read: set[str] = set()
    for scan in scans:
        columns = scan["Projections"]
        read.update([columns] if isinstance(columns, str) else columns)
    if not read:
        return {}
    return {
        name: [column for column in tables[name].columns if column in read]
        for name in names & _LISTS
    }


def _nodes(plans: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for plan in plans:
        yield plan
        yield from _nodes(plan["children"])


def _no_table(name: str) -> str:
    """List the tables, the nearest name first."""
    # This library is loaded only for an error.
    import difflib

    near = difflib.get_close_matches(name.lower(), ALL_TABLES, 1)
    meant = f"; did you mean {near[0]}?" if near else ";"
    return f"no table {name:.100}{meant} there are {', '.join(ALL_TABLES)}"
