# SPDX-License-Identifier: Apache-2.0
"""Each public header stands alone, in C and in C++, and keeps to what CFFI can read."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pycparser import c_ast

from describe.headers import INCLUDE, PUBLIC, ROOT, read_api

# What POSIX names in struct tm: a program that includes <time.h> first may meet
# these as macros.
STRUCT_TM = re.compile(
    r"\btm_(sec|min|hour|mday|mon|year|wday|yday|isdst|gmtoff|zone)\b"
)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Wshadow", "-Werror"]
LANGUAGES = {
    "c11": ["-x", "c", "-std=c11", "-Wstrict-prototypes", "-Wold-style-definition"],
    "c++17": ["-x", "c++", "-std=c++17"],
}


@pytest.mark.parametrize("header", PUBLIC, ids=lambda path: path.name)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_header_compiles_alone(compiler: str, language: str, header: Path) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    include = f"#include <threadmodel/{header.name}>\n"
    done = subprocess.run(
        [
            compiler,
            *LANGUAGES[language],
            *WARNINGS,
            "-I",
            INCLUDE,
            "-fsyntax-only",
            "-",
        ],
        input=include * 2 + "int main(void);\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header", PUBLIC, ids=lambda path: path.name)
def test_header_includes_little(header: Path) -> None:
    allowed = {"stddef.h", "stdint.h"} | {f"threadmodel/{path.name}" for path in PUBLIC}
    included = re.findall(r"#\s*include\s+[<\"]([^>\"]+)[>\"]", header.read_text())
    assert set(included) <= allowed
    assert included == sorted(included), "in alphabetical order"


def test_umbrella_includes_every_header() -> None:
    umbrella = (INCLUDE / "threadmodel" / "threadmodel.h").read_text()
    for header in PUBLIC:
        if header.name != "threadmodel.h":
            assert f"#include <threadmodel/{header.name}>" in umbrella


def test_every_header_is_installed() -> None:
    listed = re.findall(
        r"'(\w+\.h)'", (INCLUDE / "threadmodel/meson.build").read_text()
    )
    assert listed == [path.name for path in PUBLIC]


@pytest.mark.parametrize("header", PUBLIC, ids=lambda path: path.name)
def test_header_opens_with_licence_guard_and_purpose(header: Path) -> None:
    lines = header.read_text().splitlines()
    guard = f"THREADMODEL_{header.stem.upper()}_H"
    assert lines[0] == "/* SPDX-License-Identifier: Apache-2.0 */"
    assert any(f"threadmodel/{header.name}:" in line for line in lines[1:4])
    assert f"#ifndef {guard}" in lines
    assert f"#define {guard}" in lines


def test_no_declaration_needs_more_than_cffi_reads() -> None:
    """No inline functions, varargs, bit-fields or unions, and no function macros."""

    class Visitor(c_ast.NodeVisitor):
        def __init__(self) -> None:
            self.found: list[str] = []

        def visit_FuncDef(self, node: c_ast.FuncDef) -> None:
            self.found.append(f"function body: {node.decl.name}")

        def visit_EllipsisParam(self, node: c_ast.EllipsisParam) -> None:
            self.found.append("variable arguments")

        def visit_Union(self, node: c_ast.Union) -> None:
            self.found.append(f"union {node.name}")

        def visit_Decl(self, node: c_ast.Decl) -> None:
            if node.bitsize is not None:
                self.found.append(f"bit-field {node.name}")
            self.generic_visit(node)

    visitor = Visitor()
    visitor.visit(read_api().tree)
    assert visitor.found == []
    for header in PUBLIC:
        assert not re.search(r"^#define \w+\(", header.read_text(), re.MULTILINE)


def test_names_are_in_our_space_and_none_is_of_struct_tm() -> None:
    api = read_api()
    ours = [*api.functions, *api.callbacks, *api.structs]
    foreign = {"ArrowSchema", "ArrowArray", "ArrowArrayStream"}
    assert [name for name in ours if not name.startswith("tm_")] == sorted(
        foreign, key=ours.index
    )
    values = [value for names in api.enums.values() for value in names]
    assert all(value.startswith("TM_") for value in values)
    assert len(values) == len(set(values))
    assert not [path.name for path in PUBLIC if STRUCT_TM.search(path.read_text())]


def test_every_function_reports_what_it_does() -> None:
    """A comment stands before each function or the run of functions that it is in."""
    text = "\n".join(path.read_text() for path in PUBLIC)
    bare = re.findall(r"\n\n(TM_API [^;]*;)", text)
    assert bare == []


@pytest.mark.parametrize("name", sorted(read_api().enums))
def test_enum_values_are_written_out(name: str) -> None:
    """They are stored in files: none may move because another one was put in."""
    text = (ROOT / "include").rglob("*.h")
    body = next(
        match.group(1)
        for path in text
        if (
            match := re.search(rf"enum {name} {{(.*?)\n}}", path.read_text(), re.DOTALL)
        )
    )
    declared = re.findall(r"^\s*(TM_\w+)\s*(=?)", body, re.MULTILINE)
    assert [value for value, equals in declared if not equals] == []


def sized_structs() -> list[str]:
    """The structs that carry their size."""
    return [
        name
        for name, of in read_api().structs.items()
        if next(iter(of.fields)) == "size"
    ]


def syntax_errors(source: str, language: str) -> str:
    done = subprocess.run(
        ["gcc", *LANGUAGES[language], *WARNINGS, "-I", INCLUDE, "-fsyntax-only", "-"],
        input="#include <threadmodel/threadmodel.h>\n" + source,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sized_structs())
def test_a_sized_struct_has_an_initialiser_of_all_fields(
    name: str, language: str
) -> None:
    """A field that is missing in it would warn whoever compiles with -Wextra."""
    source = f"int main() {{ {name} it = {name.upper()}_INIT; return it.size == 0; }}\n"
    assert syntax_errors(source.replace("()", "(void)", 1), language) == ""


@pytest.mark.parametrize("name", sized_structs())
def test_a_sized_struct_has_no_padding(name: str) -> None:
    """A field that is added goes where an older caller has nothing, and not where it
    has bytes that nobody set."""
    sizes = " + ".join(
        f"sizeof(it.{field})" for field in read_api().structs[name].fields
    )
    source = f"extern {name} it;\n_Static_assert(sizeof(it) == {sizes}, {name!r});\n"
    assert syntax_errors(source.replace("'", '"'), "c11") == ""
