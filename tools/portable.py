# SPDX-License-Identifier: Apache-2.0
"""The core and the readers on other machines; called by `./dev check portable`.

Each target is a compiler: of another make, for another C library, another kind of
processor or another system. The library is built with the warnings below as errors. Its
C tests then run, under qemu where the processor is another one; of Windows it is the
build alone. zstd, expat and yajl are compiled for each by tools/foreign.py, but for gcc
and Windows: there the library is built and tested without them.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import foreign

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-portable"
# What both compilers know and what finds faults. Not here: -Wsign-conversion, since
# sizes and differences of them are mixed where it is plain that none is below 0;
# -Wcast-qual, since what is freed loses its const; and -Wmissing-field-initializers,
# since what is left out of an initialiser is 0, as it should be.
WARNINGS = (
    "-Wextra",
    "-Wno-missing-field-initializers",
    "-Wpedantic",
    "-Wshadow",
    "-Wconversion",
    "-Wno-sign-conversion",
    "-Wformat=2",
    "-Wimplicit-fallthrough",
    "-Wpointer-arith",
    "-Wstrict-prototypes",
    "-Wundef",
    "-Wvla",
    "-Wwrite-strings",
)


@dataclass(frozen=True)
class Target:
    """A compiler, and how what it makes is run.

    Attributes:
        name: of its folder of build-portable/
        compiler: the command
        family: Meson's name of the processor
        system: of the operating system
        endian: which byte of a number comes first
        emulator: what runs its programs; empty: nothing does, so they are only built
        loader: what is tried before that, and is followed by the folder it is in
        is_native: its programs are this machine's own
        is_whole: with zstd, expat and yajl
        flags: for the compiler
        link_flags: for the linker
    """

    name: str
    compiler: str
    family: str = "x86_64"
    system: str = "linux"
    endian: str = "little"
    emulator: tuple[str, ...] = ()
    loader: tuple[str, ...] = ()
    is_native: bool = False
    is_whole: bool = True
    flags: tuple[str, ...] = ()
    link_flags: tuple[str, ...] = ()


TARGETS = (
    Target("gcc", "gcc", is_native=True, is_whole=False),
    # It knows no comment that says of a macro's switch that it falls through, and calls
    # an extension what C23 has.
    Target(
        "clang",
        "clang",
        is_native=True,
        flags=(
            "-Wno-implicit-fallthrough",
            "-Wno-gnu-zero-variadic-macro-arguments",
        ),
    ),
    Target("musl", "musl-gcc", is_native=True, link_flags=("-static",)),
    Target(
        "i686",
        "i686-linux-gnu-gcc",
        "x86",
        # Their own loader runs them on most kernels, with all threads and signals.
        loader=("/usr/i686-linux-gnu/lib/ld-linux.so.2", "--library-path"),
        emulator=("qemu-i386-static", "-L", "/usr/i686-linux-gnu"),
    ),
    Target(
        "aarch64",
        "aarch64-linux-gnu-gcc",
        "aarch64",
        emulator=("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"),
    ),
    Target(
        "s390x",
        "s390x-linux-gnu-gcc",
        "s390x",
        endian="big",
        emulator=("qemu-s390x-static", "-L", "/usr/s390x-linux-gnu"),
    ),
    # Its own isnan() goes by way of a float.
    Target(
        "mingw",
        "x86_64-w64-mingw32-gcc",
        system="windows",
        is_whole=False,
        flags=("-Wno-float-conversion",),
    ),
)


def listed(words: tuple[str, ...]) -> str:
    """Write words as Meson's files have a list."""
    return "[" + ", ".join(f"'{word}'" for word in words) + "]"


def missing(target: Target) -> str | None:
    """Return the command that a target needs and that is not here."""
    for command in (target.compiler, *wrapper(target)[:1]):
        if shutil.which(command) is None:
            return command
    return None


def wrapper(target: Target) -> tuple[str, ...]:
    """Return what runs the programs of a target; empty: they run as they are."""
    if target.loader:
        try:
            subprocess.run(
                [target.loader[0], "--version"], check=True, capture_output=True
            )
            return (*target.loader, str(Path(target.loader[0]).parent))
        except (OSError, subprocess.CalledProcessError):
            pass
    return target.emulator


def description(target: Target, libraries: Path | None) -> str:
    """Return the file that tells Meson of a target, and where pkg-config looks."""
    flags = (*target.flags, "-isystem", str(BUILD / "include"))
    lines = ["[binaries]", f"c = '{target.compiler}'", "ar = 'ar'", "strip = 'strip'"]
    if runner := wrapper(target):
        lines.append(f"exe_wrapper = {listed(runner)}")
    if libraries:
        lines.append("pkg-config = 'pkg-config'")
    lines += [
        "[properties]",
        f"needs_exe_wrapper = {str(not target.is_native).lower()}",
    ]
    if libraries:
        lines.append(f"pkg_config_libdir = '{libraries}/lib/pkgconfig'")
    lines += ["[built-in options]", f"c_args = {listed((*WARNINGS, *flags))}"]
    lines += [f"c_link_args = {listed(target.link_flags)}"]
    lines += ["[host_machine]", f"system = '{target.system}'"]
    lines += [f"cpu_family = '{target.family}'", f"cpu = '{target.family}'"]
    lines += [f"endian = '{target.endian}'"]
    return "\n".join(lines) + "\n"


def is_run(target: Target) -> bool:
    """Whether programs of a target run here."""
    return target.is_native or bool(target.emulator)


def prepare(target: Target) -> tuple[Path, list[str]]:
    """Return the build folder of a target, and Meson's options for it."""
    include = BUILD / "include"
    include.mkdir(parents=True, exist_ok=True)
    # No more of this machine's headers than that one.
    shutil.copy("/usr/include/uthash.h", include)
    libraries = None
    if target.is_whole:
        libraries = BUILD / "libraries" / target.name
        foreign.fetch(BUILD / "sources")
        foreign.build([target.compiler, "-w"], ["ar"], BUILD / "sources", libraries)
    file = BUILD / f"{target.name}.ini"
    file.write_text(description(target, libraries))
    options = [f"--cross-file={file}", "-Dwerror=true", "-Doptimization=1"]
    state = "enabled" if target.is_whole else "disabled"
    options += [f"-D{it}={state}" for it in ("zstd", "expat", "yajl")]
    options += [f"-D{it}=disabled" for it in ("report", "agent", "native", "python")]
    if not is_run(target):
        options.append("-Dtests=false")
    return BUILD / target.name, options
