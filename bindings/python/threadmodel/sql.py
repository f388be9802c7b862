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


def query(model: "Model", text: str) -> Any:
    """Run one SQL statement over the tables of a model.

    Only tables whose names are in the statement are made; DuckDB reads them where
    they are.

    Returns:
        a DuckDBPyRelation: ``.df()``, ``.pl()``, ``.to_arrow_table()``,
        ``.fetchall()``, and shows itself

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
        for name in set(WORD.findall(text.lower())) & ALL_TABLES.keys():
            connection.register(name, ask(model, name).to_arrow())
        relation = connection.sql(text)
    except duckdb.Error as failure:
        raise errors.InvalidArgumentError(str(failure)) from failure
    if relation is None:
        raise errors.InvalidArgumentError(f"asks nothing: {text!r:.200}")
    return relation
