# SPDX-License-Identifier: Apache-2.0
"""Files in folders that others can write to, too."""

import os
import stat
from pathlib import Path

import pytest

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
    with pytest.raises(OSError, match="no regular file"):
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
