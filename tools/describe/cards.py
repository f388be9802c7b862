# SPDX-License-Identifier: Apache-2.0
"""The texts of findings, each filled in as a card would have it."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from describe import ROOT

FOLDER = ROOT / "libthreadmodel/analysis/findings"
TEXTS = FOLDER / "texts.def"
# The library fills them in; what it calls a fact there is listed here with a value.
FILLED_BY = FOLDER / "finding_text.c"

STRING = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
TEXT = re.compile(rf"^TEXT\((\w+), (\w+), ({STRING}),\s*({STRING})\)", re.MULTILINE)
LACK = re.compile(rf"^LACK\((\w+),\s*({STRING}),\s*({STRING}|NULL)\)", re.MULTILINE)
SECTION = re.compile(r"^/\* ---- (.*?)(?: ---- )?\*/$", re.MULTILINE | re.DOTALL)

COUNTS = {"threads", "count", "times", "of", "others", "most"}
VALUES = {
    "total": "1.20 s",
    "mean": "40.0 ms",
    "median": "38.0 ms",
    "longest": "310 ms",
    "span": "9.00 s",
    "low": "0.80 s",
    "high": "1.50 s",
    "share": "72",
    "other_share": "31",
    "average": "2.5",
    "other_average": "1.8",
    "rate_low": "94.5",
    "rate_high": "1,250",
    "thread": "worker-1",
    "other_thread": "main",
    "place": "Account.transfer:42",
    "other_place": "Audit.write:7",
    "frame": "Pool.borrow:12",
    "other_frame": "Orders.order:33",
    "method": "Orders.query",
    "other_method": "Pool.giveBack",
    "class": "Account",
    "name": "Account#7",
    "other_name": "Account#8",
    "state": "asleep",
    "period": "run",
}


class Text(NamedTuple):
    """A line of texts.def."""

    name: str
    part: str
    when: str
    template: str


def joined(literals: str) -> str:
    """Return the string of C literals that stand side by side."""
    return "".join(map(ast.literal_eval, re.findall(r'"(?:[^"\\]|\\.)*"', literals)))


def texts() -> list[Text]:
    """Return all texts in the order of the file."""
    return [
        Text(name, part.lower(), joined(when), joined(text))
        for name, part, when, text in TEXT.findall(TEXTS.read_text())
    ]


def facts(template: str) -> set[str]:
    """Return the facts that a template names."""
    return {it for it in re.findall(r"{([^{}]*)}", template) if "|" not in it}


def known() -> set[str]:
    """Return the facts that the library can fill in."""
    return set(re.findall(r'FACT\("(\w+)"', FILLED_BY.read_text()))


def counted(name: str, number: int) -> str:
    if name == "times":
        return "once" if number == 1 else f"{number} times"
    if name == "threads":
        return "1 thread" if number == 1 else f"{number} threads"
    return str(number)


def filled(template: str, number: int, *, is_whole: bool) -> str:
    """Return the text with all counts `number`, with the brackets or without."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if "|" in name:
            one, many = name.split("|")
            return one if number == 1 else many
        return counted(name, number) if name in COUNTS else VALUES[name]

    kept = r"\1" if is_whole else ""
    return re.sub(r"{([^{}]*)}", value, re.sub(r"\[([^]]*)\]", kept, template))


def variants(template: str) -> Iterator[str]:
    """Yield what the text may look like, each once."""
    seen = set()
    for number in (1, 8):
        for is_whole in (False, True):
            text = filled(template, number, is_whole=is_whole)
            if text not in seen:
                seen.add(text)
                yield text


def page() -> str:
    """Return the texts filled in, to be read from top to bottom."""
    source = TEXTS.read_text()
    parts = sorted(
        [(it.start(), it) for it in SECTION.finditer(source)]
        + [(it.start(), it) for it in TEXT.finditer(source)]
        + [(it.start(), it) for it in LACK.finditer(source)],
        key=lambda part: part[0],
    )
    lines = [
        "# The texts of findings filled in with one and with eight, without their",
        "# brackets and with them. ./dev describe writes this file from texts.def.",
    ]
    for _, it in parts:
        if it.re is SECTION:
            lines += ["", " ".join(it[1].replace(" * ", " ").split()), ""]
        elif it.re is LACK:
            remedy = "" if it[3] == "NULL" else " " + joined(it[3])
            lines.append(f"  lacks {it[1].lower()}: {joined(it[2])}{remedy}")
        else:
            lines.append(f"  {it[2].lower()}, {joined(it[3])}:")
            lines += [f"      {text}" for text in variants(joined(it[4]))]
    return "\n".join(lines) + "\n"
