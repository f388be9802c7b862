# SPDX-License-Identifier: Apache-2.0
"""The public headers as data: what they declare, found with a C parser.

The headers are preprocessed against two standard headers of our own that hold the
few types they may use, so that nothing of the system's gets into the answer.
"""

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pycparser import c_ast, c_generator, c_parser

from describe import ROOT as ROOT

INCLUDE = ROOT / "include"
# What the Python package has in C of its own.
PYTHON = ROOT / "bindings" / "python"
PUBLIC = sorted((INCLUDE / "threadmodel").glob("*.h"))
MAP = ROOT / "libthreadmodel" / "threadmodel.map"
STANDARD = Path(__file__).resolve().parent / "standard"
UMBRELLA = "threadmodel/threadmodel.h"


@dataclass(frozen=True)
class Struct:
    """A struct whose fields users see: its C spelling and its fields' types by name."""

    spelling: str
    fields: dict[str, str]


@dataclass(frozen=True)
class Api:
    """What the headers promise; every value is C text without parameter names."""

    functions: dict[str, str]
    callbacks: dict[str, str]
    structs: dict[str, Struct]
    enums: dict[str, list[str]]
    tree: c_ast.FileAST


def text_of(node: c_ast.Node) -> str:
    """C text of a type without the names of parameters: an ABI does not have these."""

    class Unname(c_ast.NodeVisitor):  # type: ignore[misc]
        def visit_TypeDecl(self, declaration: c_ast.TypeDecl) -> None:
            declaration.declname = None
            self.generic_visit(declaration)

    Unname().visit(node)
    return str(c_generator.CGenerator().visit(c_ast.Typename(None, [], None, node)))


def preprocess(headers: Iterable[str]) -> str:
    command = ["gcc", "-E", "-P", "-nostdinc", "-U__GNUC__"]
    command += [f"-I{folder}" for folder in (STANDARD, INCLUDE, PYTHON)]
    command += [word for header in headers for word in ("-include", header)]
    return subprocess.check_output([*command, "-x", "c", "/dev/null"], text=True)


@cache
def read_api(*headers: str) -> Api:
    """What these headers declare; by default all public ones."""
    tree = c_parser.CParser().parse(preprocess(headers or (UMBRELLA,)))
    api = Api({}, {}, {}, {}, tree)
    for node in tree.ext:
        name = node.name
        kind = node.type
        if isinstance(node, c_ast.Typedef):
            kind = kind.type
            if isinstance(node.type, c_ast.PtrDecl) and isinstance(
                kind, c_ast.FuncDecl
            ):
                api.callbacks[name] = text_of(node.type)
            elif isinstance(kind, c_ast.Struct) and kind.decls:
                api.structs[name] = Struct(name, fields_of(kind))
        elif isinstance(kind, c_ast.FuncDecl):
            api.functions[name] = text_of(kind)
        elif isinstance(kind, c_ast.Struct) and kind.decls:
            api.structs[kind.name] = Struct(f"struct {kind.name}", fields_of(kind))
        elif isinstance(kind, c_ast.Enum):
            api.enums[kind.name] = [item.name for item in kind.values.enumerators]
    return api


def fields_of(struct: c_ast.Struct) -> dict[str, str]:
    return {field.name: text_of(field.type) for field in struct.decls}


def map_nodes() -> dict[str, str]:
    """Each name of the symbol map, and the release whose node it stands in."""
    node = ""
    names: dict[str, str] = {}
    for line in MAP.read_text().splitlines():
        word = line.strip()
        if word.endswith("{"):
            node = word.removesuffix("{").strip()
        elif word.endswith(";") and word[0] not in "}*":
            names[word.removesuffix(";")] = node
    return names
