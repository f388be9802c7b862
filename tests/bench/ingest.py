# SPDX-License-Identifier: Apache-2.0
"""Instructions an event that a model takes to ingest: `./dev bench ingest`.

Counted by callgrind and not timed, so that a busy machine counts the same, and beside
those of an older commit: by default the one before locks had timelines.

    ./dev bench ingest
    ./dev bench ingest --test-args '--against HEAD~1'
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "tests/bench/bench_model.c"
LAYERS = ("base", "table", "model")
BEFORE_TIMELINES = "74009099^"
STREAMS = {"mixed": 1, "enters": 2}  # and by how many events a figure is


def unpacked(commit: str, folder: Path) -> Path:
    """The library's sources of a commit."""
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", commit, "include", "libthreadmodel"],
        capture_output=True,
        check=True,
    )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return folder


def built(tree: Path, program: Path) -> Path:
    """This tree's benchmark on the model of a tree."""
    library = tree / "libthreadmodel"
    sources = [
        str(source)
        for layer in LAYERS
        for source in sorted((library / layer).rglob("*.c"))
    ]
    has_sizes = re.search(
        r"struct tm_class \{\s*size_t size;",
        (tree / "include/threadmodel/definition.h").read_text(),
    )
    subprocess.run(
        ["cc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-g", "-w"]
        + ([] if has_sizes else ["-DBENCH_WITHOUT_SIZES"])
        + [f"-I{tree / 'include'}", f"-I{library}", f"-I{ROOT / 'build/include'}"]
        + [str(BENCH), *sources, "-o", str(program)],
        check=True,
    )
    return program


def instructions(program: Path, stream: str) -> float:
    """What one event takes."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        + ["--toggle-collect=tm_model_ingest", str(program), "--count", stream],
        capture_output=True,
        text=True,
        check=True,
    )
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if collected is None:
        raise RuntimeError(done.stderr)
    return int(collected[1]) / int(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", default=BEFORE_TIMELINES, metavar="COMMIT")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = built(unpacked(options.against, folder), folder / "before")
        now = built(ROOT, folder / "now")
        for stream, events in STREAMS.items():
            old = instructions(before, stream) * events
            new = instructions(now, stream) * events
            what = "an event" if events == 1 else "an enter and an entered"
            print(
                f"{stream:8} {what:24} {old:7.0f} instructions in {options.against},"
                f" {new:7.0f} now: {new / old - 1:+.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
