# SPDX-License-Identifier: Apache-2.0
"""What a release publishes: the same bytes from the same commit, wherever it is built,
and an agent that loads where its documents say."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import threadmodel
from threadmodel import native

ROOT = Path(__file__).resolve().parents[2]
PROCESSOR = os.uname().machine
PLATFORM = f"manylinux_2_28_{PROCESSOR}"
MUSL = f"musllinux_1_2_{PROCESSOR}"
MUSL_LOADER = Path(f"/lib/ld-musl-{PROCESSOR}.so.1")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two clones in folders of other names, each with a release in dist/."""
    folder = tmp_path_factory.mktemp("dist")
    clones = [folder / "one", folder / "another/and deeper"]
    for clone in clones:
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        subprocess.run(
            [clone / "dev", "dist", "source", "amalgamation", PLATFORM, MUSL],
            stdin=subprocess.DEVNULL,
            check=True,
        )
    return clones


def wheel_for(place: Path, platform: str) -> Path:
    (wheel,) = (place / "dist").glob(f"*{platform}.whl")
    return wheel


def agent(place: Path, folder: Path) -> Path:
    """Return the agent of the wheel for glibc that was built in a place."""
    wheel = wheel_for(place, PLATFORM)
    with zipfile.ZipFile(wheel) as archive:
        return Path(archive.extract("threadmodel/libthreadmodel-agent.so", folder))


def test_the_same_commit_gives_the_same_bytes(places: list[Path]) -> None:
    one, another = (
        {path.name: path.read_bytes() for path in (place / "dist").iterdir()}
        for place in places
    )
    assert one.keys() == another.keys()
    assert [name for name in one if one[name] != another[name]] == []


def test_the_agent_needs_no_symbol_newer_than_glibc_2_17(
    places: list[Path], tmp_path: Path
) -> None:
    text = subprocess.check_output(
        ["readelf", "--version-info", "--wide", agent(places[0], tmp_path)], text=True
    )
    versions = {
        tuple(map(int, version.split(".")))
        for version in re.findall(r"GLIBC_([\d.]+)", text)
    }
    assert versions
    assert max(versions) <= (2, 17)


def test_the_agent_loads_with_musl(places: list[Path], tmp_path: Path) -> None:
    if not MUSL_LOADER.exists():
        pytest.skip("musl is not installed")
    library = agent(places[0], tmp_path)
    # It lists what it would load, and fails where a symbol is not found.
    done = subprocess.run(
        [MUSL_LOADER, "--list", library], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr


def test_a_program_of_musl_is_recorded(places: list[Path], tmp_path: Path) -> None:
    if not MUSL_LOADER.exists():
        pytest.skip("musl is not installed")
    with zipfile.ZipFile(wheel_for(places[0], MUSL)) as archive:
        archive.extractall(tmp_path)
    package = tmp_path / "threadmodel"
    recorder = package / "threadmodel-native-recorder"
    recorder.chmod(0o755)
    zig = [str(places[0] / "build-dist/venv/bin/python"), "-m", "ziglang", "cc"]
    # Without an optimiser zig adds checks that need a newer musl.
    zig += ["-dynamic", "-O1", "-D_GNU_SOURCE"]
    source = ROOT / "tests/native/programs/contended.c"
    subprocess.run(
        [*zig, "-target", f"{PROCESSOR}-linux-musl", source, "-o", "contended"],
        cwd=tmp_path,
        check=True,
    )
    trace = tmp_path / "run.tmt"
    with subprocess.Popen(
        [recorder, trace], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writing:
        assert writing.stdout
        variables = {
            "LD_PRELOAD": str(package / native.PRELOAD),
            native.REGION_VARIABLE: writing.stdout.readline().strip(),
        }
        subprocess.run([tmp_path / "contended"], env=variables, check=True)
        writing.communicate()
    model = threadmodel.open(str(trace))
    blocked = {row["name"] for row in model.threads() if row["blocked_count"]}
    assert blocked == {
        *("lock_mutex", "recursive", "read_lock", "write_lock"),
        *("lock_spinlock", "lock_mtx"),
    }
    assert not len(model.diagnostics())


def test_a_wheel_has_report_and_recorders_and_the_source_archive_man_pages(
    places: list[Path],
) -> None:
    for platform in (PLATFORM, MUSL):
        with zipfile.ZipFile(wheel_for(places[0], platform)) as archive:
            names = set(archive.namelist())
        assert "threadmodel/web/report.js" in names
        assert "threadmodel/libthreadmodel-preload.so" in names
        assert "threadmodel/threadmodel-native-recorder" in names
    (source,) = (places[0] / "dist").glob("*[0-9].tar.gz")
    listed = subprocess.check_output(["tar", "-tzf", source], text=True).split()
    names = {name.partition("/")[2] for name in listed}
    share = "bindings/python/share"
    assert f"{share}/man/man1/threadmodel-record.1" in names
    assert f"{share}/man/man7/threadmodel-agent.7" in names
    assert f"{share}/bash-completion/completions/threadmodel" in names


def test_the_source_archive_builds_without_network_and_node(
    places: list[Path], tmp_path: Path
) -> None:
    (archive,) = (places[0] / "dist").glob("*[0-9].tar.gz")
    subprocess.run(["tar", "-xzf", archive, "-C", tmp_path], check=True)
    (tree,) = tmp_path.iterdir()
    (tmp_path / "bin").mkdir()
    for name in ("node", "npm"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "bin" / name).chmod(0o755)
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    options = ["-Dtests=false", "-Dreport=enabled", "-Dpython=enabled"]
    for command in (
        ["setup", tmp_path / "build", tree, *options],
        ["compile", "-C", tmp_path / "build"],
    ):
        subprocess.run(
            [*meson, *command],
            env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
            check=True,
        )
    web = tmp_path / "build/bindings/python/threadmodel/web"
    assert (web / "report.js").is_file()
