# SPDX-License-Identifier: Apache-2.0
"""The enums of the public headers, with what their comments say."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from describe import INCLUDE

ENUM = re.compile(
    r"(?:/\*\*((?:(?!\*/).)*)\*/\n)?enum (tm_\w+) \{\n(.*?)\n\};", re.DOTALL
)
# A value, with what stands before it or behind it, over as many lines as it takes.
VALUE = re.compile(
    r"(?:/\*\*((?:(?!\*/).)*)\*/\s*)?"
    r"(TM_\w+) = (-?\d+),?"
    r"((?:\s*///<[^\n]*)?(?:\n\s*///<[^\n]*)*)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Value:
    """One value: `name` is in small letters and without what all of them begin with."""

    name: str
    number: int
    text: str
    spelling: str


@dataclass(frozen=True)
class Enum:
    """An enum without its end mark."""

    name: str
    header: str
    text: str
    values: tuple[Value, ...]
    # With it: as the compiler has it.
    spellings: tuple[str, ...]

    @property
    def is_flags(self) -> bool:
        return self.name.endswith(("_flag", "_key"))


def plain(comment: str | None) -> str:
    """A comment without its marks and line ends."""
    words = re.sub(r"^\s*(?:///<|\*)", " ", comment or "", flags=re.MULTILINE).split()
    return " ".join(words).rstrip(".")


def common_words(spellings: list[str]) -> str:
    """What all begin with, up to an underscore; "" where there is but one."""
    if len(spellings) == 1:
        return ""
    words = zip(*(spelling.split("_") for spelling in spellings), strict=False)
    common = takewhile(lambda column: len(set(column)) == 1, words)
    return "".join(f"{column[0]}_" for column in common)


def parse(header: str, text: str) -> list[Enum]:
    found = []
    for about, name, body in ENUM.findall(text):
        rows = VALUE.findall(body)
        spellings = [spelling for _, spelling, _, _ in rows]
        prefix = common_words(spellings) or f"{name.removesuffix('_flag').upper()}_"
        values = [
            Value(
                spelling.removeprefix(prefix).lower(),
                int(number),
                plain(before) or plain(behind),
                spelling,
            )
            for before, spelling, number, behind in rows
        ]
        if values[-1].name.endswith("end") and len(values) > 1:
            values.pop()
        found.append(Enum(name, header, plain(about), tuple(values), tuple(spellings)))
    return found


@cache
def read_enums() -> dict[str, Enum]:
    """All of them by name, in the order of headers."""
    return {
        enum.name: enum
        for path in sorted(INCLUDE.glob("*.h"))
        for enum in parse(path.name, path.read_text())
    }
