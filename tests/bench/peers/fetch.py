# SPDX-License-Identifier: Apache-2.0
"""Other people's programs: from registries when they are asked for, or left out."""

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "tests/real"), str(ROOT / "tests/jvm")]

import maven  # noqa: E402
from jdks import JDKS, MATRIX, Jdk  # noqa: E402
from rounds import Result  # noqa: E402

REAL = ROOT / "tests/real"
VIRTUAL_SINCE = 21
VIEWS_SINCE = 21
# One class of tests/jvm that writes as much as is wanted.
STORM = [ROOT / f"tests/jvm/programs/{name}.java" for name in ("Storm", "Truth")]


class MissingError(Exception):
    """A peer is not there; the text says which, and why."""


@dataclass(frozen=True)
class Setting:
    """What a group is measured with."""

    folder: Path
    build: Path
    rounds: int
    small: bool
    update: bool
    releases: tuple[int, ...]
    programs: tuple[str, ...] = ()
    result: Result = field(default_factory=Result)

    def size(self, whole: int, small: int) -> int:
        return small if self.small else whole

    def agent(self) -> Path:
        return self.build / "agent/jvm/libthreadmodel-agent.so"

    def bench(self, name: str) -> Path:
        return self.build / "tests/bench" / f"bench_{name}"

    def python(self) -> dict[str, str]:
        return {"PYTHONPATH": str(self.build / "bindings/python")}

    def threadmodel(self, *arguments: object) -> list[object]:
        return [sys.executable, "-m", "threadmodel", *arguments]

    def jdks(self, since: int = 0) -> list[Jdk]:
        """JDKs, and runtimes of releases that have no JDK here."""
        found = [jdk for jdk in MATRIX if jdk.release >= since]
        if self.small:
            return [jdk for jdk in found if jdk in JDKS][-1:]
        for release in self.releases:
            if release >= since and all(jdk.release != release for jdk in found):
                self.skip(f"JDK {release}: not installed")
        return [jdk for jdk in found if jdk.release in self.releases]

    def skip(self, why: str) -> None:
        if why not in self.result.skipped:
            self.result.skipped.append(why)

    def jars(self, pom: Path) -> Path:
        """The folder of a file's jars. A small run fetches nothing."""
        stamp = maven.JARS / pom.stem / "pom.xml"
        if self.small and not stamp.exists():
            raise MissingError(f"{pom.stem}: a small run fetches nothing")
        try:
            return maven.fetch(pom)
        except maven.NotFetchedError as reason:
            raise MissingError(f"{pom.stem}: {reason}") from None

    def async_profiler(self) -> Path:
        (jar,) = self.jars(HERE / "async-profiler.xml").glob("*.jar")
        machine = "arm64" if os.uname().machine == "aarch64" else "x64"
        library = self.folder / "libasyncProfiler.so"
        if not library.exists():
            with zipfile.ZipFile(jar) as archive:
                name = f"linux-{machine}/libasyncProfiler.so"
                library.write_bytes(archive.read(name))
        return library


def python_package(name: str) -> None:
    if importlib.util.find_spec(name) is None:
        raise MissingError(f"{name}: not installed (pip install {name})")


def command(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise MissingError(f"{name}: not installed (Debian: {package})")
    return found


@functools.cache
def compiled(jdk: Jdk, folder: Path, *sources: Path, jars: str = "") -> Path:
    """The folder of the classes of these sources."""
    classes = folder / f"classes-{jdk.release}-{sources[0].stem}"
    classpath = ["-cp", jars] if jars else []
    subprocess.run(
        [*jdk.compiler(), "-nowarn", "-d", classes, *classpath, *sources], check=True
    )
    return classes


def every_event(jdk: Jdk, folder: Path) -> Path:
    """The settings that JFR comes with, but blocks of any length."""
    text = (jdk.home / "lib/jfr/default.jfc").read_text()
    for name in ("JavaMonitorEnter", "JavaMonitorWait", "ThreadPark", "ThreadSleep"):
        text = re.sub(
            rf'(<event name="jdk.{name}">.*?<setting name="threshold"[^>]*>)[^<]*',
            r"\g<1>0 ns",
            text,
            flags=re.DOTALL,
        )
    file = folder / f"every-{jdk.release}.jfc"
    file.write_text(text)
    return file
