# SPDX-License-Identifier: Apache-2.0
"""Which JDKs this machine has, and the agent that they are to load."""

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

    def __str__(self) -> str:
        return f"jdk{self.release}"


def release_of(home: Path) -> int:
    """17, of a `release` file that says JAVA_VERSION="17.0.15"; 0 where it is not a
    JDK."""
    if not (home / "bin/javac").exists() or not (home / "release").exists():
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
        release = release_of(home)
        if release:
            found.setdefault(home.resolve(), Jdk(home.resolve(), release))
    return sorted(found.values(), key=lambda jdk: jdk.release)


JDKS = find_jdks()
