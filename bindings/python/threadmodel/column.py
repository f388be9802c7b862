# SPDX-License-Identifier: Apache-2.0
"""A column of a table: a sequence of Python values that needs no other package."""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, overload

from threadmodel import arrow, errors
from threadmodel._library import ffi, holding, lib, text
from threadmodel.extras import extra

# Type of a column -> its name, the accessor of its values, and their format in the
# buffer protocol. Truth values are bits.
_TYPES: Final[dict[int, tuple[str, Callable[[Any, bytes], Any], str]]] = {
    lib.TM_TYPE_INT32: ("int32", lib.tm_table_int32, "i"),
    lib.TM_TYPE_INT64: ("int64", lib.tm_table_int64, "q"),
    lib.TM_TYPE_UINT64: ("uint64", lib.tm_table_uint64, "Q"),
    lib.TM_TYPE_DOUBLE: ("double", lib.tm_table_double, "d"),
    lib.TM_TYPE_BOOL: ("bool", lib.tm_table_bool, "B"),
    lib.TM_TYPE_STRING: ("string", lib.tm_table_codes, "i"),
}
# Rows that an iteration converts to Python values at a time.
CHUNK: Final = 1 << 14
_SHOWN: Final = 6


class Column(Sequence[Any]):
    """The values of one column, one a row: int, float, bool or str, None where null.

    It is a sequence: ``column[0]``, ``column[:10]`` (a list), ``sum(column)``,
    ``"main" in column``. numpy, pyarrow and polars accept it as it is, without a copy
    where their layout is the same: ``numpy.asarray(column)``. It is immutable, and
    outlives its table.

    Attributes:
        name: by which the table has it, with the unit at its end
        type: ``int32``, ``int64``, ``uint64``, ``double``, ``bool`` or ``string``
    """

    def __init__(self, table: Any, index: int) -> None:
        """View a column of a ``tm_table *``; tables make columns, users need not."""
        self.name = text(lib.tm_table_column_name(table, index)) or ""
        self.type, accessor, self._format = _TYPES[
            lib.tm_table_column_type(table, index)
        ]
        self._table = table
        self._index = index
        self._accessor = accessor
        self._length = int(lib.tm_table_row_count(table))

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._length

    @overload
    def __getitem__(self, row: int) -> Any: ...

    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...

    def __getitem__(self, row: int | slice) -> Any:
        """Return the value in a row, or a list of those in a slice."""
        if isinstance(row, slice):
            return self._list(range(self._length)[row])
        index = range(self._length)[row]
        return self._list(range(index, index + 1))[0]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the values; only some are Python objects at a time."""
        for start in range(0, self._length, CHUNK):
            yield from self[start : start + CHUNK]

    def to_list(self) -> list[Any]:
        """Return all values.

        Raises:
            OutOfMemoryError: memory is too small for them (a MemoryError)
        """
        return self[:]

    @property
    def categories(self) -> tuple[str, ...]:
        """The distinct strings of a column of strings, () of any other."""
        return self._names[:-1]

    def to_numpy(self) -> Any:
        """Return an array, without a copy for numbers, not to be written to.

        A masked array where rows are null; of objects, str or None, for strings.

        Raises:
            MissingExtraError: numpy is not installed
        """
        numpy = extra("numpy")
        if self.type == "string":
            names = numpy.array(self._names, dtype=object)
            return names[numpy.asarray(self._values, dtype="int32")]
        if self.type == "bool":
            values = self._unpack(numpy, self._values)
        else:
            values = numpy.asarray(self._values, dtype=self.type)
        if self._valid:
            return numpy.ma.masked_array(values, ~self._unpack(numpy, self._valid))
        return values

    def to_pandas(self) -> Any:
        """Return a pandas.Series; strings are categories, nulls are NA.

        Raises:
            MissingExtraError: pandas is not installed
        """
        pandas = extra("pandas")
        if self.type == "string":
            values = pandas.Categorical.from_codes(self._values, self.categories)
        elif self._valid:
            name = {"bool": "boolean", "double": "Float64"}.get(
                self.type, self.type.replace("i", "I").replace("u", "U")
            )
            values = pandas.array(self.to_list(), dtype=name)
        else:
            values = self.to_numpy()
        return pandas.Series(values, name=self.name)

    def to_arrow(self) -> Any:
        """Return a pyarrow.Array that shares the values.

        Raises:
            MissingExtraError: pyarrow is not installed
        """
        return extra("pyarrow").array(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return an array for numpy; of objects where rows are null, None there."""
        numpy = extra("numpy")
        array = self.to_numpy()
        if self._valid and self.type != "string":
            mask = array.mask
            array = array.data.astype(object)
            array[mask] = None
        if copy or (dtype is not None and dtype != array.dtype):
            return numpy.array(array, dtype=dtype)
        return array

    def __arrow_c_schema__(self) -> object:
        """Return the column's type as an ``arrow_schema`` capsule."""
        return arrow.schema(self._table, self._index)

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]:
        """Return capsules of schema and array; the values are shared.

        Args:
            requested_schema: not followed, as the protocol allows
        """
        return self.__arrow_c_schema__(), arrow.array(self._table, self._index)

    def buffers(self) -> tuple[memoryview, memoryview]:
        """Return the bytes of the values, and bits of the rows that are not null.

        Strings are int32 codes of ``categories``, truth values are bits. If no row is
        null, the second view is empty.
        """
        return self._values.cast("B"), self._valid

    def view(self) -> memoryview:
        """Return the values as they are stored, without a copy.

        Null is 0. A string is the number of its category, and null is -1; truth values
        are bits, the lowest first.
        """
        return self._values

    def stored(self, values: Iterable[Any]) -> list[int]:
        """Return some values as they are stored, as signed numbers of 64 bits.

        Values that no row can have are left out.
        """
        if self.type == "string":
            codes = {text: code for code, text in enumerate(self.categories)}
            return [codes[value] for value in values if value in codes]
        room = range(1 << 64) if self.type == "uint64" else range(-1 << 63, 1 << 63)
        numbers = [int(value) for value in values if value in room]
        return [number - (number >= 1 << 63) * (1 << 64) for number in numbers]

    def __repr__(self) -> str:
        """Show the first values."""
        shown = ", ".join(map(repr, islice(self, _SHOWN)))
        more = ", ..." if self._length > _SHOWN else ""
        return f"<Column {self.name}: {self._length:,} {self.type}: {shown}{more}>"

    @functools.cached_property
    def _names(self) -> tuple[Any, ...]:
        """The strings by their codes, and last, for the code -1, None."""
        key = self.name.encode()
        codes = range(lib.tm_table_category_count(self._table, key))
        strings = (lib.tm_table_category(self._table, key, code) for code in codes)
        return (*map(text, strings), None)

    @functools.cached_property
    def _values(self) -> memoryview:
        pointer = self._accessor(self._table, self.name.encode())
        if self.type == "bool":
            return self._borrow(pointer, (self._length + 7) // 8)
        size = self._length * ffi.sizeof(ffi.typeof(pointer).item)
        # For a type checker, the type of the items depends on the format.
        values: Any = self._borrow(pointer, size)
        return memoryview(values.cast(self._format))

    @functools.cached_property
    def _valid(self) -> memoryview:
        pointer = lib.tm_table_validity(self._table, self.name.encode())
        return self._borrow(pointer, (self._length + 7) // 8)

    def _borrow(self, pointer: Any, size: int) -> memoryview:
        """View memory of the table, which lives on for as long as the view does."""
        if not self._length or pointer == ffi.NULL:
            return memoryview(b"")
        return memoryview(ffi.buffer(holding(pointer, self._table), size)).toreadonly()

    def _list(self, rows: range) -> list[Any]:
        try:
            return self._python(rows)
        except MemoryError:
            raise errors.OutOfMemoryError(
                f"column {self.name}: no memory for a list of {len(rows)} values, "
                f"{8 * len(rows)} bytes and the values themselves"
            ) from None

    def _python(self, rows: range) -> list[Any]:
        values, valid = self._values, self._valid
        if self.type == "bool":
            found: list[Any] = _bits(values, rows)
        elif rows.step == 1:
            found = values[rows.start : rows.stop].tolist()
        else:
            found = [values[row] for row in rows]
        if self.type == "string":
            return list(map(self._names.__getitem__, found))
        if valid:
            there = _bits(valid, rows)
            return [
                v if is_there else None
                for v, is_there in zip(found, there, strict=True)
            ]
        return found

    def _unpack(self, numpy: Any, bits: memoryview) -> Any:
        octets = numpy.frombuffer(bits, dtype="uint8") if bits else numpy.empty(0, "u1")
        unpacked = numpy.unpackbits(octets, count=self._length, bitorder="little")
        return unpacked.view("bool")


def _bits(bits: memoryview, rows: range) -> list[bool]:
    return [bits[row >> 3] >> (row & 7) & 1 == 1 for row in rows]
