# SPDX-License-Identifier: Apache-2.0
"""Other programs change the agent's files while it records: the program runs on, only
the content of the file is lost, and one line says what happened."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import threadmodel
from conftest import TIMEOUT_S, Java

pytestmark = pytest.mark.every_release
RINGERS = 4
CUT = "was cut by another program"
REMOVED = "was removed by another program"


def cut_to(share: float) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, int(path.stat().st_size * share) & ~0xFFF)


def cut_and_fill(path: Path) -> None:
    """Do as `cp other run.tmt.rings`: keep the file and replace its content."""
    length = path.stat().st_size
    path.write_bytes(b"\xa5" * length)


def scribble(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\xa5" * path.stat().st_size)


def meddle(
    java: Java, suffix: str, change: Callable[[Path], None]
) -> tuple[Path, dict[str, int], list[str]]:
    """Record the program, and change a file once it rings.
    @return the trace, the number of rings of each thread, and stderr"""
    trace = java.folder / "run.tmt"
    with subprocess.Popen(
        java.command("Mapped", java.folder / "own", agent=f"file={trace}"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=java.folder,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ringing\n"
        change(java.folder / f"run.tmt{suffix}")
        process.stdin.write("\n")
        process.stdin.flush()
        # The VM itself reports to the program that a file it had mapped was cut.
        assert process.stdout.readline() == "mapped: cut\n"
        time.sleep(0.3)
        out, errors = process.communicate("\n", timeout=TIMEOUT_S)
    assert process.returncode == 0, errors
    said = dict(line.split("=") for line in out.splitlines() if line.startswith("ring"))
    return trace, {name: int(count) for name, count in said.items()}, errors.split("\n")


def rung(trace: Path) -> dict[str, int]:
    model = threadmodel.open(trace)
    assert model.damage is None
    names = [
        row["from_thread"] for row in model.interactions() if "notify" in row["kind"]
    ]
    return {f"ringer-{i}": names.count(f"ringer-{i}") for i in range(RINGERS)}


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        pytest.param(cut_to(0), CUT, id="all-of-it-cut"),
        pytest.param(cut_to(0.01), CUT, id="cut-in-a-ring"),
        pytest.param(Path.unlink, REMOVED, id="removed"),
        pytest.param(cut_and_fill, None, id="cut-and-filled"),
        pytest.param(scribble, None, id="written-to"),
    ],
)
def test_whatever_becomes_of_the_rings_the_recording_is_whole(
    java: Java, change: Callable[[Path], None], reported: str | None
):
    trace, counts, errors = meddle(java, ".rings", change)
    assert rung(trace) == counts
    lines = [line for line in errors if line]
    if reported:
        (line,) = lines
        assert line.startswith(f"threadmodel: {trace}.rings {reported}; ")
        assert line.endswith("the events in the threads' buffers are lost")
    else:
        # Events may have been stored to the pages while they were missing.
        assert all(CUT in line for line in lines)
        assert len(lines) <= 1


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        pytest.param(cut_to(0), "another program truncated it", id="cut"),
        pytest.param(Path.unlink, "another program removed it", id="removed"),
    ],
)
def test_a_trace_that_others_remove_ends_the_recording_and_not_the_program(
    java: Java, change: Callable[[Path], None], reported: str
):
    trace, _, errors = meddle(java, "", change)
    (line,) = (line for line in errors if line)
    assert line == (
        f"threadmodel: {trace}: {reported}; from here on the program is not recorded"
    )
    # Rings without a trace are of no use.
    assert trace.exists() == trace.with_name("run.tmt.rings").exists()


# Ends a process that opens a library while it iterates over the open ones: that list is
# locked then, and a thread that loads a library acquires the lock in another order.
INNER_OPEN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
static __thread int is_listing;
int dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *data)
{
    int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *) =
        dlsym(RTLD_NEXT, "dl_iterate_phdr");
    is_listing++;
    int rc = real(each, data);
    is_listing--;
    return rc;
}
void *dlopen(const char *name, int flags)
{
    void *(*real)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
    if (is_listing)
        _exit(99);
    return real(name, flags);
}
"""


def test_no_library_is_opened_while_libraries_are_listed(
    java: Java, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A program that loads a library as recording ends would hang."""
    shim = tmp_path / "shim.so"
    command = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(shim), "-ldl"]
    subprocess.run(command, input=INNER_OPEN, text=True, check=True)
    monkeypatch.setenv("LD_PRELOAD", str(shim))
    _, counts, _ = meddle(java, "", Path.unlink)
    assert all(counts.values())
