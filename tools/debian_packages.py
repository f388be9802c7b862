# SPDX-License-Identifier: Apache-2.0
"""Debian's packages, from the source archive and packaging/debian; see dist.py."""

import json
import os
import shutil
import sys
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from source_archive import WEB, Run

# A package is built with Debian's own programs, but for Meson: Debian 12 has 1.0.
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
NEWER = ("meson", "ninja")
MAINTAINER = "threadmodel maintainers <threadmodel@packages.debian.org>"
CHANGELOG = """\
threadmodel ({version}-1) unstable; urgency=medium

  * Release {version}. Its changes are in threadmodel-agent's changelog.gz.

 -- {maintainer}  {date}
"""


def copyright_text(tree: Path) -> str:
    """Return the licences of all that is inside, as debian/copyright has them."""
    text = (tree / "packaging/debian/copyright").read_text()
    holders, names, texts = [], [], []
    for package in json.loads((tree / WEB / "licences.json").read_text()):
        lines = package["text"].splitlines() or ["Without a text of its own."]
        own = package["name"].strip("@").replace("/", "-")
        names.append(f"{package['license']}-{own}")
        found = [line.strip() for line in lines if line.startswith("Copyright")]
        holders.append(found[0] if found else f"the authors of {package['name']}")
        if package["license"] == "Apache-2.0":
            lines = ["On Debian: /usr/share/common-licenses/Apache-2.0"]
        texts.append(
            f"\nLicense: {names[-1]}\n"
            + "".join(f" {it.rstrip()}\n" if it.strip() else " .\n" for it in lines)
            + f"Comment: {package['name']} {package['version']}\n"
        )
    # The bundle is of all of them.
    text += (
        f"\nFiles: {WEB}/*\nCopyright: " + "\n ".join(holders) + "\n"
        f"License: {' and '.join(names)}\n" + "".join(texts)
    )
    return text


def build(tree: Path, work: Path, dist: Path, run: Run) -> list[Path]:
    """Build the packages, and end unless lintian finds nothing."""
    version = tree.name.removeprefix("threadmodel-")
    folder = work / "debian"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    source = folder / tree.name
    shutil.copytree(tree, source, symlinks=True)
    shutil.copy(
        dist / f"{tree.name}.tar.gz", folder / f"threadmodel_{version}.orig.tar.gz"
    )
    shutil.copytree(tree / "packaging/debian", source / "debian")
    date = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    (source / "debian/changelog").write_text(
        CHANGELOG.format(
            version=version, maintainer=MAINTAINER, date=format_datetime(date)
        )
    )
    (source / "debian/copyright").write_text(copyright_text(tree))
    (folder / "bin").mkdir()
    for name in NEWER:
        (folder / "bin" / name).symlink_to(Path(sys.executable).with_name(name))
    run(
        *(
            "env",
            "-C",
            source,
            "dpkg-buildpackage",
            "-us",
            "-uc",
            "--no-check-builddeps",
        ),
        PATH=f"{folder / 'bin'}:{PATH}",
        JAVA_HOME="",
    )
    (changes,) = folder.glob("*.changes")
    found = run(
        *("lintian", "--allow-root", "--no-tag-display-limit"),
        # No bug of Debian's asks for a package that is not Debian's.
        *("--suppress-tags", "initial-upload-closes-no-bugs"),
        *("--fail-on", "error,warning", changes),
        PATH=PATH,
    )
    if found:
        print(found, file=sys.stderr)
    packages = [
        path for path in sorted(folder.glob("*.deb")) if "dbgsym" not in path.name
    ]
    return [Path(shutil.copy(path, dist / path.name)) for path in packages]
