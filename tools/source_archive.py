# SPDX-License-Identifier: Apache-2.0
"""The sources of a release as one archive, from which everything else is built.

It contains the files of the commit, and those that are the same on every platform but
take more than a compiler to build: the bundled front end, man pages and completions.
So a build from it needs neither Node.js nor a network.
"""

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

WEB = "bindings/python/threadmodel/web"
SHARE = "bindings/python/share"
Run = Callable[..., str]


def export(root: Path, tree: Path) -> None:
    """Write the commit's files into a folder, which is made anew."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    packed = subprocess.run(
        ["git", "-C", str(root), "archive", "HEAD"], stdout=subprocess.PIPE, check=True
    ).stdout
    # Not by the module tarfile: its filters are newer than the Python of Debian 12.
    subprocess.run(["tar", "-x", "-C", str(tree)], input=packed, check=True)


def complete(tree: Path, native: Path, run: Run, date: str) -> None:
    """Build for this machine, and add what every platform has alike."""
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    # It only prints its help and its options, so it need not be fast.
    options = ["-Doptimization=0", "-Ddebug=false", "-Dtests=false"]
    options += ["-Dagent=enabled", "-Dreport=enabled", "-Dnative=disabled"]
    if not (native / "build.ninja").is_file():
        run(*meson, "setup", native, tree, "-Dpython=enabled", *options)
    run(*meson, "compile", "-C", native)
    package = native / "bindings/python/threadmodel"
    for name in ("report.js", "report.css", "widget.js", "licences.json"):
        shutil.copy(package / "web" / name, tree / WEB)
    shutil.rmtree(tree / "bindings/python/report/node_modules", ignore_errors=True)
    java = Path(os.environ["JAVA_HOME"]) / "bin/java"
    run(
        *(sys.executable, tree / "tools/manual_pages.py"),
        *(package / "libthreadmodel-agent.so", java, tree / SHARE, date),
        PYTHONPATH=str(package.parent),
    )


def pack(tree: Path, archive: Path, date: int) -> None:
    """Pack a folder, the same bytes for the same files."""
    text = io.BytesIO()
    with tarfile.open(fileobj=text, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(tree.rglob("*")):
            name = f"{tree.name}/{path.relative_to(tree)}"
            member = tar.gettarinfo(str(path), name)
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.mtime = date
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    tar.addfile(member, file)
            else:
                tar.addfile(member)
    archive.write_bytes(gzip.compress(text.getvalue(), mtime=date))
