# SPDX-License-Identifier: Apache-2.0
"""The answer to every question: an immutable table of typed, named columns."""

import functools
import os
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

from threadmodel import arrow, display, errors
from threadmodel._library import WriteTarget, check, ffi, lib, text
from threadmodel.extras import extra

# Column type -> (accessor, format of the buffer protocol, numpy's name).
_NUMBERS: Final[dict[int, tuple[str, str, str]]] = {
    lib.TM_TYPE_INT32: ("tm_table_int32", "i", "int32"),
    lib.TM_TYPE_INT64: ("tm_table_int64", "q", "int64"),
    lib.TM_TYPE_UINT64: ("tm_table_uint64", "Q", "uint64"),
    lib.TM_TYPE_DOUBLE: ("tm_table_double", "d", "float64"),
}


class Writable(Protocol):
    """A binary file, or what takes bytes as one does."""

    def write(self, data: bytes, /) -> object:
        """Take all of ``data``."""


Target = str | os.PathLike[str] | Writable


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def _keep(owner: Any, _pointer: Any) -> None:
    """Hold ``owner`` for as long as this destructor of a borrowed pointer lives."""


class Table:
    """Rows that a model answered with; it does not change and outlives the model.

    ``len(table)`` is the number of rows, ``table.columns`` names the columns and
    ``table["blocked_total_ns"]`` is one of them. Times are in nanoseconds, and a
    column's name ends in its unit. pandas, polars, pyarrow, DuckDB and whatever else
    speaks the Arrow PyCapsule protocol take a table as it is. Any number of threads
    may read one.
    """

    def __init__(self, owned: Any) -> None:
        """Take over a ``tm_table *``; models make tables, users need not."""
        self._table = ffi.gc(owned, lib.tm_table_free)
        self._length = int(lib.tm_table_row_count(self._table))
        self._types: dict[str, int] = {}
        for index in range(lib.tm_table_column_count(self._table)):
            name = text(lib.tm_table_column_name(self._table, index)) or ""
            self._types[name] = lib.tm_table_column_type(self._table, index)

    @property
    def name(self) -> str:
        """What the rows are, ``monitors`` for instance."""
        return text(lib.tm_table_name(self._table)) or ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self._types)

    @property
    def limits(self) -> tuple[str, ...]:
        """Sentences on what this answer cannot show."""
        count = lib.tm_table_limit_count(self._table)
        sentences = (text(lib.tm_table_limit(self._table, i)) for i in range(count))
        return tuple(sentence or "" for sentence in sentences)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Go through the rows, as :meth:`rows` does."""
        return self.rows()

    def __getitem__(self, column: str) -> Any:
        """Return the values of a column, one a row.

        With numpy: an array, without a copy for numbers; a masked array where rows
        are null; of objects (str or None) for strings. It keeps the table alive and
        must not be written to. Without numpy: a read-only memoryview of numbers, or a
        list where the column is of strings, of truth values or has nulls.

        Raises:
            KeyError: there is no such column
        """
        type_ = self._type(column)
        numpy = _numpy()
        if numpy is None:
            if type_ in _NUMBERS and not self._null_bits(column):
                return self._buffer(column)
            return self.values(column)
        if type_ == lib.TM_TYPE_STRING:
            names = numpy.array([*self.categories(column), None], dtype=object)
            return names[numpy.asarray(self._codes(column), dtype="int32")]
        if type_ == lib.TM_TYPE_BOOL:
            array = self._unpack(numpy, self._bits(lib.tm_table_bool, column))
        else:
            array = numpy.asarray(self._buffer(column), dtype=_NUMBERS[type_][2])
        valid = self._null_bits(column)
        if valid:
            return numpy.ma.masked_array(array, ~self._unpack(numpy, valid))
        return array

    def values(self, column: str, stop: int | None = None) -> list[Any]:
        """Return a column's values as a list, None where null.

        Args:
            column: its name
            stop: only rows before this one

        Raises:
            KeyError: there is no such column
            OutOfMemoryError: so many values do not fit (a MemoryError)
        """
        count = self._length if stop is None else max(0, min(stop, self._length))
        try:
            return self._values(column, count)
        except MemoryError:
            raise errors.OutOfMemoryError(
                f"table {self.name}: no memory for a list of {count} values of column "
                f"{column}, {8 * count} bytes and the values themselves"
            ) from None

    def _values(self, column: str, count: int) -> list[Any]:
        type_ = self._type(column)
        if type_ == lib.TM_TYPE_STRING:
            names: list[str | None] = [*self.categories(column), None]
            return [names[code] for code in self._codes(column)[:count]]
        if type_ == lib.TM_TYPE_BOOL:
            bits = self._bits(lib.tm_table_bool, column)
            values = [bool(bits[r >> 3] >> (r & 7) & 1) for r in range(count)]
        else:
            values = self._buffer(column)[:count].tolist()
        if valid := self._null_bits(column):
            return [
                value if valid[r >> 3] >> (r & 7) & 1 else None
                for r, value in enumerate(values)
            ]
        return values

    @property
    def types(self) -> Mapping[str, int]:
        """The columns' types by name: numbers of ``enum tm_type``."""
        return MappingProxyType(self._types)

    def raw(self, column: str) -> tuple[memoryview, memoryview]:
        """Return a column's memory, as ``tm_table_int64()`` and its like lend it.

        Returns:
            The bytes of the values (codes of strings, bits of truth values), and the
            bits of rows that are not null, empty where none is

        Raises:
            KeyError: there is no such column
        """
        type_ = self._type(column)
        if type_ == lib.TM_TYPE_STRING:
            values = self._codes(column)
        elif type_ == lib.TM_TYPE_BOOL:
            values = self._bits(lib.tm_table_bool, column)
        else:
            values = self._buffer(column)
        return values.cast("B"), self._null_bits(column)

    def categories(self, column: str) -> list[str]:
        """Return the distinct strings of a string column, [] for any other.

        Raises:
            KeyError: there is no such column
        """
        self._type(column)
        key = column.encode()
        count = lib.tm_table_category_count(self._table, key)
        return [
            text(lib.tm_table_category(self._table, key, code)) or ""
            for code in range(count)
        ]

    def rows(self, stop: int | None = None) -> Iterator[dict[str, Any]]:
        """Go through the rows, a dict by column name each, None where null.

        Args:
            stop: only rows before this one
        """
        columns = [self.values(column, stop) for column in self._types]
        for row in zip(*columns, strict=True):
            yield dict(zip(self._types, row, strict=True))

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame; strings are categories, nulls are NA.

        Raises:
            MissingExtraError: pandas is not installed
        """
        pandas = extra("pandas")
        series = {}
        for column, type_ in self._types.items():
            if type_ == lib.TM_TYPE_STRING:
                series[column] = pandas.Categorical.from_codes(
                    self._codes(column), self.categories(column)
                )
                continue
            values = self[column]
            if hasattr(values, "mask"):
                dtype = {"bool": "boolean", "float64": "Float64"}.get(
                    values.dtype.name,
                    values.dtype.name.replace("i", "I").replace("u", "U"),
                )
                values = pandas.array(self.values(column), dtype=dtype)
            series[column] = values
        return pandas.DataFrame(series)

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
                a formula; names come from the recorded program and may be such
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
        parquet.write_table(self.to_arrow(), target)

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
        return display.plain(self)

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook; names are escaped."""
        return display.html(self)

    def _type(self, column: str) -> int:
        try:
            return self._types[column]
        except (KeyError, TypeError):
            raise KeyError(
                f"table {self.name} has no column {column!r:.100}; "
                f"it has {', '.join(self._types)}"
            ) from None

    def _borrow(self, pointer: Any, size: int) -> memoryview:
        """View memory of the table, which lives on for as long as the view does."""
        if not self._length or pointer == ffi.NULL:
            return memoryview(b"")
        held = ffi.gc(pointer, functools.partial(_keep, self._table))
        return memoryview(ffi.buffer(held, size)).toreadonly()

    def _buffer(self, column: str) -> Any:
        accessor, format_, _ = _NUMBERS[self._type(column)]
        pointer = getattr(lib, accessor)(self._table, column.encode())
        size = self._length * ffi.sizeof(ffi.typeof(pointer).item)
        bits: Any = self._borrow(pointer, size)
        return bits.cast(format_)

    def _codes(self, column: str) -> memoryview:
        pointer = lib.tm_table_codes(self._table, column.encode())
        return self._borrow(pointer, self._length * 4).cast("i")

    def _bits(self, accessor: Callable[[Any, bytes], Any], column: str) -> memoryview:
        return self._borrow(
            accessor(self._table, column.encode()), (self._length + 7) // 8
        )

    def _null_bits(self, column: str) -> memoryview:
        """Return the bits of rows that are not null; empty when none is null."""
        return self._bits(lib.tm_table_validity, column)

    def _unpack(self, numpy: Any, bits: memoryview) -> Any:
        octets = numpy.frombuffer(bits, dtype="uint8") if bits else numpy.empty(0, "u1")
        unpacked = numpy.unpackbits(octets, count=self._length, bitorder="little")
        return unpacked.view("bool")

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
            with open(target, "wb") as file:
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
