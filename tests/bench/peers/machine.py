# SPDX-License-Identifier: Apache-2.0
"""What figures were measured on and with, and when."""

import datetime
import importlib.metadata
import os
import platform
import shutil
import subprocess
from typing import Any
from xml.etree import ElementTree

from fetch import HERE, REAL

from jdks import JDKS

POMS = (
    HERE / "async-profiler.xml",
    HERE / "jmc.xml",
    HERE / "netty.xml",
    REAL / "pom.xml",
)
MAVEN = "{http://maven.apache.org/POM/4.0.0}"
PACKAGES = ("duckdb", "pandas", "pyarrow")


def versions() -> dict[str, str]:
    """Those of all peers that are there or can be fetched."""
    found: dict[str, str] = {}
    for jdk in JDKS:
        for line in (jdk.home / "release").read_text().splitlines():
            if line.startswith("JAVA_VERSION="):
                found[f"JDK {jdk.release}"] = line.partition("=")[2].strip('"')
    for pom in POMS:
        for dependency in ElementTree.parse(pom).getroot().iter(f"{MAVEN}dependency"):
            name = dependency.findtext(f"{MAVEN}artifactId", "")
            found[name] = dependency.findtext(f"{MAVEN}version", "")
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    if shutil.which("babeltrace2"):
        said = subprocess.run(
            ["babeltrace2", "--version"], capture_output=True, text=True, check=False
        )
        found["babeltrace2"] = said.stdout.split()[1] if said.stdout else ""
    return found


def processor() -> str:
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def facts() -> dict[str, Any]:
    """What a reader must know to compare."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0)),
        "memory_gib": round(pages / (1 << 30), 1),
        "kernel": platform.release().partition("-")[0],
        "load": round(os.getloadavg()[0], 1),
        "versions": versions(),
    }


def sentence(found: dict[str, Any]) -> str:
    """The same for a page."""
    listed = ", ".join(f"{name} {text}" for name, text in found["versions"].items())
    return (
        f"Measured on {found['date']}: {found['processors']} processors "
        f"({found['processor']}), {found['memory_gib']} GiB, Linux {found['kernel']}, "
        f"load {found['load']} from other programs. {listed}."
    )
