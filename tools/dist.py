# SPDX-License-Identifier: Apache-2.0
"""Build what a release publishes, into dist/; called by `./dev dist`.

A wheel for each platform holds all but Python packages: library, agent, HTML report,
and the code of zstd, expat, yajl and uthash. zig compiles, for the C library of each
platform; times in archives are that of the commit, so that the same commit gives the
same bytes.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path

import foreign
import sbom
import zigcc

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build-dist"


@dataclass(frozen=True)
class Platform:
    """What a wheel is for.

    Attributes:
        tag: in the wheel's name
        triple: zig's name
        processor: Meson's
        flags: for the compiler
    """

    tag: str
    triple: str
    processor: str
    flags: tuple[str, ...] = ()

    @property
    def libc(self) -> str:
        """The tag without the processor."""
        return self.tag.removesuffix(f"_{self.processor}")


# The agent loads wherever a JVM runs, also with C libraries too old for Python, and
# with musl. That loads no library with variables of threads in the initial-exec model
# later than the program, and has __tls_get_addr elsewhere than glibc. TLS descriptors
# go without both, and are as quick where, as in glibc, there is room left for them.
OLD = ("-include", str(ROOT / "tools/libc_2_17.h"))
AGENT_NEEDS = {"manylinux_2_28": "manylinux_2_17"}
DESCRIPTORS = ("-mtls-dialect=gnu2",)
PLATFORMS = (
    Platform(
        "manylinux_2_28_x86_64", "x86_64-linux-gnu.2.17", "x86_64", OLD + DESCRIPTORS
    ),
    Platform("manylinux_2_28_aarch64", "aarch64-linux-gnu.2.17", "aarch64", OLD),
    Platform("musllinux_1_2_x86_64", "x86_64-linux-musl", "x86_64", DESCRIPTORS),
    Platform("musllinux_1_2_aarch64", "aarch64-linux-musl", "aarch64"),
)


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
        check=False,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\ndev: failed: {' '.join(map(str, command))}")
    return done.stdout


def cross_file(platform: Platform, prefix: Path) -> Path:
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
        f"-ffile-prefix-map={ROOT}=",
        f"-ffile-prefix-map={prefix}=",
    )
    path = prefix / "cross.ini"
    path.write_text(
        f"[binaries]\nc = {compiler}\nar = {array(zigcc.ZIG, 'ar')}\n"
        f"pkg-config = 'pkg-config'\n"
        f"[properties]\npkg_config_libdir = '{prefix}/lib/pkgconfig'\n"
        f"[built-in options]\nc_args = {flags}\nc_link_args = {array('-Wl,-s')}\n"
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


def wheel(platform: Platform) -> Path:
    """Build the wheel for a platform."""
    prefix = WORK / platform.tag
    flags = ("-target", platform.triple, *platform.flags)
    foreign.build(zigcc.ZIG, flags, WORK / "sources", prefix)
    python_headers(prefix)
    made = prefix / "wheel"
    # What an older commit compiled is not what this one would have.
    for old in (made, prefix / "build"):
        shutil.rmtree(old, ignore_errors=True)
    run(
        *(sys.executable, "-m", "build", "--wheel", "--no-isolation"),
        *("--outdir", made, f"-Cbuild-dir={prefix / 'build'}"),
        f"-Csetup-args=--cross-file={cross_file(platform, prefix)}",
        *("-Csetup-args=-Dagent=enabled", "-Csetup-args=-Dreport=enabled"),
        _PYTHON_HOST_PLATFORM=f"linux-{platform.processor}",
    )
    (path,) = made.glob("*.whl")
    run(
        *(sys.executable, "-m", "wheel", "tags", "--remove"),
        *("--platform-tag", platform.tag, path),
    )
    (path,) = made.glob("*.whl")
    return path


def check(path: Path, platform: Platform) -> None:
    """End unless the wheel is what its name says, and the agent what JVMs need."""
    run(sys.executable, "-m", "twine", "check", "--strict", path)
    run(sys.executable, "-m", "abi3audit", "--strict", path)
    said = run(sys.executable, "-m", "auditwheel", "show", path)
    fits = f"{AGENT_NEEDS.get(platform.libc, platform.libc)}_{platform.processor}"
    if f'"{fits}"' not in said:
        sys.exit(f"{said}\ndev: {path.name} does not fit {fits}")
    agent = path.parent / "libthreadmodel-agent.so"
    with zipfile.ZipFile(path) as archive:
        agent.write_bytes(archive.read(f"threadmodel/{agent.name}"))
    said = run("readelf", "--dynamic", "--wide", agent)
    agent.unlink()
    # Neither its own kind of loader nor room that only a program has: see DESCRIPTORS.
    if "STATIC_TLS" in said or "[ld-" in said:
        sys.exit(f"{said}\ndev: the agent of {path.name} does not load with musl")


def main() -> None:
    """Build all that was asked for."""
    parser = argparse.ArgumentParser(prog="./dev dist", description=__doc__)
    tags = [platform.tag for platform in PLATFORMS]
    parser.add_argument("tags", nargs="*", metavar="PLATFORM", help=", ".join(tags))
    options = parser.parse_args()
    if unknown := set(options.tags) - set(tags):
        parser.error(f"no platform {min(unknown)!r}: {' '.join(tags)}")
    os.environ["SOURCE_DATE_EPOCH"] = run("git", "log", "-1", "--format=%ct").strip()
    os.environ["ZIG_GLOBAL_CACHE_DIR"] = str(WORK / "zig")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.umask(0o022)
    WORK.mkdir(exist_ok=True)
    DIST.mkdir(exist_ok=True)
    foreign.fetch(WORK / "sources")
    for platform in PLATFORMS:
        if options.tags and platform.tag not in options.tags:
            continue
        print(f"dev: building for {platform.tag}", file=sys.stderr, flush=True)
        path = wheel(platform)
        check(path, platform)
        target = Path(shutil.copy(path, DIST / path.name))
        digest = hashlib.sha256(target.read_bytes()).hexdigest()
        print(f"{digest}  {target.relative_to(ROOT)}", flush=True)
        sbom.write(target, target.name.split("-")[1])


if __name__ == "__main__":
    main()
