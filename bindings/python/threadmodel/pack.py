# SPDX-License-Identifier: Apache-2.0
"""Tables as bytes for a browser: small, and read there without a loop over rows.

A pack is 4 bytes, little-endian, the length of an index; the index, JSON in UTF-8;
then the data that the index points into. Of a table the index holds ``rows``,
``total`` (rows that the answer had, more than ``rows`` where it was cut), ``caveats``
and ``columns``; of a column ``name``, ``type``, ``width`` (bytes a value), ``planes``
and, for strings, ``categories``; of a column with nulls ``valid``, the offset of its
bits.

A column of n values is stored as planes of n bytes: all lowest bytes, then all second
ones. ``planes`` has their offsets; null stands for a plane of zeros, which is not
stored. Neighbouring times differ in their lowest bytes only, so planes compress to a
fraction of what values would. Truth values are one plane of bits.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from threadmodel.column import Column
from threadmodel.table import Table

_WIDTHS: Final = {
    "int32": 4,
    "int64": 8,
    "uint64": 8,
    "double": 8,
    "bool": 1,
    "string": 4,
}
# A higher level saves a hundredth of the size and doubles the time.
_LEVEL: Final = 5
_GZIP: Final = 16 + zlib.MAX_WBITS


class Pack:
    """Collects tables and plain values; :meth:`finish` writes them."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._index: dict[str, Any] = {"tables": {}, "values": {}}
        self._parts: list[bytes] = []
        self._length = 0

    def put(self, name: str, value: Any) -> None:
        """Add a value that JSON can represent."""
        self._index["values"][name] = value

    def add(
        self,
        name: str,
        table: Table,
        columns: Iterable[str] | None = None,
        rows: int | Sequence[int] | None = None,
        total: int | None = None,
    ) -> None:
        """Add a table.

        Args:
            name: by which it is found
            table: copied
            columns: only these; None: all
            rows: the first ones only, or those of these numbers; None: all
            total: rows that there are in all; None: those of the table
        """
        taken = rows if isinstance(rows, Sequence) else range(len(table))[:rows]
        part = table.gather(taken)
        chosen = table.columns if columns is None else columns
        self._index["tables"][name] = {
            "rows": len(part),
            "total": len(table) if total is None else total,
            "caveats": list(table.caveats),
            "columns": [self._column(part[column]) for column in chosen],
        }

    def _column(self, column: Column) -> dict[str, Any]:
        values, valid = map(bytes, column.buffers())
        # Bits already form one plane.
        width = _WIDTHS[column.type]
        found: dict[str, Any] = {
            "name": column.name,
            "type": column.type,
            "width": width,
            "planes": [self._store(values[byte::width]) for byte in range(width)],
        }
        if column.type == "string":
            found["categories"] = column.categories
        if valid:
            found["valid"] = self._store(valid)
        return found

    def _store(self, plane: bytes) -> int | None:
        if not plane.strip(b"\0"):
            return None
        offset = self._length
        self._parts.append(plane)
        self._length += len(plane)
        return offset

    def finish(self, *, compressed: bool = True) -> bytes:
        """Return the pack.

        Args:
            compressed: as gzip
        """
        index = json.dumps(self._index, ensure_ascii=False).encode("utf-8", "replace")
        parts = [len(index).to_bytes(4, "little"), index, *self._parts]
        if not compressed:
            return b"".join(parts)
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        squeezed = [packer.compress(part) for part in parts]
        return b"".join([*squeezed, packer.flush()])


def pack(values: Mapping[str, Any], tables: Mapping[str, Table]) -> bytes:
    """Pack whole tables without compression, for a notebook's kernel nearby."""
    result = Pack()
    for name, value in values.items():
        result.put(name, value)
    for name, table in tables.items():
        result.add(name, table)
    return result.finish(compressed=False)
