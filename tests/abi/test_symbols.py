# SPDX-License-Identifier: Apache-2.0
"""What the library gives to the linker, and what it asks of it."""

import re
import subprocess
from pathlib import Path

import pytest

from describe.headers import map_nodes, read_api

# No printing, ending of the process, signals, threads, or state of the process that
# others share; see law 1 in docs/design.md.
FORBIDDEN = re.compile(
    r"v?printf|puts|putchar|perror|stdout|stderr|stdin|__v?f?printf_chk"
    r"|exit|_exit|_Exit|quick_exit|atexit|abort|raise|kill|__assert_fail"
    r"|signal|sigaction|sigprocmask|pthread_sigmask|pthread_create|thrd_create"
    r"|fork|exec[lv]p?e?|system|popen|dlopen|syslog"
    r"|setlocale|strtok|s?rand|environ|getenv|setenv|putenv|localtime|gmtime|ctime"
    r"|_?setjmp|longjmp|__longjmp_chk"
)


# What a recorder does in the process of its host, as recorder.h says: a helper thread
# that is asked for, SIGBUS of its own stores, and forks. A process has one of each.
OF_A_RECORDER = {"pthread_create", "pthread_sigmask", "raise", "sigaction"}
STATE_OF_A_RECORDER = {
    *("list", "list_lock", "once"),  # recorder.c: for forks
    *("before", "is_guarded", "open_lock", "opened"),  # mirror.c: for SIGBUS
    "slack_ns",  # membarrier.c: what the kernel can do
}
RECORDER = "libtm_rings.a"


def output(*command: str | Path) -> str:
    return subprocess.check_output(command, text=True)


@pytest.fixture(scope="module")
def library(build: Path) -> Path:
    return build / "libthreadmodel" / "libthreadmodel.so"


@pytest.fixture(scope="module")
def layers(build: Path) -> list[Path]:
    found = sorted((build / "libthreadmodel").glob("libtm_*.a"))
    assert found
    return found


@pytest.fixture(scope="module")
def exported(library: Path) -> dict[str, str]:
    """Each symbol that the library defines for others, with its version."""
    text = output("nm", "--dynamic", "--defined-only", "--format=posix", library)
    names = [line.split()[0] for line in text.splitlines() if line.split()[1] != "A"]
    return dict(re.split("@+", name, maxsplit=1) for name in names)


def test_the_map_is_what_the_headers_declare() -> None:
    assert set(map_nodes()) == set(read_api().functions)


def test_exports_are_the_map_each_in_the_node_of_its_release(
    exported: dict[str, str],
) -> None:
    assert exported == map_nodes()


def test_soname_reports_which_abi(library: Path) -> None:
    assert "[libthreadmodel.so.0]" in output("readelf", "--dynamic", library)


def test_needs_the_c_library_and_four_others_alone(library: Path) -> None:
    needed = re.findall(
        r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", library)
    )
    families = {name.split(".so")[0] for name in needed}
    assert families <= {
        "libc",
        "libm",
        "libexpat",
        "liblzma",
        "libyajl",
        "libzstd",
        "ld-linux-x86-64",
        "ld-linux-aarch64",
    }


def test_runs_no_code_of_its_own_when_loaded(layers: list[Path]) -> None:
    for archive in layers:
        sections = output("readelf", "--sections", "--wide", archive)
        assert not re.search(r"\.(init_array|ctors|fini_array|dtors)\b", sections)


def test_layers_call_nothing_that_an_embedder_would_mind(layers: list[Path]) -> None:
    for archive in layers:
        text = output("nm", "--undefined-only", "--format=posix", archive)
        wanted = {line.split()[0] for line in text.splitlines() if " U" in line}
        minded = {name for name in wanted if FORBIDDEN.fullmatch(name)}
        assert minded == (OF_A_RECORDER if archive.name == RECORDER else set())


def test_layers_have_no_writable_globals(layers: list[Path]) -> None:
    """But the text of the last error, which is each thread's own, and a recorder's."""
    for archive in layers:
        text = output("nm", "--format=posix", archive)
        variables = re.findall(r"^(\S+) ([DdBbCcGgSs]) ", text, re.MULTILINE)
        readable = output("readelf", "--symbols", "--wide", archive)
        local = set(re.findall(r"\bTLS\s.*\s(\S+)$", readable, re.MULTILINE))
        relocated = read_only_after_relocation(archive)
        state = {name for name, _ in variables} - local - relocated
        assert state == (STATE_OF_A_RECORDER if archive.name == RECORDER else set())
        its_own = archive.name in ("libtm_base.a", RECORDER)
        assert len(local) == (1 if its_own else 0), local


def read_only_after_relocation(archive: Path) -> set[str]:
    """Constant tables of pointers: `nm` calls them data, the loader protects them."""
    names = set()
    for member in output("readelf", "--sections", "--symbols", "--wide", archive).split(
        "\nFile: "
    ):
        numbers = set(re.findall(r"\[\s*(\d+)\] \.data\.rel\.ro", member))
        for number, name in re.findall(
            r"OBJECT\s.*?\s(\d+) (\S+)$", member, re.MULTILINE
        ):
            if number in numbers:
                names.add(name)
    return names


def test_global_names_are_ours(layers: list[Path]) -> None:
    """Linked statically, the library must not collide with its host."""
    public = set(map_nodes())
    for archive in layers:
        text = output(
            "nm", "--defined-only", "--extern-only", "--format=posix", archive
        )
        names = {line.split()[0] for line in text.splitlines() if line.count(" ") >= 2}
        strangers = {name for name in names - public if not name.startswith("tm__")}
        assert not strangers, archive.name
