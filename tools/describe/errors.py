# SPDX-License-Identifier: Apache-2.0
"""The texts of all errors and warnings, in one file that a person can read."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from describe import ROOT
from describe.cards import joined

FOLDERS = ("libthreadmodel", "agent", "bindings/python/threadmodel")
# What reports a text in C. The first ones are of errors, the last two of a file that
# is read in spite of what is wrong with it.
CALLS = ("tm__fail", "tm__message", "tm__notes_damage", "tm__notes_caveat")
CALL = re.compile(rf"\b({'|'.join(CALLS)})\(")
LITERAL = r'(?:"(?:[^"\\]|\\.)*"|PRI\w+)'
STRING = re.compile(rf"{LITERAL}(?:\s*{LITERAL})*")
RAISED = re.compile(r"(?:Error|Warning|Exception|BadParameter)$")


class Text(NamedTuple):
    """A text, or one of those that a call chooses from."""

    path: Path
    kind: str  # "TM_EIO", "message", "UsageError"
    text: str


def arguments(source: str, start: int) -> str:
    """Return what stands between the parentheses that open before `start`."""
    depth, at = 1, start
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]', source[start:]):
        if found[0] in "()":
            depth += 1 if found[0] == "(" else -1
        if depth == 0:
            at = start + found.start()
            break
    return source[start:at]


def sentences(given: str) -> Iterator[str]:
    """Yield the literals of a call that are texts, and no words put into one."""
    for number, literal in enumerate(STRING.finditer(given)):
        text = joined(re.sub(r"PRI\w+", '"u"', literal[0]))
        if number == 0 or " " in text.strip():
            yield text


def of_c(path: Path) -> Iterator[Text]:
    source = path.read_text()
    for call in CALL.finditer(source):
        given = arguments(source, call.end())
        code = re.match(r"\s*(TM_E\w+)", given)
        kind = code[1] if code else call[1].removeprefix("tm__").replace("notes_", "")
        for text in sentences(given):
            yield Text(path, kind, text)


def written(node: ast.expr) -> str | None:
    """Return a string, with what is put into it in braces; None: it is not one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value
            if isinstance(part, ast.Constant) and isinstance(part.value, str)
            else f"{{{ast.unparse(part.value)}}}"
            if isinstance(part, ast.FormattedValue)
            else ""
            for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = written(node.left), written(node.right)
        return None if left is None and right is None else f"{left or ''}{right or ''}"
    return None


def of_python(path: Path) -> Iterator[Text]:
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        text = written(node.args[0])
        if RAISED.search(name) and text:
            yield Text(path, name, text)


def texts() -> Iterator[Text]:
    """Yield all texts, file by file."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix == ".c":
                yield from of_c(path)
            elif path.suffix == ".py":
                yield from of_python(path)


def page() -> str:
    """Return the texts, to be read from top to bottom."""
    lines = [
        "# The texts of all errors and warnings, by file. ./dev describe writes this",
        "# file from the sources.",
    ]
    before = None
    for path, kind, text in texts():
        if path != before:
            lines += ["", str(path.relative_to(ROOT))]
            before = path
        lines.append(f"  {kind}: {' '.join(text.split())}")
    return "\n".join(lines) + "\n"
