# SPDX-License-Identifier: Apache-2.0
"""Other people's jars, fetched once by Maven, which checks their checksums."""

import shutil
import subprocess
from pathlib import Path

from jdks import ROOT

# What Maven put there is what the file named when its copy was written there.
JARS = ROOT / "build/real"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"


class NotFetchedError(Exception):
    """The jars are not there; the text says why."""


def fetch(pom: Path) -> Path:
    """The folder of the jars that the file names.

    Raises:
        NotFetchedError: Maven is not installed, or fetched nothing
    """
    jars = JARS / pom.stem
    stamp = jars / "pom.xml"
    if stamp.exists() and stamp.read_bytes() == pom.read_bytes():
        return jars
    if shutil.which("mvn") is None:
        raise NotFetchedError(
            "Maven is not installed (Debian: maven), and fetches the programs"
        )
    shutil.rmtree(jars, ignore_errors=True)
    command = ["mvn", "-B", "-q", "-C", "-f", str(pom), COPY]
    done = subprocess.run(
        [*command, f"-DoutputDirectory={jars}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = [line for line in done.stdout.splitlines() if "ERROR" in line]
        raise NotFetchedError(
            f"Maven fetched nothing: {said[0] if said else done.returncode}"
        )
    shutil.copyfile(pom, stamp)
    return jars
