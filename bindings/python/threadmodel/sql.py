# SPDX-License-Identifier: Apache-2.0
"""SQL over the tables of a run, by DuckDB."""

import re
from typing import TYPE_CHECKING, Any, Final

from threadmodel import errors
from threadmodel.extras import extra
from threadmodel.tables import ALL_TABLES, ask

if TYPE_CHECKING:
    from threadmodel.model import Model

WORD: Final = re.compile(r"\w+")


def query(model: "Model", statement: str) -> Any:
    """Run one SQL statement over the tables of the run, by DuckDB.

    Tables have the names of the questions. Only those that the statement names are
    made; DuckDB reads them where they are.

    Returns:
        a DuckDBPyRelation, which shows itself: ``.df()``, ``.pl()``,
        ``.to_arrow_table()``, ``.fetchall()``

    Raises:
        MissingExtraError: duckdb or pyarrow is not installed
        InvalidArgumentError: the statement is wrong, or asks nothing; the text is
            DuckDB's
    """
    duckdb = extra("duckdb")
    extra("pyarrow")
    connection = duckdb.connect()
    try:
        # A word that is no table's name there is made for nothing, and that is all.
        for name in set(WORD.findall(statement.lower())) & ALL_TABLES.keys():
            connection.register(name, ask(model, name).to_arrow())
        relation = connection.sql(statement)
    except duckdb.Error as failure:
        raise errors.InvalidArgumentError(str(failure)) from failure
    if relation is None:
        raise errors.InvalidArgumentError(f"asks nothing: {statement!r:.200}")
    return relation
