# SPDX-License-Identifier: Apache-2.0
"""Tables and columns, as libthreadmodel/table/tables.toml has them."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from describe import ROOT
from describe.enums import read_enums

SOURCE = ROOT / "libthreadmodel" / "table" / "tables.toml"
TYPES = ("int32", "int64", "uint64", "double", "bool", "string")
PLACE = "<state>"
MERGES = ("key", "sum", "signed", "min", "max")


class Wrong(Exception):
    """The description contradicts itself."""


@dataclass(frozen=True)
class Column:
    """One column. `own` is what its table says of it, and not [column]."""

    name: str
    type: str
    unit: str = ""
    text: str = ""
    null: str = ""
    enum: str = ""
    values: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    merge: str = ""
    own: frozenset[str] = frozenset()

    def is_there(self, keys: Iterable[str]) -> bool:
        asked = set(keys)
        return (not self.keys or bool(asked & set(self.keys))) and not (
            asked & set(self.without)
        )

    @property
    def strings(self) -> tuple[str, ...]:
        """The values that it can have; empty: any."""
        if self.values or not self.enum:
            return self.values
        return tuple(value.name for value in read_enums()[self.enum].values)


@dataclass(frozen=True)
class Repeated:
    """Columns once more for each word; their names hold PLACE for it."""

    words: tuple[str, ...]
    enum: str
    columns: tuple[Column, ...]

    def is_there(self, keys: Iterable[str]) -> bool:
        """Columns that are repeated are there by the same keys."""
        return self.columns[0].is_there(keys)

    def expanded(self) -> list[Column]:
        return [
            replace(column, name=column.name.replace(PLACE, word))
            for word in self.words
            for column in self.columns
        ]


@dataclass(frozen=True)
class Table:
    """A table. One with `of` is that table, asked by `keys`."""

    name: str
    about: str
    sql: str
    question: str
    cli: str
    items: tuple[Column | Repeated, ...]
    of: str
    keys: tuple[str, ...]
    merge: bool = False

    @property
    def columns(self) -> tuple[Column, ...]:
        """All that there can be, in order."""
        found: list[Column] = []
        for item in self.items:
            found += [item] if isinstance(item, Column) else item.expanded()
        return tuple(found)

    @property
    def merging(self) -> dict[str, Column]:
        """The columns by which rows of many runs merge, by name, keys first."""
        found = {column.name: column for column in self.columns if column.merge}
        return dict(sorted(found.items(), key=lambda item: item[1].merge != "key"))

    def asked(self, keys: Iterable[str]) -> tuple[Column, ...]:
        """Those that there are by these keys."""
        wanted = tuple(keys)
        return tuple(column for column in self.columns if column.is_there(wanted))


class Reader:
    """Makes tables of what the file says."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.common: dict[str, dict[str, Any]] = data["column"]
        self.sets: dict[str, list[Any]] = data["set"]
        self.tables: dict[str, Table] = {}
        for table in data["table"]:
            self.add(table)

    def add(self, table: dict[str, Any]) -> None:
        name, of, keys = (
            table["name"],
            table.get("of", ""),
            tuple(table.get("keys", ())),
        )
        unknown = set(table) - {field.name for field in fields(Table)} - {"columns"}
        if unknown or name in self.tables:
            raise Wrong(f"table {name}: {unknown or 'twice'}")
        items = tuple(self.items(table.get("columns", [])))
        if of:
            items = tuple(item for item in self.tables[of].items if item.is_there(keys))
        self.tables[name] = Table(
            name,
            table["about"],
            table.get("sql", ""),
            table.get("question", ""),
            table.get("cli", ""),
            items,
            of,
            keys,
            table.get("merge", bool(of) and self.tables[of].merge),
        )

    def items(self, entries: list[Any]) -> Iterable[Column | Repeated]:
        for entry in entries:
            if isinstance(entry, str):
                yield self.column({"name": entry})
            elif "each" in entry:
                yield self.repeated(entry)
            elif "set" in entry:
                more = {key: value for key, value in entry.items() if key != "set"}
                for one in self.sets[entry["set"]]:
                    column = self.column({"name": one} if isinstance(one, str) else one)
                    # What holds for all of a set is what there is to say of it here.
                    yield (
                        replace(column, **more, own=frozenset(more)) if more else column
                    )
            else:
                yield self.column(entry)

    def repeated(self, entry: dict[str, Any]) -> Repeated:
        words, enum = entry["each"], ""
        if isinstance(words, str):
            enum = words
            words = [value.name for value in read_enums()[enum].values]
        columns = entry["columns"] if "columns" in entry else self.sets[entry["set"]]
        return Repeated(tuple(words), enum, tuple(self.column(one) for one in columns))

    def column(self, entry: dict[str, Any]) -> Column:
        name = entry["name"]
        unknown = set(entry) - {field.name for field in fields(Column)} | (
            set(entry) & {"own"}
        )
        if unknown:
            raise Wrong(f"column {name}: {', '.join(sorted(unknown))}")
        given = {**self.common.get(name, {}), **entry}
        if "type" not in given:
            given["type"] = "int64" if name.endswith("_ns") else "string"
            if given["type"] == "string" and not {"enum", "values"} & set(given):
                raise Wrong(f"column {name}: of what type?")
        if given["type"] not in TYPES:
            raise Wrong(f"column {name}: no type {given['type']}")
        merge = given.get("merge", "key")
        if merge not in MERGES or (merge != "key" and "int" not in given["type"]):
            raise Wrong(f"column {name}: of type {given['type']} merges as {merge}")
        if given.get("enum", "tm_state") not in read_enums():
            raise Wrong(f"column {name}: no enum {given['enum']}")
        if "unit" not in given and name.endswith("_ns"):
            given["unit"] = "ns"
        for key in ("values", "keys", "without"):
            given[key] = tuple(given.get(key, ()))
        return Column(**given, own=frozenset(entry))


def parse(text: str) -> dict[str, Table]:
    """Tables by name, in the order of the text."""
    return Reader(tomllib.loads(text)).tables


@cache
def read_tables() -> dict[str, Table]:
    """The tables of the tree."""
    return parse(SOURCE.read_text())


def summed_states() -> tuple[str, ...]:
    """The states that statistics sum up by any keys."""
    items = read_tables()["groups"].items
    repeated = next(item for item in items if isinstance(item, Repeated))
    return tuple(word.removesuffix("_") for word in repeated.words)
