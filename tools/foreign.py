# SPDX-License-Identifier: Apache-2.0
"""The libraries that a wheel has inside, from Debian's sources, as static archives.

Debian's own archives need the C library that they were built with. Those that other
machines have in tools/portable.py are made in the same way. Sources come from
the pool of the archive that this machine's apt has, with Debian's patches; each is
pinned by its hash, so that a release can be built again. The archive's index is not
asked: it names the newest version alone, and the pool keeps those before for a while.
"""

import os
import re
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

APT_HELPER = "/usr/lib/apt/apt-helper"
UTHASH = Path("/usr/include/uthash.h")


@dataclass(frozen=True)
class Library:
    """How to build one.

    Attributes:
        name: as pkg-config and the linker have it, without `lib`
        package: Debian's source package
        version: of the package
        sha256: of the package's .dsc, which has the hashes of all its files
        licence: its SPDX name
        sources: what to compile, as patterns from the folder of the package
        headers: what to install, as pairs of a pattern and a folder of include/
        flags: for the compiler
    """

    name: str
    package: str
    version: str
    sha256: str
    licence: str
    sources: tuple[str, ...]
    headers: tuple[tuple[str, str], ...]
    flags: tuple[str, ...] = ()

    @property
    def upstream(self) -> str:
        """The version that its authors gave it."""
        return self.version.rsplit("-", 1)[0].split("+")[0]

    @property
    def pool(self) -> str:
        """Where Debian's pool has it: by its first letter, or by `lib` and the next."""
        return self.package[: 4 if self.package.startswith("lib") else 1]

    @property
    def folder(self) -> str:
        """Where apt unpacks the sources."""
        return f"{self.package}-{self.version.rsplit('-', 1)[0]}"


LIBRARIES = (
    Library(
        name="zstd",
        package="libzstd",
        version="1.5.7+dfsg-1",
        sha256="8f6ab97fa772d921334e50fa5756a0951e23c718dc913e43a228f28c1a23adf9",
        licence="BSD-3-Clause",
        sources=("lib/common/*.c", "lib/compress/*.c", "lib/decompress/*.c"),
        headers=(("lib/*.h", ""),),
        flags=(
            "-DZSTD_DISABLE_ASM=1",
            "-DZSTDLIB_VISIBLE=",
            "-DZSTDERRORLIB_VISIBLE=",
        ),
    ),
    Library(
        name="expat",
        package="expat",
        version="2.8.3-1~deb13u1",
        sha256="d17f15fe413a553c72185d2d00448b87db72354e0d8fa6099ad19ee19e7117af",
        licence="MIT",
        sources=(
            "expat/lib/xml*.c",
            "expat/lib/random_dev_urandom.c",
            "expat/lib/random_getrandom.c",
        ),
        headers=(("expat/lib/expat*.h", ""),),
        flags=(
            "-DBYTEORDER=__BYTE_ORDER__",
            "-DXML_CONTEXT_BYTES=1024",
            "-DXML_DTD=1",
            "-DXML_GE=1",
            "-DXML_NS=1",
            "-DHAVE_SYSCALL_GETRANDOM=1",
            "-DXML_DEV_URANDOM=1",
        ),
    ),
    Library(
        name="yajl",
        package="yajl",
        version="2.1.0-3+deb12u2",
        sha256="38420d432584960203b37e108bcf39a5b6f0f2c96620af51e358ad2ce2e8746b",
        licence="ISC",
        sources=("src/*.c",),
        headers=(("src/api/*.h", "yajl"),),
    ),
)
YAJL_VERSION = """\
#include <yajl/yajl_common.h>
#define YAJL_MAJOR 2
#define YAJL_MINOR 1
#define YAJL_MICRO 0
#define YAJL_VERSION ((YAJL_MAJOR * 10000) + (YAJL_MINOR * 100) + YAJL_MICRO)
extern int YAJL_API yajl_version(void);
"""


def fetch(folder: Path) -> None:
    """Have the sources of every library unpacked in a folder."""
    if all((folder / library.folder).is_dir() for library in LIBRARIES):
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    mirror = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.split()[0]
    for library in LIBRARIES:
        pool = f"{mirror}pool/main/{library.pool}/{library.package}"
        description = folder / f"{library.package}_{library.version}.dsc"
        _download(pool, description, library.sha256)
        sums = description.read_text().partition("Checksums-Sha256:")[2]
        for sha256, name in re.findall(r"^ ([0-9a-f]{64}) \d+ (\S+)$", sums, re.M):
            _download(pool, folder / Path(name).name, sha256)
        unpack = ["dpkg-source", "--extract", "--require-strong-checksums"]
        subprocess.run(
            [*unpack, description.name],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )


def _download(pool: str, path: Path, sha256: str) -> None:
    """Fetch a file as apt does, and end unless it has this hash."""
    address = f"{pool}/{urllib.parse.quote(path.name)}"
    done = subprocess.run(
        [APT_HELPER, "-qq", "download-file", address, path, f"SHA256:{sha256}"],
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        sys.exit(f"dev: {path.name} is not to be had: pin another in tools/foreign.py")


def uthash_version() -> str:
    """Return the version of the headers that this machine has."""
    found = re.search(r"define UTHASH_VERSION (\S+)", UTHASH.read_text())
    return found[1] if found else "unknown"


def build(
    compiler: Sequence[str], archiver: Sequence[str], sources: Path, prefix: Path
) -> None:
    """Compile all with a command and its flags, into a prefix for pkg-config."""
    stamp = prefix / "stamp"
    wanted = repr((LIBRARIES, tuple(compiler)))
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    shutil.rmtree(prefix, ignore_errors=True)
    for name in ("include/yajl", "lib/pkgconfig", "objects"):
        (prefix / name).mkdir(parents=True)
    (prefix / "include/expat_config.h").touch()
    (prefix / "include/yajl/yajl_version.h").write_text(YAJL_VERSION)
    shutil.copy(UTHASH, prefix / "include")
    for library in LIBRARIES:
        folder = sources / library.folder
        for pattern, place in library.headers:
            for header in folder.glob(pattern):
                shutil.copy(header, prefix / "include" / place)
        _archive(library, compiler, archiver, folder, prefix)
        # pkg-config splits what has a blank.
        quoted = str(prefix).replace(" ", "\\ ")
        (prefix / f"lib/pkgconfig/{_module(library)}.pc").write_text(
            f"Name: {library.name}\nDescription: {library.name}\n"
            f"Version: {library.upstream}\n"
            f"Cflags: -I{quoted}/include\nLibs: -L{quoted}/lib -l{library.name}\n"
        )
    stamp.write_text(wanted)


def _module(library: Library) -> str:
    return "libzstd" if library.name == "zstd" else library.name


def _archive(
    library: Library,
    compiler: Sequence[str],
    archiver: Sequence[str],
    folder: Path,
    prefix: Path,
) -> None:
    command = [*compiler, "-O2", "-fPIC", "-fvisibility=hidden"]
    command += [*library.flags, f"-I{prefix}/include", f"-ffile-prefix-map={folder}="]

    def compiled(source: Path) -> str:
        target = str(prefix / "objects" / f"{source.stem}.o")
        subprocess.run([*command, "-c", str(source), "-o", target], check=True)
        return target

    found = [it for pattern in library.sources for it in sorted(folder.glob(pattern))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, found))
    archive = str(prefix / f"lib/lib{library.name}.a")
    subprocess.run([*archiver, "rcsD", archive, *objects], check=True)
