# SPDX-License-Identifier: Apache-2.0
"""Build what a release publishes, into dist/; called by `./dev dist`.

First the source archive, then everything else from that: a wheel for each platform,
the library as one C file, Debian's packages, and the jar. Times in archives are that of
the commit, so that the same commit gives the same bytes.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import debian_packages
import java_archive
import source_archive
import wheels

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build-dist"
WRAP = """\
[wrap-file]
directory = {name}
source_filename = {name}.tar.gz
source_hash = {digest}
{url}
[provide]
threadmodel = threadmodel_dep
"""


def run(*command: str | Path, **variables: str) -> str:
    """Run a command for what it says; show that and end when it fails."""
    done = subprocess.run(
        [str(it) for it in command],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\ndev: failed: {' '.join(map(str, command))}")
    return done.stdout


def version() -> str:
    """Return the release that the header names."""
    text = (ROOT / "include/threadmodel/version.h").read_text()
    return ".".join(re.findall(r"define TM_VERSION_\w+ (\d+)", text))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def source(tree: Path, date: str) -> list[Path]:
    """Build the source archive, and the file by which Meson fetches it."""
    source_archive.export(ROOT, tree)
    source_archive.complete(tree, WORK / "native", run, date)
    archive = DIST / f"{tree.name}.tar.gz"
    source_archive.pack(tree, archive, int(date))
    # Without an address, Meson takes it from subprojects/packagefiles.
    url = os.environ.get("RELEASE_URL", "")
    url = f"source_url = {url}/{archive.name}\n" if url else ""
    wrap = DIST / "threadmodel.wrap"
    wrap.write_text(WRAP.format(name=tree.name, digest=digest(archive), url=url))
    return [archive, wrap]


def amalgamation(tree: Path, date: str) -> list[Path]:
    """Pack the library as one C file."""
    folder = WORK / "amalgamation"
    run(sys.executable, tree / "tools/amalgamate.py", folder)
    moment = time.gmtime(int(date))[:6]
    path = DIST / f"{tree.name}-amalgamation.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        files = [folder / "threadmodel.c", folder / "threadmodel.h", tree / "LICENSE"]
        for file in files:
            name = f"{path.stem}/{file.name}"
            member = zipfile.ZipInfo(name, moment)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, file.read_bytes())
    return [path]


def main() -> None:
    """Build all that was asked for."""
    parser = argparse.ArgumentParser(prog="./dev dist", description=__doc__)
    tags = [platform.tag for platform in wheels.PLATFORMS]
    every = ["source", "amalgamation", *tags, "java", "debian"]
    parser.add_argument("what", nargs="*", metavar="WHAT", help=", ".join(every))
    parser.add_argument("--list", action="store_true", help="print the names alone")
    parser.add_argument(
        "--processor",
        choices=java_archive.PROCESSORS,
        help="build a jar that has the libraries of this one alone: no release",
    )
    options = parser.parse_args()
    if unknown := set(options.what) - set(every):
        parser.error(f"unknown file {min(unknown)!r}; known: {' '.join(every)}")
    if options.list:
        print("\n".join(every))
        return
    wanted = options.what or every
    processors = [options.processor] if options.processor else java_archive.PROCESSORS
    date = run("git", "log", "-1", "--format=%ct").strip()
    os.environ["SOURCE_DATE_EPOCH"] = date
    os.environ["ZIG_GLOBAL_CACHE_DIR"] = str(WORK / "zig")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if run("git", "status", "--porcelain", "--untracked-files=no"):
        print("dev: what no commit has is not built", file=sys.stderr)
    os.umask(0o022)
    WORK.mkdir(exist_ok=True)
    DIST.mkdir(exist_ok=True)
    tree = WORK / f"threadmodel-{version()}"
    for what in every:
        if what != "source" and what not in wanted:
            continue
        print(f"dev: building {what}", file=sys.stderr, flush=True)
        if what == "source":
            made = source(tree, date)
        elif what == "amalgamation":
            made = amalgamation(tree, date)
        elif what == "java":
            made = java_archive.build(tree, WORK, DIST, run, processors)
        elif what == "debian":
            made = debian_packages.build(tree, WORK, DIST, run)
        else:
            # A package of the environment that `./dev dist` makes.
            import sbom

            wheel = wheels.build(what, tree, WORK, DIST, run)
            made = [wheel, sbom.write(wheel, version())]
        for path in made:
            print(f"{digest(path)}  {path.relative_to(ROOT)}", flush=True)


if __name__ == "__main__":
    main()
