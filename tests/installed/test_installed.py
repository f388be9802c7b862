# SPDX-License-Identifier: Apache-2.0
"""A wheel and the jar of this commit, installed where nothing of the tree is, record a
program and report it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLATFORM = f"manylinux_2_28_{os.uname().machine}"
DEMO = ROOT / "docs/examples/demo/Demo.java"
TIMEOUT_S = 300


@dataclass(frozen=True)
class Place:
    """A folder apart from the tree, with the classes of the demo in it.

    Attributes:
        folder: the working directory of all commands
        jar: that of the release
    """

    folder: Path
    jar: Path

    def run(self, *command: str | Path) -> str:
        """Run a command without any variable that could lead to the tree."""
        java = Path(os.environ["JAVA_HOME"]) / "bin"
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={
                "PATH": f"{self.folder}/venv/bin:{java}:/usr/bin:/bin",
                "HOME": str(self.folder),
                "LANG": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The wheel of this platform in an environment of its own, and the jar."""
    folder = tmp_path_factory.mktemp("installed")
    dist = ROOT / "dist"
    for old in (*dist.glob(f"*{PLATFORM}.whl"), *dist.glob("*.jar")):
        old.unlink()
    command = [ROOT / "dev", "dist", PLATFORM, "java"]
    if "TM_TEST_FULL" not in os.environ:
        # Libraries that nothing here can load take minutes to compile.
        command += ["--processor", os.uname().machine]
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
    (wheel,) = dist.glob(f"*{PLATFORM}.whl")
    (jar,) = (it for it in dist.glob("*.jar") if "sources" not in it.name)
    (folder / jar.name).write_bytes(jar.read_bytes())
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [folder / "venv/bin/python", "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", wheel], cwd=folder, check=True)
    it = Place(folder, folder / jar.name)
    it.run("javac", "-d", folder, DEMO)
    return it


def test_nothing_of_the_tree_is_used(place: Place) -> None:
    code = "import threadmodel; print(threadmodel.__file__, threadmodel.agent.path())"
    for path in place.run("python", "-c", code).split():
        assert Path(path).is_relative_to(place.folder / "venv")


def test_the_wheel_records_a_jvm_and_reports_it(place: Place) -> None:
    command = "threadmodel record -o jvm.tmt -- java -cp . Demo"
    place.run(*command.split())
    assert "Deadlocked since" in place.run("threadmodel", "report", "jvm.tmt")
    place.run("threadmodel", "report", "jvm.tmt", "-o", "jvm.html")
    page = (place.folder / "jvm.html").read_text()
    assert page.rstrip().endswith("</html>")
    assert "Demo$Account" in page


def test_the_wheel_records_a_native_program_and_reports_it(place: Place) -> None:
    source = ROOT / "tests/native/programs/contended.c"
    place.run(
        "gcc", "-O1", "-g", "-pthread", "-D_GNU_SOURCE", source, "-o", "contended"
    )
    command = "threadmodel record --native -o native.tmt -- ./contended"
    place.run(*command.split())
    assert "lock_mutex" in place.run("threadmodel", "report", "--all", "native.tmt")


def test_the_agent_of_the_jar_records_and_the_wheel_reports_it(place: Place) -> None:
    option = place.run("java", "-jar", place.jar, "option", "file=jar.tmt").strip()
    place.run("java", option, "-cp", ".", "Demo")
    assert "Deadlocked since" in place.run("threadmodel", "report", "jar.tmt")
