# SPDX-License-Identifier: Apache-2.0
"""Packed files and archives of every format read like their content."""

import gzip
import io
import lzma
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from test_dump_forms import lines

CORPUS = Path(__file__).parents[1] / "fuzz/corpus"
# Formats whose readers need random access to the file.
FILES = {"jfr": CORPUS / "jfr/recording", "hprof": CORPUS / "hprof/jdk17-heap"}


def tarred(files: dict[str, bytes], kind: int = tarfile.PAX_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=kind) as archive:
        folder = tarfile.TarInfo("dumps")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, body in files.items():
            about = tarfile.TarInfo("dumps/" + name)
            about.size = len(body)
            about.mtime = 1.5 if kind == tarfile.PAX_FORMAT else 1
            archive.addfile(about, io.BytesIO(body))
    return packed.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return packed.getvalue()


def streamed(files: dict[str, bytes]) -> bytes:
    """Pack as macOS does, with the sizes after each file."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: Any) -> int:
            raise io.UnsupportedOperation

        def tell(self) -> int:
            raise io.UnsupportedOperation

    packed = Pipe()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return packed.getvalue()


def everything(path: Path) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = threadmodel.open(path)
    tables = [model.timeline(), model.threads(), model.findings(), model.verdict()]
    rows = [[dict(row) for row in table] for table in tables]
    # The path of the file in a finding is not part of the content.
    return [model.event_count, model.length_ns, model.caveats, rows]


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zip": lambda body: zipped({"it": body}),
    "tar": lambda body: tarred({"it": body}),
    "tar.gz": lambda body: gzip.compress(tarred({"it": body}, tarfile.GNU_FORMAT)),
    "zip of gzip": lambda body: zipped({"it": gzip.compress(body)}),
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("kind", FILES)
def test_a_packed_file_reads_as_itself(kind: str, packing: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(FILES[kind].read_bytes())
    packed.write_bytes(PACKINGS[packing](plain.read_bytes()))
    assert everything(packed) == everything(plain)


def test_a_recording_that_was_packed_and_cut_is_read_as_far_as_it_goes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cut.gz"
    whole = gzip.compress(FILES["jfr"].read_bytes() * 2)
    path.write_bytes(whole[: len(whole) - 40])
    with pytest.warns(threadmodel.DamagedTraceWarning, match="not a chunk"):
        model = threadmodel.open(path)
    assert model.event_count > 0


@pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar"])
def test_recordings_of_an_archive_are_read_as_one(
    pack: Callable[[dict[str, bytes]], bytes], tmp_path: Path
) -> None:
    one = FILES["jfr"].read_bytes()
    # The same chunk, a minute later.
    start = struct.unpack(">q", one[32:40])[0]
    two = one[:32] + struct.pack(">q", start + 60_000_000_000) + one[40:]
    joined, archive = tmp_path / "joined", tmp_path / "archive"
    joined.write_bytes(two + one)
    archive.write_bytes(pack({"2.jfr": two, "1.jfr": one}))
    assert everything(archive) == everything(joined)


@pytest.mark.parametrize("pack", [zipped, streamed, tarred])
def test_what_macos_puts_into_an_archive_is_left_out(
    pack: Callable[[dict[str, bytes]], bytes], tmp_path: Path
) -> None:
    dump = "\n".join(lines("jdk11-l.txt")).encode()
    double = b"\0\5\x16\7\0\2\0\0Mac OS X        " + bytes(100)
    path, plain = tmp_path / "dumps", tmp_path / "plain"
    plain.write_bytes(dump)
    path.write_bytes(
        pack(
            {
                "._threads": double,
                "__MACOSX/._threads": double,
                ".DS_Store": bytes(6148),
                "threads/._1.txt": double,
                "empty": b"",
                "threads/1.txt": dump,
            }
        )
    )
    assert everything(path) == everything(plain)


def test_a_damaged_tar_is_read_up_to_the_damage(tmp_path: Path) -> None:
    dump = "\n".join(lines("jdk11-l.txt")).encode()
    whole = bytearray(tarred({"1.txt": dump, "2.txt": dump}, tarfile.USTAR_FORMAT))
    second = whole.rindex(b"dumps/2.txt")
    whole[second + 150] ^= 1
    path, plain = tmp_path / "damaged.tar", tmp_path / "1.txt"
    path.write_bytes(whole)
    plain.write_bytes(dump)
    with pytest.warns(threadmodel.DamagedTraceWarning, match="tar: no head of a file"):
        model = threadmodel.open(path)
    assert model.length_ns == 0
    assert len(model.threads()) == len(threadmodel.open(plain).threads())
