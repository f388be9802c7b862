# SPDX-License-Identifier: Apache-2.0
"""The library as an embedder meets it: installed, found by pkg-config, linked, run."""

import json
import os
import platform
import re
import shutil
import signal
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
    assert sorted(path.name for path in folder.glob("*.h")) == [p.name for p in PUBLIC]
    assert (folder / "threadmodel.hpp").exists()


def test_pkg_config_yields_the_release(installed: Path) -> None:
    version = (ROOT / "include/threadmodel/version.h").read_text()
    numbers = [
        line.split()[2] for line in version.splitlines() if "TM_VERSION_" in line
    ]
    assert pkg_config(installed, "--modversion") == [".".join(numbers)]


def test_an_embedder_links_entirely_statically(installed: Path, tmp_path: Path) -> None:
    for name in ("libc.a", "libexpat.a", "libzstd.a"):
        found = subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True)
        if found.strip() == name:
            pytest.skip(f"no {name}")
    program = tmp_path / "embed"
    flags = pkg_config(installed, "--static", "--cflags")
    libraries = pkg_config(installed, "--static", "--libs")
    command = ["gcc", "-std=c11", "-static", *flags, EXAMPLE, "-o", program]
    subprocess.run([*command, *libraries], check=True)
    headers = subprocess.check_output(["readelf", "--segments", program], text=True)
    assert "INTERP" not in headers
    assert subprocess.check_output([program], text=True) == ANSWER.read_text()


@pytest.mark.parametrize("linking", ["shared", "static"])
def test_an_embedder_compiles_links_and_runs(
    installed: Path, library: Path, tmp_path: Path, linking: str
) -> None:
    program = tmp_path / "embed"
    flags = pkg_config(installed, "--cflags")
    if linking == "shared":
        libraries = pkg_config(installed, "--libs")
    else:
        # Ours alone.
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


@pytest.mark.parametrize("name", ["live_deadlocks", "memory_limit", "own_format"])
def test_an_example_compiles_and_prints_what_it_should(
    installed: Path, library: Path, tmp_path: Path, name: str
) -> None:
    trace = tmp_path / "run.tmt"
    flags = pkg_config(installed, "--cflags", "--libs")
    variables = {**os.environ, "LD_LIBRARY_PATH": str(library)}
    command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    source = EXAMPLE.with_name(f"{name}.c")
    program = tmp_path / name
    subprocess.run([*command, source, "-pthread", *flags, "-o", program], check=True)
    if name == "own_format":
        writer = tmp_path / "embed"
        wanted = ["g++", "-std=c++17", EXAMPLE.with_suffix(".cpp"), *flags, "-o"]
        subprocess.run([*wanted, writer], check=True)
        subprocess.run([writer, trace], check=True, env=variables, capture_output=True)
    answer = subprocess.check_output(
        [program, trace], env=variables, text=True, timeout=60
    )
    assert answer == source.with_suffix(".txt").read_text()


@pytest.mark.parametrize("end", ["close", "crash"])
def test_a_program_records_its_own_threads(
    installed: Path, library: Path, tmp_path: Path, end: str
) -> None:
    flags = pkg_config(installed, "--cflags", "--libs")
    command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    programs = {}
    for name in ("record_threads", "own_format"):
        programs[name] = tmp_path / name
        source = EXAMPLE.with_name(f"{name}.c")
        build = [*command, source, "-pthread", *flags, "-o", programs[name]]
        subprocess.run(build, check=True)

    def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [programs[name], tmp_path / "run.tmt", *arguments],
            env={**os.environ, "LD_LIBRARY_PATH": str(library)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    done = run("record_threads", end)
    assert done.returncode == (0 if end == "close" else -signal.SIGABRT), done.stderr
    said = EXAMPLE.with_name("record_threads.txt").read_text()
    assert done.stdout == (said if end == "close" else "")
    lines = map(str.split, run("own_format").stdout.splitlines())
    kinds = [(line[2], line[3]) for line in lines if line[1:2] == ["ms"]]
    # Each of 2,000 sales had the lock once.
    got = [kind for _, kind in kinds if kind in ("acquired", "contended_entered")]
    assert len(got) == 2000
    assert sum(kind == "released" for _, kind in kinds) == 2000
    assert {thread for thread, _ in kinds} == {"Ann", "Bob"}


# DuckDB's C library, from npm's registry, and its header, from Go's.
DUCKDB_LIBRARY = "@duckdb/node-bindings-linux-x64@1.5.6-r.1"
DUCKDB_HEADER = "github.com/duckdb/duckdb-go-bindings@v0.10506.0"


@pytest.fixture(scope="module")
def duckdb(build: Path) -> tuple[Path, Path]:
    """The folders of its header and of its library."""
    if shutil.which("npm") is None or shutil.which("go") is None:
        pytest.skip("DuckDB comes by npm and go")
    folder = build / "duckdb"
    library = folder / "package" / "libduckdb.so"
    command = ["go", "mod", "download", "-json", DUCKDB_HEADER]
    got = subprocess.run(command, cwd=build, capture_output=True, check=False)
    if got.returncode == 0 and not library.exists():
        folder.mkdir(exist_ok=True)
        pack = ["npm", "pack", "--silent", DUCKDB_LIBRARY]
        if subprocess.run(pack, cwd=folder, check=False).returncode == 0:
            (archive,) = folder.glob("*.tgz")
            shutil.unpack_archive(archive, folder, "gztar", filter="data")
    if not library.exists() or got.returncode != 0:
        pytest.skip("DuckDB cannot be had")
    return Path(json.loads(got.stdout)["Dir"]) / "include", library.parent


@pytest.mark.skipif(
    platform.machine() != "x86_64", reason="DuckDB's library is x86-64's"
)
def test_an_answer_goes_to_another_c_library_by_arrow(
    installed: Path, library: Path, duckdb: tuple[Path, Path], tmp_path: Path
) -> None:
    header_folder, library_folder = duckdb
    source = EXAMPLE.with_name("ask_in_sql.c")
    program = tmp_path / "ask_in_sql"
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command += ["-isystem", str(header_folder), f"-L{library_folder}"]
    flags = pkg_config(installed, "--cflags", "--libs")
    subprocess.run([*command, source, *flags, "-lduckdb", "-o", program], check=True)
    answer = subprocess.check_output(
        [program, ROOT / "docs/examples/shop/slow.tmt"],
        env={**os.environ, "LD_LIBRARY_PATH": f"{library}:{library_folder}"},
        text=True,
        timeout=60,
    )
    assert answer == source.with_suffix(".txt").read_text()


@pytest.fixture
def other_language(installed: Path, library: Path, tmp_path: Path) -> dict[str, str]:
    """The environment in which a tool finds the library by pkg-config alone."""
    text = next(installed.rglob("threadmodel.pc")).read_text()
    text = re.sub("^prefix=.*", f"prefix={prefix_in(installed)}", text, flags=re.M)
    (tmp_path / "threadmodel.pc").write_text(text)
    return {
        **os.environ,
        "PKG_CONFIG_PATH": str(tmp_path),
        "LD_LIBRARY_PATH": str(library),
    }


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_rust_program_asks_it(other_language: dict[str, str], tmp_path: Path) -> None:
    crate = shutil.copytree(EXAMPLE.parent / "rust", tmp_path / "rust")
    command = ["cargo", "run", "--offline", "--quiet"]
    answer = subprocess.check_output(
        command, cwd=crate, env={**other_language, "RUSTFLAGS": "-Dwarnings"}, text=True
    )
    assert answer == THREADS


@pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
def test_a_go_program_asks_it(other_language: dict[str, str], tmp_path: Path) -> None:
    package = shutil.copytree(EXAMPLE.parent / "gocall", tmp_path / "gocall")
    variables = {**other_language, "GOPROXY": "off", "GOFLAGS": "-count=1"}
    for verb in ("vet", "test"):
        subprocess.run(["go", verb, "."], check=True, cwd=package, env=variables)


THREADS = """\
0 ms thread 1 running
1 ms thread 2 running
10 ms thread 2 blocked
25 ms thread 2 running
40 ms thread 2 dead
"""
CXX_FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
CXX_ANSWER = """\
0 ms main running
1 ms worker running
10 ms worker blocked
25 ms worker running
40 ms worker dead
1 block
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("example", ["embed", "wrapper"])
def test_a_cxx_program_compiles_links_and_runs(
    installed: Path, library: Path, tmp_path: Path, compiler: str, example: str
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    folder = EXAMPLE.parent if example == "embed" else Path(__file__).parent
    flags = pkg_config(installed, "--cflags", "--libs")
    command = [compiler, *CXX_FLAGS, folder / f"{example}.cpp", *flags]
    subprocess.run([*command, "-o", tmp_path / example], check=True)
    answer = subprocess.check_output(
        [tmp_path / example, tmp_path / "run.tmt"],
        env={**os.environ, "LD_LIBRARY_PATH": str(library)},
        text=True,
    )
    assert answer == (CXX_ANSWER if example == "embed" else "as promised\n")


CMAKE = """\
cmake_minimum_required(VERSION 3.13)
project(embed C)
find_package(threadmodel 0.1 REQUIRED)
add_executable(embed {example})
target_link_libraries(embed threadmodel::threadmodel)
"""


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
@pytest.mark.parametrize(("wanted", "is_found"), [("0.1", True), ("0.99", False)])
def test_cmake_finds_it(
    installed: Path, tmp_path: Path, wanted: str, is_found: bool
) -> None:
    text = CMAKE.format(example=EXAMPLE).replace(" 0.1 ", f" {wanted} ")
    (tmp_path / "CMakeLists.txt").write_text(text)
    command = ["cmake", "-S", tmp_path, "-B", tmp_path / "build"]
    folder = next(installed.rglob("threadmodel-config.cmake")).parent
    done = subprocess.run(
        [*command, f"-Dthreadmodel_DIR={folder}"], capture_output=True, text=True
    )
    assert (done.returncode == 0) == is_found, done.stderr
    if not is_found:
        assert "version" in done.stderr
        return
    subprocess.run(["cmake", "--build", tmp_path / "build"], check=True)
    answer = subprocess.check_output([tmp_path / "build/embed"], text=True)
    assert answer == ANSWER.read_text()


def test_another_project_has_it_as_a_subproject(tmp_path: Path) -> None:
    (tmp_path / "subprojects").mkdir()
    (tmp_path / "subprojects/threadmodel").symlink_to(ROOT)
    (tmp_path / "meson.build").write_text(
        "project('embedder', 'c', default_options: ['c_std=c11'])\n"
        "threadmodel = dependency('threadmodel', fallback: 'threadmodel')\n"
        f"executable('embed', '{EXAMPLE}', dependencies: threadmodel)\n"
    )
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    command = [*meson, "setup", "--wrap-mode=forcefallback"]
    subprocess.run([*command, tmp_path / "build", tmp_path], check=True)
    listed = subprocess.check_output(
        [*meson, "introspect", "--targets", tmp_path / "build"], text=True
    )
    assert '"threadmodel"' in listed
    assert '"threadmodel-agent"' not in listed
