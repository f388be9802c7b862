# SPDX-License-Identifier: Apache-2.0
"""The library as one C file: complete, quiet under warnings, and the same library."""

import re
import subprocess
from pathlib import Path

import pytest

import amalgamate
from describe.headers import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "embed.c"
ANSWER = ROOT / "docs" / "examples" / "embed.txt"
# No loop is optimised: compiling takes a third of the time so.
COMPILER = ("gcc", "-std=gnu11", "-O0", "-fPIC", "-Wall", "-Wextra", "-Werror")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("amalgamation")
    amalgamate.write(folder)
    command = [*COMPILER, "-c", folder / "threadmodel.c", "-o", folder / "one.o"]
    subprocess.run(command, check=True)
    return folder


def test_an_embedder_compiles_it_links_and_runs(folder: Path) -> None:
    # It includes <threadmodel/threadmodel.h>, of which this is the content.
    (folder / "threadmodel").mkdir()
    (folder / "threadmodel/threadmodel.h").symlink_to(folder / "threadmodel.h")
    command = [*COMPILER, "-Wpedantic", f"-I{folder}", EXAMPLE, folder / "one.o"]
    libraries = ["-lzstd", "-lexpat", "-lyajl"]
    subprocess.run([*command, "-o", folder / "embed", *libraries], check=True)
    answer = subprocess.check_output([folder / "embed"], text=True)
    assert answer == ANSWER.read_text()


def test_it_shows_what_the_library_shows(folder: Path) -> None:
    shared = folder / "one.so"
    libraries = ["-lzstd", "-lexpat", "-lyajl"]
    command = ["gcc", "-shared", folder / "one.o", "-o", shared, *libraries]
    subprocess.run(command, check=True)
    listed = subprocess.check_output(
        ["nm", "--dynamic", "--defined-only", "--format=posix", shared], text=True
    )
    shown = {line.split()[0] for line in listed.splitlines()}
    promised = re.findall(
        r"\btm_\w+(?=;)", (ROOT / "libthreadmodel/threadmodel.map").read_text()
    )
    assert shown == set(promised)


def test_the_header_is_enough_for_a_cxx_program(folder: Path) -> None:
    source = folder / "program.cc"
    source.write_text('#include "threadmodel.h"\nint main() { return !tm_version(); }')
    command = ["g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(source)]
    subprocess.run(command, check=True)


@pytest.mark.parametrize(
    ("text", "tags", "others", "macros"),
    [
        ("static int f(int a) { int b = a; return b; }", set(), {"f"}, []),
        ("int tm__f(int a) { return a; }", set(), set(), []),
        ("static const char *const names[] = {0};", set(), {"names"}, []),
        ("static int (*const calls[])(int) = {0};", set(), {"calls"}, []),
        ("struct s { int m; struct t { int n; } t; };", {"s", "t"}, set(), []),
        ("typedef struct s { int m; } s_t;", {"s"}, {"s_t"}, []),
        ("typedef int (*call)(void *payload);", set(), {"call"}, []),
        ("enum { A = 1, B = C(2), };", set(), {"A", "B"}, []),
        ("#define X(a) \\\n a\nstatic void x(void);", set(), {"x"}, ["X"]),
        ("static _Thread_local char text[9];", set(), {"text"}, []),
        (
            '/* static int no; */ const char *tm__s = "static int no;";',
            set(),
            set(),
            [],
        ),
    ],
)
def test_what_a_file_declares_for_itself_is_found(
    text: str, tags: set[str], others: set[str], macros: list[str]
) -> None:
    names = amalgamate.declared(amalgamate.tokens(text))
    assert (names.tags, names.others, names.macros) == (tags, others, macros)


def test_two_headers_that_declare_one_name_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = ("#define TM__BYTES 64\n", "enum { TM__BYTES = 1 << 20 };\n")
    headers = [ROOT / f"libthreadmodel/{name}.h" for name in ("one", "other")]
    known = dict(zip(headers, texts, strict=True))
    monkeypatch.setattr(Path, "read_text", lambda path: known[path])
    with pytest.raises(SystemExit, match=r"one\.h and .*other\.h both declare TM__B"):
        amalgamate.refuse_twins(headers)


def test_members_keep_their_names_and_uses_are_renamed() -> None:
    text = (
        "struct pair { int count; };\n"
        "static int count(struct pair *of) { return of->count; }\n"
        "int tm__f(struct pair *of) { *of = (struct pair){.count = 1}; "
        "return count(of); }\n"
    )
    found = amalgamate.tokens(text)
    names = amalgamate.declared(found)
    assert amalgamate.renamed(found, names, {"pair", "count"}, "file") == (
        "struct pair__file { int count; };\n"
        "static int count__file(struct pair__file *of) { return of->count; }\n"
        "int tm__f(struct pair__file *of) { *of = (struct pair__file){.count = 1}; "
        "return count__file(of); }\n"
    )
