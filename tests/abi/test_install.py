# SPDX-License-Identifier: Apache-2.0
"""The library as an embedder meets it: installed, found by pkg-config, linked, run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from describe.headers import PUBLIC, ROOT

EXAMPLE = ROOT / "docs" / "examples" / "embed.c"
ANSWER = ROOT / "docs" / "examples" / "embed.txt"


@pytest.fixture(scope="module")
def installed(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("install")
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    options = ["-C", build, "--no-rebuild", "--quiet", "--tags", "devel,runtime"]
    subprocess.run([*meson, "install", *options, "--destdir", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def library(installed: Path) -> Path:
    return next(installed.rglob("libthreadmodel.so")).parent


def pkg_config(installed: Path, *arguments: str) -> list[str]:
    file = next(installed.rglob("threadmodel.pc"))
    # The system's own directories, for zstd, come after.
    variables = {"PKG_CONFIG_PATH": str(file.parent)}
    text = subprocess.check_output(
        ["pkg-config", f"--define-variable=prefix={prefix_in(installed)}", *arguments]
        + ["threadmodel"],
        env={**os.environ, **variables},
        text=True,
    )
    return text.split()


def prefix_in(installed: Path) -> Path:
    return next(installed.rglob("include/threadmodel")).parent.parent


def test_headers_are_installed(installed: Path) -> None:
    folder = prefix_in(installed) / "include" / "threadmodel"
    assert sorted(path.name for path in folder.iterdir()) == [p.name for p in PUBLIC]


def test_pkg_config_yields_the_release(installed: Path) -> None:
    version = (ROOT / "include/threadmodel/version.h").read_text()
    numbers = [
        line.split()[2] for line in version.splitlines() if "TM_VERSION_" in line
    ]
    assert pkg_config(installed, "--modversion") == [".".join(numbers)]


@pytest.mark.parametrize("linking", ["shared", "static"])
def test_an_embedder_compiles_links_and_runs(
    installed: Path, library: Path, tmp_path: Path, linking: str
) -> None:
    program = tmp_path / "embed"
    flags = pkg_config(installed, "--cflags")
    if linking == "shared":
        libraries = pkg_config(installed, "--libs")
    else:
        # Ours alone: Debian calls the static library of yajl by another name.
        libraries = [
            "-l:libthreadmodel.a" if flag == "-lthreadmodel" else flag
            for flag in pkg_config(installed, "--libs", "--static")
        ]
    compiler = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run([*compiler, *flags, EXAMPLE, "-o", program, *libraries], check=True)
    needed = subprocess.check_output(["readelf", "--dynamic", program], text=True)
    assert ("libthreadmodel.so.0" in needed) == (linking == "shared")
    answer = subprocess.check_output(
        [program], env={**os.environ, "LD_LIBRARY_PATH": str(library)}, text=True
    )
    assert answer == ANSWER.read_text()
