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
    # It includes <threadmodel/threadmodel.h>; this file has its content.
    (folder / "threadmodel").mkdir()
    (folder / "threadmodel/threadmodel.h").symlink_to(folder / "threadmodel.h")
    command = [*COMPILER, "-Wpedantic", f"-I{folder}", EXAMPLE, folder / "one.o"]
    libraries = ["-lzstd", "-lexpat", "-lyajl"]
    subprocess.run([*command, "-o", folder / "embed", *libraries], check=True)
    answer = subprocess.check_output([folder / "embed"], text=True)
    assert answer == ANSWER.read_text()


BARE = """\
#include <stdio.h>
#include <threadmodel/threadmodel.h>

int main(int count, char **names)
{
    tm_writer *writer;
    tm_source *source;

    printf("%s\\n%d", tm_build_lacks(), tm_writer_open(&writer, "/dev/null", NULL));
    printf(" %s\\n", tm_error_text());
    for (int i = 1; i < count; i++) {
        printf("%d", tm_source_open(&source, names[i], NULL));
        printf(" %s\\n", tm_error_text());
    }
}
"""


def test_without_other_libraries_errors_name_what_is_lacking(
    folder: Path, tmp_path: Path
) -> None:
    lacking = [f"-DTM_WITHOUT_{name}" for name in ("ZSTD", "EXPAT", "YAJL")]
    command = [*COMPILER, *lacking, "-c", folder / "threadmodel.c", "-o"]
    subprocess.run([*command, tmp_path / "bare.o"], check=True)
    (tmp_path / "threadmodel").mkdir()
    (tmp_path / "threadmodel/threadmodel.h").symlink_to(folder / "threadmodel.h")
    (tmp_path / "bare.c").write_text(BARE)
    for source in (EXAMPLE, tmp_path / "bare.c"):
        command = [*COMPILER, f"-I{tmp_path}", source, tmp_path / "bare.o"]
        subprocess.run([*command, "-o", tmp_path / source.stem], check=True)
    # The model needs none of them.
    answer = subprocess.check_output([tmp_path / "embed"], text=True)
    assert answer == ANSWER.read_text()
    (tmp_path / "dump.json").write_text('{"threadDump": {}}')
    (tmp_path / "run.xml").write_text("<threadStart />")
    (tmp_path / "run.tmt").write_bytes(b"\xb1TMT\r\n\x1a\n" + bytes(8))
    command = [tmp_path / "bare", "run.tmt", "run.xml", "dump.json"]
    said = subprocess.check_output(command, cwd=tmp_path, text=True)
    why = "which this libthreadmodel was built without"
    assert said.splitlines() == [
        "zstd expat yajl",
        "-9 this libthreadmodel was built without zstd, which writes and reads traces",
        f"-9 run.tmt: format tmt is read by zstd, {why}",
        f"-9 run.xml: format tptp is read by expat, {why}",
        f"-9 dump.json: format json is read by yajl, {why}",
    ]


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
