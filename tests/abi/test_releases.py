# SPDX-License-Identifier: Apache-2.0
"""A program that was built against an earlier release runs with this library, and so
does one of a release to come that asks for nothing new."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from abi import DUMP, RELEASES
from releases import Dump

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "old_program.c"
EMBED = HERE.parent.parent / "docs/examples/embed.c"
OLD = sorted(RELEASES.glob("*.abi"))


def write_header(folder: Path, text: str) -> None:
    (folder / "threadmodel").mkdir(exist_ok=True)
    (folder / "threadmodel/threadmodel.h").write_text(text)


def build_and_run(build: Path, folder: Path, source: Path, header: str) -> str:
    write_header(folder, header)
    library = build / "libthreadmodel"
    command = ["gcc", "-std=c11", "-Wall", "-Werror", "-I", folder, source]
    command += ["-o", folder / "program", "-L", library, "-lthreadmodel"]
    subprocess.run(command, check=True)
    return subprocess.check_output(
        [folder / "program", folder / "run.tmt"],
        env={**os.environ, "LD_LIBRARY_PATH": str(library)},
        text=True,
    )


def fields_not_in(source: Path, dump: Dump) -> set[str]:
    used = set(re.findall(r"(?:\.|->)(\w+)", source.read_text()))
    return {field for all_ in dump.fields.values() for _, field, _ in all_} - used


@pytest.fixture(params=OLD, ids=lambda path: path.stem)
def release(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_a_program_of_an_earlier_release_prints_what_it_did(
    build: Path, tmp_path: Path, release: Path
) -> None:
    dump = Dump(release.read_text())
    said = build_and_run(build, tmp_path, PROGRAM, dump.header())
    assert said == release.with_suffix(".txt").read_text()


@pytest.mark.parametrize("longer", [False, True], ids=["shorter", "longer"])
def test_structs_of_another_length_mean_the_same(
    build: Path, tmp_path: Path, release: Path, longer: bool
) -> None:
    dump = Dump(release.read_text())
    unused = fields_not_in(PROGRAM, dump)
    assert len(unused) > 10
    header = dump.header(None if longer else unused, longer=longer)
    said = build_and_run(build, tmp_path, PROGRAM, header)
    assert said == release.with_suffix(".txt").read_text()


def test_the_embedding_example_needs_no_more_than_the_dump(
    build: Path, tmp_path: Path, release: Path
) -> None:
    said = build_and_run(build, tmp_path, EMBED, Dump(release.read_text()).header())
    assert said == EMBED.with_suffix(".txt").read_text()


def test_libabigail_finds_nothing_incompatible(
    build: Path, tmp_path: Path, release: Path
) -> None:
    if shutil.which("abidiff") is None:
        pytest.skip("abidiff is not installed (Debian: abigail-tools)")
    dump = Dump(release.read_text())
    # Sized structs may grow at their end. To have abidiff pass over that makes it pass
    # over all else in them; so the old ones get what they lack.
    dump.grow(Dump(DUMP.read_text()))
    write_header(tmp_path, dump.header())
    (tmp_path / "old.c").write_text(dump.stand_ins())
    (tmp_path / "old.map").write_text(dump.symbol_map())
    old = tmp_path / "libthreadmodel.so.0"
    command = ["gcc", "-g", "-shared", "-fPIC", "-Wl,-soname,libthreadmodel.so.0"]
    command.append(f"-Wl,--version-script={tmp_path}/old.map")
    command += ["-I", tmp_path, tmp_path / "old.c", "-o", old]
    subprocess.run(command, check=True)
    new = build / "libthreadmodel/libthreadmodel.so"
    done = subprocess.run(
        ["abidiff", "--no-added-syms", old, new],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
