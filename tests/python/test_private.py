# SPDX-License-Identifier: Apache-2.0
"""Files in folders that others can write to, too."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import threadmodel
from conftest import Cli, one_line
from threadmodel import private


def test_a_file_is_its_owners_alone_and_replaces_none_that_is_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.tmt"
    path.write_bytes(b"old")
    before = os.umask(0)
    try:
        with path.open("rb") as reader, private.create(path) as file:
            file.write(b"new")
            assert reader.read() == b"old"
    finally:
        os.umask(before)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_neither_written_through_nor_read_through(tmp_path: Path) -> None:
    held = tmp_path / "held"
    held.write_bytes(b"kept")
    link = tmp_path / "link"
    link.symlink_to(held)
    with pytest.raises(OSError, match="symbolic link"):
        private.create(link)
    with pytest.raises(OSError, match="symbolic link"):
        private.open_foreign(link)
    assert held.read_bytes() == b"kept"


def test_a_pipe_of_somebody_else_keeps_nobody_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        private.open_foreign(pipe)


def test_what_is_no_file_is_written_to_as_it_is() -> None:
    with private.create("/dev/null") as file:
        file.write(b"gone")
    assert stat.S_ISCHR(os.lstat("/dev/null").st_mode)


def test_what_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        private.create(folder)
    with pytest.raises(FileNotFoundError):
        private.create(tmp_path / "none" / "run.tmt")
    assert list(tmp_path.iterdir()) == [folder]


CONVERT = (sys.executable, "-m", "threadmodel", "convert")


@pytest.mark.parametrize("target", ["held", "gone", "pipe"])
def test_convert_writes_through_no_link(
    cli: Cli, trace: Path, tmp_path: Path, target: str
) -> None:
    held = tmp_path / "held"
    held.write_bytes(b"kept")
    os.mkfifo(tmp_path / "pipe")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / target)
    done = cli("convert", trace, "-o", link)
    assert done.returncode == 2
    assert "link' is a symbolic link: name the file itself" in one_line(done.stderr)
    assert link.is_symlink()
    assert held.read_bytes() == b"kept"
    assert not (tmp_path / "gone").exists()


def test_a_link_in_a_folder_for_all_is_none_of_the_system(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    link = Path(f"/dev/shm/threadmodel-{os.getpid()}")
    link.symlink_to(tmp_path / "held")
    try:
        assert cli("convert", trace, "-o", link).returncode == 2
    finally:
        link.unlink()
    assert not (tmp_path / "held").exists()


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_convert_writes_to_its_output_by_name(
    trace: Path, tmp_path: Path, name: str
) -> None:
    done = subprocess.run([*CONVERT, trace, "-o", name], stdout=subprocess.PIPE)
    assert done.returncode == 0
    made = tmp_path / "made.tmt"
    made.write_bytes(done.stdout)
    events = threadmodel.open(trace).event_count
    assert threadmodel.open(made).event_count == events
    with (tmp_path / "file.tmt").open("wb") as file:
        done = subprocess.run([*CONVERT, trace, "-o", name], stdout=file)
    assert done.returncode == 0
    assert threadmodel.open(tmp_path / "file.tmt").event_count == events


@pytest.mark.parametrize(
    "name", ["run.tmt", "run.orca", "run.xml", "run.hprof", "run.hprof.txt"]
)
def test_what_is_converted_is_its_owners_alone(
    cli: Cli, trace: Path, tmp_path: Path, name: str
) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / name).touch(0o644)
    before = os.umask(0o022)
    try:
        assert cli("convert", trace, "-o", made / name).returncode == 0
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in made.iterdir()}
    assert modes.pop(name) == 0o600
    others = ("run.classtable", "run.method") if name == "run.orca" else ()
    assert modes == dict.fromkeys(others, 0o600)


def test_convert_writes_to_a_device(cli: Cli, trace: Path) -> None:
    assert cli("convert", trace, "-o", "/dev/null").returncode == 0
    assert stat.S_ISCHR(os.lstat("/dev/null").st_mode)


WRITERS: dict[str, Callable[[threadmodel.Model, Path], object]] = {
    "html": lambda model, path: model.to_html(path),
    "csv": lambda model, path: model.threads().to_csv(path),
    "json": lambda model, path: model.threads().to_json(path),
    "parquet": lambda model, path: model.threads().to_parquet(path),
    "dot": lambda model, path: model.export(path, "dot"),
    "perfetto": lambda model, path: model.export(path, "perfetto"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_written_of_a_run_is_its_owners_alone(
    trace: Path, tmp_path: Path, name: str
) -> None:
    model = threadmodel.open(trace)
    path = tmp_path / f"run.{name}"
    before = os.umask(0)
    try:
        WRITERS[name](model, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_size > 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "-o", "run.html"),
        ("report", "-o", "run.md"),
        ("report", "-o", "run.txt"),
        ("export", "-o", "run.json"),
    ],
    ids=" ".join,
)
def test_the_files_of_a_command_are_their_owners_alone(
    trace: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    verb, *rest = arguments
    command = [sys.executable, "-m", "threadmodel", verb, trace, *rest]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(command, cwd=tmp_path, env=environment, umask=0, check=True)
    assert stat.S_IMODE((tmp_path / rest[-1]).stat().st_mode) == 0o600
