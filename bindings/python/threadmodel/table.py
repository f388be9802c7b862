# SPDX-License-Identifier: Apache-2.0
"""The answer to every question: an immutable table of typed, named columns."""

import array
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, overload

from threadmodel import arrow, errors, private
from threadmodel._library import WriteTarget, check, ffi, lib, text
from threadmodel.column import CHUNK, Column
from threadmodel.extras import extra

# C writes rows in pieces of some thousand bytes, and a table may have gigabytes: a
# system call for each piece would take a fifth of the time.
WRITE_BYTES = 1 << 20

Row = dict[str, Any]


class Writable(Protocol):
    """A binary file, or an object that accepts bytes like one."""

    def write(self, data: bytes, /) -> object:
        """Take all of ``data``."""


Target = str | os.PathLike[str] | Writable


class Table:
    """The answer to a question: immutable rows, which outlive the model.

    ``table["blocked_total_ns"]`` is a :class:`~threadmodel.column.Column`, ``table[0]``
    a row, a dict by column name, and ``table[10:20]`` a table of some rows;
    ``len(table)`` is the number of rows, and iteration yields them. Times are in
    nanoseconds, and a column's name ends in its unit. pandas, polars, pyarrow, DuckDB
    and any consumer of the Arrow PyCapsule protocol accept a table as it is. Any number
    of threads may read one.
    """

    def __init__(self, owned: Any) -> None:
        """Take over a ``tm_table *``; models make tables, users need not."""
        self._table = ffi.gc(owned, lib.tm_table_free)
        self._length = int(lib.tm_table_row_count(self._table))
        indexes = range(lib.tm_table_column_count(self._table))
        columns = [Column(self._table, index) for index in indexes]
        self._columns = {column.name: column for column in columns}

    @property
    def name(self) -> str:
        """What the rows are, ``locks`` for instance."""
        return text(lib.tm_table_name(self._table)) or ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self._columns)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences on what this answer cannot show."""
        count = lib.tm_table_caveat_count(self._table)
        sentences = (text(lib.tm_table_caveat(self._table, i)) for i in range(count))
        return tuple(sentence or "" for sentence in sentences)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._length

    def __iter__(self) -> Iterator[Row]:
        """Iterate over the rows: each is a dict by column name, None where null."""
        for start in range(0, self._length, CHUNK):
            part = slice(start, start + CHUNK)
            chunks = [column[part] for column in self._columns.values()]
            for values in zip(*chunks, strict=True):
                yield dict(zip(self._columns, values, strict=True))

    @overload
    def __getitem__(self, key: str) -> Column: ...

    @overload
    def __getitem__(self, key: int) -> Row: ...

    @overload
    def __getitem__(self, key: slice) -> "Table": ...

    def __getitem__(self, key: str | int | slice) -> "Column | Row | Table":
        """Return a column by its name, a row by its number, or some rows as a table.

        Raises:
            KeyError: there is no such column
            IndexError: there is no such row
        """
        if isinstance(key, slice):
            return self.gather(range(self._length)[key])
        if isinstance(key, str):
            try:
                return self._columns[key]
            except KeyError:
                raise KeyError(
                    f"table {self.name} has no column {key!r:.100}; "
                    f"it has {', '.join(self._columns)}"
                ) from None
        row = range(self._length)[key]
        return {name: column[row] for name, column in self._columns.items()}

    def head(self, count: int = 5) -> "Table":
        """Return the first rows, all where there are fewer."""
        return self[: max(count, 0)]

    def gather(self, rows: Sequence[int]) -> "Table":
        """Return rows of these numbers, in their order, as a table.

        Raises:
            InvalidArgumentError: there is no such row
        """
        if rows == range(self._length):
            return self
        try:
            numbers = array.array("Q", rows)
        except (OverflowError, TypeError) as failure:
            raise errors.InvalidArgumentError(
                f"table {self.name} has no such row: {failure}"
            ) from None
        pointer = ffi.from_buffer("uint64_t[]", numbers)
        return answer(lib.tm_table_gather, self._table, pointer, len(numbers))

    def mark(self, wanted: Mapping[str, Iterable[Any]]) -> bytearray:
        """Mark rows by their values: a byte a row, 1 where all conditions hold, else 0.

        Args:
            wanted: by column the values that a row may have there; None is null

        Raises:
            KeyError: there is no such column
            InvalidArgumentError: a column is of fractions
        """
        marks = bytearray(b"\1") * self._length
        for name, values in wanted.items():
            column = self[name]
            chosen = set(values)
            with_null = None in chosen
            chosen.discard(None)
            numbers = column.stored(chosen)
            check(
                lib.tm_table_mark(
                    ffi.from_buffer("uint8_t[]", marks),
                    self._table,
                    name.encode(),
                    ffi.new("int64_t[]", numbers or [0]),
                    len(numbers),
                    with_null,
                )
            )
        return marks

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame; strings are categories, nulls are NA.

        Raises:
            MissingExtraError: pandas is not installed
        """
        pandas = extra("pandas")
        return pandas.DataFrame(
            {name: column.to_pandas() for name, column in self._columns.items()}
        )

    def to_polars(self) -> Any:
        """Return a polars.DataFrame that shares the columns.

        Raises:
            MissingExtraError: polars is not installed
        """
        return extra("polars").DataFrame(self)

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table that shares the columns.

        Raises:
            MissingExtraError: pyarrow is not installed
        """
        return extra("pyarrow").table(self)

    def to_csv(
        self, target: Target | None = None, *, spreadsheet: bool = False
    ) -> str | None:
        """Write CSV (RFC 4180: a header line, CRLF; null is an empty field).

        Args:
            target: a path or binary file; None: return the text
            spreadsheet: put an apostrophe before text that a spreadsheet would run as
                a formula, also behind a semicolon, a tab or a line's end in it; names
                come from the recorded program and may be such
        """
        if spreadsheet:
            return self._write(lib.tm_table_write_sheet, target)
        return self._write(lib.tm_table_write_csv, target)

    def to_json(self, target: Target | None = None) -> str | None:
        """Write the rows as a JSON array of objects.

        Args:
            target: a path or binary file; None: return the text
        """
        return self._write(lib.tm_table_write_json, target)

    def to_parquet(self, target: Target) -> None:
        """Write a Parquet file, strings as dictionaries.

        Args:
            target: a path or binary file

        Raises:
            MissingExtraError: pyarrow is not installed
        """
        parquet = extra("pyarrow", module="pyarrow.parquet")
        if isinstance(target, (str, os.PathLike)):
            target = os.fspath(target)
        if not isinstance(target, (str, os.PathLike)):
            parquet.write_table(self.to_arrow(), target)
            return
        with open(target, "wb", opener=private.owner_only) as file:
            parquet.write_table(self.to_arrow(), file)

    def __arrow_c_schema__(self) -> object:
        """Return the columns' types as an ``arrow_schema`` capsule."""
        return arrow.schema(self._table)

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]:
        """Return capsules of schema and struct array; the columns are shared.

        Args:
            requested_schema: not followed, as the protocol allows
        """
        return arrow.schema(self._table), arrow.array(self._table)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return an ``arrow_array_stream`` capsule of one batch; columns are shared.

        Args:
            requested_schema: not followed, as the protocol allows
        """
        return arrow.stream(self._table)

    def __repr__(self) -> str:
        """Show the first rows and as many columns as a terminal line takes."""
        # Only tables that are displayed need this module.
        from threadmodel import display

        return display.plain(self)

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook; names are escaped."""
        from threadmodel import display

        return display.html(self)

    def _as_text(self, writer: Callable[[Any, Any, Any], int]) -> str:
        parts: list[bytes] = []
        try:
            self._give(writer, parts.append)
            return b"".join(parts).decode("utf-8", "replace")
        except MemoryError:
            raise errors.OutOfMemoryError(
                f"table {self.name}: no memory for {self._length} rows as text, more "
                f"than {sum(map(len, parts))} bytes: write it to a file"
            ) from None

    def _give(
        self,
        writer: Callable[[Any, Any, Any], int],
        take: Callable[[bytes], object],
    ) -> None:
        WriteTarget(take).run(
            lambda function, payload: writer(self._table, function, payload)
        )

    def _write(
        self, writer: Callable[[Any, Any, Any], int], target: Target | None
    ) -> str | None:
        if target is None:
            return self._as_text(writer)
        if isinstance(target, (str, os.PathLike)):
            with open(
                target, "wb", buffering=WRITE_BYTES, opener=private.owner_only
            ) as file:
                self._write(writer, file)
            return None
        self._give(writer, target.write)
        return None


def answer(question: Callable[..., int], *arguments: Any) -> Table:
    """Call ``question(out, *arguments)`` and return the table that it made.

    Raises:
        ThreadmodelError: the question failed
    """
    out = ffi.new("tm_table **")
    check(question(out, *arguments))
    return Table(out[0])
