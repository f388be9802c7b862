# SPDX-License-Identifier: Apache-2.0
"""Wheels with all but Python packages inside, for each platform; see dist.py.

Library, agent, HTML report, and the code of zstd, expat, yajl and uthash. zig compiles,
for the C library of each platform.
"""

import functools
import re
import shutil
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path

import foreign
import zigcc
from source_archive import Run

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Platform:
    """What a wheel is for.

    Attributes:
        tag: in the wheel's name
        triple: zig's name
        processor: Meson's
        flags: for the compiler
        native_target: zig's name for the recorder of native programs
    """

    tag: str
    triple: str
    processor: str
    flags: tuple[str, ...]
    native_target: str

    @property
    def is_musl(self) -> bool:
        """Whether its C library is musl."""
        return self.tag.startswith("musl")

    @property
    def libc(self) -> str:
        """The tag without the processor."""
        return self.tag.removesuffix(f"_{self.processor}")


# The agent loads wherever a JVM runs, also with C libraries too old for Python, and
# with musl. That loads no library with variables of threads in the initial-exec model
# later than the program, and has __tls_get_addr elsewhere than glibc. TLS descriptors
# go without both, and are as quick where, as in glibc, there is room left for them.
OLD = ("-include", str(ROOT / "tools/libc_2_17.h"))
AGENT_NEEDS = (2, 17)
RECORDER = "threadmodel-native-recorder"
# What the compiler calls where a cleanup handler is; sources call the others.
UNWINDS = {"__gcc_personality_v0", "_Unwind_Resume"}
DESCRIPTORS = ("-mtls-dialect=gnu2",)
PLATFORMS = (
    Platform(
        "manylinux_2_28_x86_64",
        "x86_64-linux-gnu.2.17",
        "x86_64",
        OLD + DESCRIPTORS,
        "x86_64-linux-gnu.2.28",
    ),
    Platform(
        "manylinux_2_28_aarch64",
        "aarch64-linux-gnu.2.17",
        "aarch64",
        OLD,
        "aarch64-linux-gnu.2.28",
    ),
    Platform(
        "musllinux_1_2_x86_64",
        "x86_64-linux-musl",
        "x86_64",
        DESCRIPTORS,
        "x86_64-linux-musl",
    ),
    Platform(
        "musllinux_1_2_aarch64",
        "aarch64-linux-musl",
        "aarch64",
        (),
        "aarch64-linux-musl",
    ),
)


def unwinds_called(tree: Path) -> set[str]:
    """Return what the recorder of native programs calls of the unwinder."""
    sources = (tree / "agent/native").rglob("*.c")
    return {
        name
        for source in sources
        for name in re.findall(r"\b_Unwind_\w+(?=\()", source.read_text())
    }


def unwinder(platform: Platform, tree: Path, prefix: Path, run: Run) -> list[object]:
    """Return what the library in native programs is linked with to walk stacks.

    With glibc exceptions pass through it, so it must be the unwinder that the program
    has: an exception in flight is known to that. A stand-in is linked. A C program of
    musl has no unwinder, and nothing is unwound there: zig's is in the library.
    """
    if platform.is_musl:
        return ["-lunwind", f"-Wl,--version-script={ROOT / 'tools/preload.map'}"]
    path = prefix / "lib/libgcc_s.so.1"
    source = path.with_suffix(".c")
    names = UNWINDS | unwinds_called(tree)
    source.write_text("".join(f"void {name}(void) {{}}\n" for name in sorted(names)))
    run(
        *(zigcc.zig(), "cc", "-target", platform.triple, "-shared", "-nostdlib"),
        *(f"-Wl,-soname,{path.name}", source, "-o", path),
    )
    return [path]


def cross_file(platform: Platform, tree: Path, prefix: Path, run: Run) -> Path:
    """Write what Meson must know of a platform."""

    def array(*values: object) -> str:
        return f"[{', '.join(repr(str(value)) for value in values)}]"

    compiler = array(
        sys.executable, ROOT / "tools/zigcc.py", "-target", platform.triple
    )
    flags = array(
        *platform.flags,
        "-Dtls_model(model)=",
        "-g0",
        f"-I{prefix}/include",
        f"-ffile-prefix-map={tree}=",
        f"-ffile-prefix-map={prefix}=",
    )
    # Zig links a program of musl statically: it could load no elfutils then.
    link_args = ["-Wl,-s", *(["-dynamic"] if platform.is_musl else [])]
    native_target = array("-target", platform.native_target)
    native_link_args = array(*unwinder(platform, tree, prefix, run))
    path = prefix / "cross.ini"
    path.write_text(
        f"[binaries]\nc = {compiler}\nar = {array(zigcc.zig(), 'ar')}\n"
        f"pkg-config = 'pkg-config'\n"
        f"[properties]\npkg_config_libdir = '{prefix}/lib/pkgconfig'\n"
        f"native_target = {native_target}\n"
        f"native_link_args = {native_link_args}\n"
        f"[built-in options]\nc_args = {flags}\nc_link_args = {array(*link_args)}\n"
        f"[host_machine]\nsystem = 'linux'\ncpu_family = '{platform.processor}'\n"
        f"cpu = '{platform.processor}'\nendian = 'little'\n"
    )
    return path


def python_headers(prefix: Path) -> None:
    """Have Debian's pyconfig.h find this machine's under each platform's name.

    The stable ABI that the package keeps to depends on nothing that differs there.
    """
    include = Path(sysconfig.get_path("include"))
    for own in include.parent.glob(f"*-linux-gnu/{include.name}"):
        for processor in ("x86_64", "aarch64"):
            for libc in ("gnu", "musl"):
                other = prefix / f"include/{processor}-linux-{libc}" / include.name
                shutil.copytree(own, other, dirs_exist_ok=True)


@functools.cache
def prepare(platform: Platform, tree: Path, work: Path, run: Run) -> tuple[Path, Path]:
    """Build what is linked in, for a platform, once.

    Returns the folder that has it and Meson's file. In that folder is `build`, where
    the wheel and the libraries of the jar are built, so that both have the same.
    """
    prefix = work / platform.tag
    flags = ("-target", platform.triple, *platform.flags)
    foreign.fetch(work / "sources")
    zig = str(zigcc.zig())
    foreign.build([zig, "cc", *flags], [zig, "ar"], work / "sources", prefix)
    python_headers(prefix)
    # What an older commit compiled is not what this one would have.
    shutil.rmtree(prefix / "build", ignore_errors=True)
    return prefix, cross_file(platform, tree, prefix, run)


def libraries(tag: str, tree: Path, work: Path, run: Run, *names: str) -> list[Path]:
    """Build these libraries, beside the wheel for a platform where there is one."""
    (platform,) = (it for it in PLATFORMS if it.tag == tag)
    prefix, cross = prepare(platform, tree, work, run)
    folder = prefix / "build"
    if not (folder / "build.ninja").exists():
        meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
        # The first two are what meson-python sets for a wheel.
        options = ["-Dbuildtype=release", "-Db_ndebug=if-release"]
        options += ["-Dagent=enabled", "-Dtests=false", "-Dnative=disabled"]
        options += ["-Dpython=disabled", "-Dreport=disabled"]
        run(*meson, "setup", folder, tree, f"--cross-file={cross}", *options)
    run("ninja", "-C", folder, *names)
    return [folder / name for name in names]


def build(tag: str, tree: Path, work: Path, dist: Path, run: Run) -> Path:
    """Build the wheel for a platform, and end unless it is what its name says."""
    (platform,) = (it for it in PLATFORMS if it.tag == tag)
    prefix, cross = prepare(platform, tree, work, run)
    made = prefix / "wheel"
    shutil.rmtree(made, ignore_errors=True)
    run(
        *(sys.executable, "-m", "build", "--wheel", "--no-isolation"),
        *("--outdir", made, f"-Cbuild-dir={prefix / 'build'}"),
        f"-Csetup-args=--cross-file={cross}",
        *("-Csetup-args=-Dnative=enabled", "-Csetup-args=-Dagent=enabled"),
        *("-Csetup-args=-Dreport=enabled", tree),
        _PYTHON_HOST_PLATFORM=f"linux-{platform.processor}",
    )
    (path,) = made.glob("*.whl")
    run(
        *(sys.executable, "-m", "wheel", "tags", "--remove"),
        *("--platform-tag", platform.tag, path),
    )
    (path,) = made.glob("*.whl")
    if platform.is_musl:
        name_musl(path, platform, run)
    check(path, platform, run)
    return Path(shutil.copy(path, dist / path.name))


def name_musl(path: Path, platform: Platform, run: Run) -> None:
    """Have a wheel ask for musl by the name that distributions give it, not zig's."""
    folder = path.parent / "unpacked"
    run(sys.executable, "-m", "wheel", "unpack", "--dest", folder, path)
    (content,) = folder.iterdir()
    musl = f"libc.musl-{platform.processor}.so.1"
    binaries = [*content.glob("threadmodel/*.so"), content / "threadmodel" / RECORDER]
    for binary in sorted(binaries):
        run("patchelf", "--replace-needed", "libc.so", musl, binary)
    run(sys.executable, "-m", "wheel", "pack", "--dest-dir", path.parent, content)
    shutil.rmtree(folder)


def check(path: Path, platform: Platform, run: Run) -> None:
    """End unless the wheel is what its name says, and the agent what JVMs need."""
    run(sys.executable, "-m", "twine", "check", "--strict", path)
    run(sys.executable, "-m", "abi3audit", "--strict", path)
    said = run(sys.executable, "-m", "auditwheel", "show", path)
    if f'"{platform.tag}"' not in said:
        sys.exit(f"{said}\ndev: {path.name} is not for {platform.tag}")
    agent = path.parent / "libthreadmodel-agent.so"
    with zipfile.ZipFile(path) as archive:
        agent.write_bytes(archive.read(f"threadmodel/{agent.name}"))
    said = run("readelf", "--dynamic", "--version-info", "--wide", agent)
    agent.unlink()
    # Neither its own kind of loader nor room that only a program has: see DESCRIPTORS.
    if "STATIC_TLS" in said or "[ld-" in said:
        sys.exit(f"{said}\ndev: the agent of {path.name} does not load with musl")
    for needed in re.findall(r"GLIBC_(\d+)\.(\d+)", said):
        if tuple(map(int, needed)) > AGENT_NEEDS:
            sys.exit(f"{said}\ndev: the agent of {path.name} needs too new a glibc")
