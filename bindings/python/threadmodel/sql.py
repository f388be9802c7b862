# SPDX-License-Identifier: Apache-2.0
"""SQL over the tables of a run, by DuckDB."""

import re
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
_SEALED: Final = (
    "set memory_limit = '512MB'; set threads = 2; set enable_external_access = false; "
    "set lock_configuration = true"
)
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
        InvalidArgumentError: the statement is wrong, or asks nothing
    """
    return prepared(model, statement)[1]


def prepared(model: "Model", statement: str, *, sealed: bool = False) -> Any:
    """Return a connection of its own and the relation that a statement is.

    Args:
        model: asked
        statement: as for :func:`query`
        sealed: whether it may use nothing but the tables: no file, no extension
    """
    duckdb = extra("duckdb")
    extra("pyarrow")
    connection = duckdb.connect()
    try:
        # A name is a table, and never a variable of whoever calls.
        connection.execute("set python_enable_replacements = false")
        if sealed:
            connection.execute(_SEALED)
        if _SHOW_TABLES.fullmatch(statement):
            names = "select unnest($names) as name order by name"
            relation = connection.sql(names, params={"names": list(ALL_TABLES)})
            return connection, relation
        # A word that is no table's name there is made for nothing, and that is all.
        for name in set(_WORD.findall(statement.lower())) & ALL_TABLES.keys():
            connection.register(name, ask(model, name).to_arrow())
        relation = connection.sql(statement)
    except duckdb.Error as failure:
        missing = _MISSING_TABLE.search(str(failure))
        words = _no_table(missing[1]) if missing else str(failure)
        raise errors.InvalidArgumentError(words) from failure
    if relation is None:
        raise errors.InvalidArgumentError(f"asks nothing: {statement!r:.200}")
    return connection, relation


def _no_table(name: str) -> str:
    """List the tables, the nearest name first."""
    # A library of its own, which only a mistake needs.
    import difflib

    near = difflib.get_close_matches(name.lower(), ALL_TABLES, 1)
    meant = f"; did you mean {near[0]}?" if near else ";"
    return f"no table {name:.100}{meant} there are {', '.join(ALL_TABLES)}"
