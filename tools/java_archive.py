# SPDX-License-Identifier: Apache-2.0
"""The jar for Java people, by Maven, with the libraries of each processor; see dist.py.

The libraries of a manylinux wheel load with musl as well, so there is one for each
processor: the agent is that of the wheel, and beside it lies what reads recordings.
"""

import os
import shutil
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import wheels
from source_archive import Run

PROCESSORS = ("x86_64", "aarch64")
TARGETS = (
    "agent/jvm/libthreadmodel-agent.so",
    "bindings/java/libthreadmodel-java.so",
)
LIBRARIES = tuple(Path(target).name for target in TARGETS)


def build(
    tree: Path, work: Path, dist: Path, run: Run, processors: Sequence[str] = PROCESSORS
) -> list[Path]:
    """Build and test the jar, with what the wheels for glibc have inside."""
    native = work / "java-native"
    shutil.rmtree(native, ignore_errors=True)
    for processor in processors:
        folder = native / f"linux-{processor}"
        folder.mkdir(parents=True)
        platform = f"manylinux_2_28_{processor}"
        for library in wheels.libraries(platform, tree, work, run, *TARGETS):
            shutil.copy(library, folder)
    version = tree.name.removeprefix("threadmodel-")
    date = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    pom = tree / "bindings/java/pom.xml"
    run(
        *("mvn", "--batch-mode", "--no-transfer-progress", "--file", pom),
        *("package", f"-Drevision={version}", f"-Dnative={native}"),
        f"-Dproject.build.outputTimestamp={date:%Y-%m-%dT%H:%M:%SZ}",
    )
    made = []
    for suffix in ("", "-sources"):
        path = pom.parent / f"target/threadmodel-agent-{version}{suffix}.jar"
        made.append(Path(shutil.copy(path, dist / path.name)))
    with zipfile.ZipFile(made[0]) as jar:
        packed = {name for name in jar.namelist() if name.endswith(".so")}
    wanted = {
        f"io/github/threadmodel/linux-{processor}/{library}"
        for processor in processors
        for library in LIBRARIES
    }
    if packed != wanted:
        raise SystemExit(f"dev: the jar has {sorted(packed)}, not {sorted(wanted)}")
    made.append(dist / f"threadmodel-agent-{version}.pom")
    made[-1].write_text(pom.read_text().replace("${revision}", version))
    return made
