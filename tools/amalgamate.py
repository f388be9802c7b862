# SPDX-License-Identifier: Apache-2.0
"""Write the library as two files, threadmodel.c and threadmodel.h.

    python tools/amalgamate.py FOLDER

For programs whose build takes a C file more easily than a library:

    cc -c threadmodel.c
    cc program.c threadmodel.o -lzstd -lexpat -lyajl

Files become one translation unit, in which what each calls its own must differ. A name
that two files use, or a file and a header that it does not see, gets the name of its
file as a suffix. Macros of a file end with it.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "include/threadmodel"
PRIVATE = ROOT / "libthreadmodel"
# Their headers stay where they are, since files set macros for them.
FOREIGN = (
    "expat.h",
    "lzma.h",
    "uthash.h",
    "yajl/yajl_parse.h",
    "zstd.h",
    "zstd_errors.h",
)
VISIBLE = """\
#pragma GCC visibility push(default)
#include <{}>
#pragma GCC visibility pop
"""
FIRST = "/* SPDX-License-Identifier: Apache-2.0 */\n"
TOKEN = re.compile(
    r"(?P<comment>/\*.*?\*/|//[^\n]*)"
    r"|(?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)"
    r'|(?P<text>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>\.?\d[\w.]*)"
    r"|(?P<space>\s+)"
    r"|(?P<sign>->|.)",
    re.DOTALL | re.MULTILINE,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+[<"]([^>"]+)[>"][^\n]*\n', re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)")
TAGGED = ("struct", "union", "enum")
Token = tuple[str, str]


@dataclass
class Names:
    """What a file declares for itself: of C's two name spaces, and macros."""

    tags: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    macros: list[str] = field(default_factory=list)
    members: set[int] = field(default_factory=set)

    def all(self) -> set[str]:
        return self.tags | self.others | set(self.macros)


def tokens(text: str) -> list[Token]:
    return [(match.lastgroup or "", match[0]) for match in TOKEN.finditer(text)]


def significant(found: list[Token]) -> Iterator[tuple[int, str, str]]:
    """Number, kind and text of what a compiler sees after the preprocessor."""
    for index, (kind, text) in enumerate(found):
        if kind not in ("comment", "space", "directive"):
            yield index, kind, text


def declared(found: list[Token]) -> Names:
    """Find what a file declares at its outermost level, and tags and enumerators."""
    names = Names()
    names.macros = [
        match[1]
        for kind, text in found
        if kind == "directive" and (match := DEFINE.match(text))
    ]
    body: list[str] = []  # what encloses: "struct", "enum" or "" for each open brace
    statement: list[tuple[str, str]] = []
    before = ["", ""]
    expects = False  # the next name in an enum is an enumerator
    name_at: int | None = None  # of the token before, if it is a name
    for index, kind, text in significant(found):
        if text == "{":
            which = next((word for word in reversed(before) if word in TAGGED), "")
            if before[0] in TAGGED:
                names.tags.add(before[1])
            if not body and not which:
                names.others |= name_of(statement)
            body.append(which)
            expects = which == "enum"
        elif text == "}":
            if not body[1:] and not body[0]:
                statement = []
            body.pop()
        elif body and body[-1] == "enum":
            if kind == "name" and expects:
                names.others.add(text)
            expects = text == ","
        elif body:
            # A type is followed by a word or a star, or the argument of a macro.
            is_last = text in (";", ",", "[", ":") and before[0] != "("
            is_pointer = (before[0], text) == ("*", ")")
            if name_at is not None and body[-1] and (is_last or is_pointer):
                names.members.add(name_at)
        elif text == ";":
            names.others |= name_of(statement)
            statement = []
        else:
            statement.append((kind, text))
        before = [before[1], text]
        name_at = index if kind == "name" else None
    return names


def name_of(statement: list[tuple[str, str]]) -> set[str]:
    """What a static declaration or a type definition declares; nothing of others."""
    statement = [word for word in statement if word[1] != "__extension__"]
    words = [text for _, text in statement]
    if not words or words[0] not in ("static", "typedef"):
        return set()
    pointer = re.search(r"\( \* (?:const )?(\w+)", " ".join(words))
    if words[0] == "typedef":
        return {pointer[1]} if pointer else {words[-1]}
    depth = 0
    for at, (kind, text) in enumerate(statement):
        follows = statement[at + 1][1] if at + 1 < len(statement) else ";"
        if kind == "name" and depth == 0 and text != "__attribute__":
            if follows == "(" and pointer and statement[at + 2][1] == "*":
                return {pointer[1]}
            if follows in ("(", "=", ";", "["):
                return {text}
        depth += (text == "(") - (text == ")")
    return set()


def renamed(found: list[Token], names: Names, clashing: set[str], suffix: str) -> str:
    """Return a file's text, in which its own names differ from all others."""
    tags, others = names.tags & clashing, names.others & clashing
    pattern = re.compile(rf"\b({'|'.join(sorted(others))})\b") if others else None
    pieces: list[str] = []
    before = ""
    for index, (kind, text) in enumerate(found):
        if kind == "directive" and pattern:
            command, _, rest = text.partition(" ")
            pieces.append(command + " " + pattern.sub(rf"\1__{suffix}", rest))
            continue
        if kind == "name":
            is_tag = before in TAGGED
            is_member = before in (".", "->") or index in names.members
            own = text in tags if is_tag else text in others and not is_member
            pieces.append(f"{text}__{suffix}" if own else text)
        else:
            pieces.append(text)
        if kind not in ("space", "comment"):
            before = text
    return "".join(pieces)


def in_order(start: list[Path]) -> list[Path]:
    """Return headers, each after those that it includes."""
    order: list[Path] = []

    def visit(path: Path) -> None:
        if path in order:
            return
        for name in INCLUDE.findall(path.read_text()):
            found = header(name)
            if found is not None and found != path and found.suffix == ".h":
                visit(found)
        order.append(path)

    for path in start:
        visit(path)
    return order


def header(name: str) -> Path | None:
    """Return the header of ours that an include names; None: it is not ours."""
    if name.startswith("threadmodel/"):
        return PUBLIC.parent / name
    for folder in (PRIVATE, PRIVATE / "analysis"):
        if (folder / name).is_file():
            return folder / name
    return None


def sources() -> list[Path]:
    return sorted(PRIVATE.rglob("*.c"))


def stripped(text: str, system: set[str]) -> str:
    """Take out includes of ours, and those of C, which `system` collects.

    A list that a file includes to expand it stays where it is expanded.
    """

    def instead(match: re.Match[str]) -> str:
        name = match[1]
        if name in FOREIGN:
            return VISIBLE.format(name)
        found = header(name)
        if found is None:
            system.add(name)
        elif found.suffix == ".def":
            return found.read_text().removeprefix(FIRST)
        return ""

    return INCLUDE.sub(instead, text).removeprefix(FIRST).lstrip("\n")


def titled(path: Path, text: str) -> str:
    return f"/* ======== {path.relative_to(ROOT)} ======== */\n{text.rstrip()}\n\n"


def refuse_twins(headers: list[Path]) -> None:
    """End if two headers give something the same name, which no compiler may notice."""
    where: dict[str, Path] = {}
    for path in headers:
        names = declared(tokens(path.read_text()))
        for name in {
            *names.macros,
            *names.others,
            *(f"struct {it}" for it in names.tags),
        }:
            if where.setdefault(name, path) != path:
                first, second = (it.relative_to(ROOT) for it in (where[name], path))
                raise SystemExit(f"{first} and {second} both declare {name}")


def write(folder: Path) -> None:
    """Write both files into a folder."""
    version = ".".join(
        re.findall(r"define TM_VERSION_\w+ (\d+)", (PUBLIC / "version.h").read_text())
    )
    about = f"{FIRST}/* threadmodel {version} as one file, by tools/amalgamate.py. */\n"
    system: set[str] = set()
    public = "".join(
        titled(path, stripped(path.read_text(), system))
        for path in in_order([PUBLIC / "threadmodel.h"])
    )
    includes = "".join(f"#include <{name}>\n" for name in sorted(system))
    (folder / "threadmodel.h").write_text(f"{about}{includes}\n{public}")

    system.clear()
    headers = [
        path
        for path in in_order(sorted(PRIVATE.rglob("*.h")))
        if path.is_relative_to(PRIVATE)
    ]
    refuse_twins(headers)
    private = "".join(
        titled(path, stripped(path.read_text(), system)) for path in headers
    )
    files = [(path, tokens(stripped(path.read_text(), system))) for path in sources()]
    own = [declared(found) for _, found in files]
    uses = Counter(name for names in own for name in names.all())
    uses.update(set(re.findall(r"\b[A-Za-z_]\w*\b", private + public)))
    # What begins so is one thing wherever it is named: a struct that a header hides.
    shared = ("tm_", "TM_")
    clashing = {it for it, count in uses.items() if count > 1}
    clashing = {it for it in clashing if not it.startswith(shared)}
    code = []
    for (path, found), names in zip(files, own, strict=True):
        text = renamed(found, names, clashing, path.stem)
        ends = "".join(f"#undef {name}\n" for name in dict.fromkeys(names.macros))
        code.append(titled(path, f"{text.rstrip()}\n{ends}"))
    includes = "".join(f"#include <{name}>\n" for name in sorted(system))
    (folder / "threadmodel.c").write_text(
        f'{about}#include "threadmodel.h"\n\n{includes}\n'
        "/* Only what threadmodel.h declares is seen from outside. */\n"
        f"#pragma GCC visibility push(hidden)\n\n{private}{''.join(code)}"
        "#pragma GCC visibility pop\n"
    )


def main() -> None:
    """Write where the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    write(options.folder)


if __name__ == "__main__":
    main()
