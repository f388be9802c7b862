# SPDX-License-Identifier: Apache-2.0
"""The commands of the README, in an empty Debian 12 with git and python3.

They use the commit that is checked out, in a clone. The root of that system is in
build-fresh, and is made anew each time.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = ROOT / "build-fresh/root"
PLATFORM = f"manylinux_2_28_{os.uname().machine}"
INSTALL = f"""
set -eux
python3 -m venv /tm
. /tm/bin/activate
pip install --quiet /src/dist/threadmodel-*{PLATFORM}.whl
cd /tmp
javac -d . /src/docs/examples/demo/Demo.java
mv /src /away
threadmodel record -o run.tmt -- java -cp . Demo
threadmodel report run.tmt
threadmodel report run.tmt -o run.html
test -s run.html
mv /away /src
"""
# In a tree that nothing was built in, these corrupted the build.
AT_ONCE = """
./dev run --version >one & ./dev run --version >other
wait $! && cat one other
"""


def remove() -> None:
    """Remove what an earlier run left, but nothing that is mounted there."""
    for name in ("proc", "dev"):
        assert not (SYSTEM / name).is_mount()
    shutil.rmtree(SYSTEM, ignore_errors=True)


@pytest.fixture(scope="module")
def system() -> Iterator[Path]:
    """The root of a Debian 12, with a clone of this tree in /src."""
    if os.geteuid() != 0:
        pytest.skip("only root may change the root folder: sudo ./dev check fresh")
    SYSTEM.parent.mkdir(exist_ok=True)
    remove()
    yield SYSTEM
    remove()


def run(system: Path, *command: str) -> str:
    """Run a command there; its output, and this test's as well where it fails."""
    done = subprocess.run(
        [ROOT / "tools/in_debian", system, "bookworm", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:]
    return done.stdout


def test_two_calls_at_once_in_a_new_clone_both_work(system: Path) -> None:
    said = run(system, "bash", "-c", AT_ONCE)
    assert len([it for it in said.splitlines() if it.startswith("threadmodel")]) == 2


def test_the_demo_is_built_recorded_and_reported(system: Path) -> None:
    assert "Deadlocked since" in run(system, "./dev", "demo")


def test_a_wheel_is_built_and_installed_and_records(system: Path) -> None:
    assert f"{PLATFORM}.whl" in run(system, "./dev", "dist", PLATFORM, "java")
    assert "Deadlocked since" in run(system, "bash", "-c", INSTALL)
