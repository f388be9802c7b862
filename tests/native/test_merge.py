# SPDX-License-Identifier: Apache-2.0
"""One process with both producers, which docs/examples/merge_two.c merges."""

import subprocess
from pathlib import Path

import pytest
from recording import PROGRAMS, ROOT, SECONDS, record

from jdks import AGENT, JDKS, Jdk

SOURCES = Path(__file__).parent / "programs"
EXAMPLE = ROOT / "docs/examples/merge_two.c"
LIBRARY = ROOT / "build/libthreadmodel"

pytestmark = pytest.mark.skipif(
    not (PROGRAMS / "native_contended").exists() or not AGENT.exists(),
    reason="not both recorders are built",
)


def merged(folder: Path, *traces: Path) -> list[str]:
    """What the example prints about these."""
    program = folder / "merge_two"
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command += [f"-I{ROOT}/include", f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}"]
    subprocess.run([*command, EXAMPLE, "-lthreadmodel", "-o", program], check=True)
    answer = subprocess.check_output([program, *traces], text=True, timeout=SECONDS)
    return answer.splitlines()


@pytest.mark.parametrize("jdk", JDKS, ids=lambda jdk: f"jdk{jdk.release}")
def test_a_monitor_and_a_mutex_are_one_deadlock(jdk: Jdk, tmp_path: Path) -> None:
    java, native = tmp_path / "java.tmt", tmp_path / "native.tmt"
    shared = tmp_path / "libmixed.so"
    headers = [f"-I{jdk.home}/include", f"-I{jdk.home}/include/linux"]
    compile_c = ["gcc", "-D_GNU_SOURCE", "-O1", "-g", "-shared", "-fPIC", *headers]
    subprocess.run([*compile_c, SOURCES / "mixed.c", "-o", shared], check=True)
    compile_java = [jdk.tool("javac"), "-d", tmp_path, SOURCES / "Mixed.java"]
    subprocess.run(compile_java, check=True)
    agent = f"-agentpath:{AGENT}=file={java}"
    command = [jdk.tool("java"), agent, "-cp", tmp_path, "Mixed", shared]
    done = record(native, *map(str, command))
    assert (done.returncode, done.stdout) == (0, "stuck\n")
    wants = [
        "writer waits for a java.lang.Object, which reader holds",
        "reader waits for a mutex table_lock, which writer holds",
    ]
    assert sorted(merged(tmp_path, java, native)) == sorted(wants)
