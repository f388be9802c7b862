# SPDX-License-Identifier: Apache-2.0
"""Programs that the recorder cannot record, each named with the reason."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from recording import program, record

from threadmodel import native


def test_a_setuid_program_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "setuid"
    shutil.copy(program("hardships"), copy)
    copy.chmod(0o4755)
    assert native.why_unseen(str(copy)) == (
        "it is setuid or setgid, where the loader ignores LD_PRELOAD"
    )


def static_program(folder: Path, source: str) -> str:
    file = folder / "static.c"
    file.write_text(source)
    it = folder / "static"
    built = subprocess.run(["cc", "-static", str(file), "-o", str(it)], check=False)
    if built.returncode != 0:
        pytest.skip("no static C library")
    return str(it)


def test_a_static_program_is_named(tmp_path: Path) -> None:
    it = static_program(tmp_path, "int main(void) { return 0; }\n")
    done = record(tmp_path / "run.tmt", it)
    assert done.returncode == 2
    assert "it is statically linked" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("script", ["exec {}", "{}; true"])
def test_a_static_program_that_a_shell_starts_is_named(
    script: str, tmp_path: Path
) -> None:
    source = "#include <unistd.h>\nint main(void) { return usleep(300000); }\n"
    it = static_program(tmp_path, source)
    done = record(tmp_path / "run.tmt", "sh", "-c", script.format(it))
    assert done.returncode == 0
    (line,) = (line for line in done.stderr.splitlines() if "trace in" not in line)
    assert line.startswith(f"threadmodel: the trace has nothing of {it}: it is static")


def test_a_shell_that_starts_what_is_recorded_leaves_one_line(tmp_path: Path) -> None:
    done = record(tmp_path / "run.tmt", "sh", "-c", "sleep 0.3; true")
    assert done.stderr.count("\n") == 1


def test_a_program_of_32_bits_is_named(tmp_path: Path) -> None:
    it = tmp_path / "narrow"
    it.write_bytes(b"\x7fELF\x01" + bytes(100))
    reason = "it is a program of 32 bits, and this package is for 64"
    assert native.why_unseen(str(it)) == reason


def test_a_program_with_capabilities_is_named(tmp_path: Path) -> None:
    it = tmp_path / "capable"
    shutil.copy(program("hardships"), it)
    # cap_net_bind_service, effective and permitted, as setcap writes it
    value = bytes.fromhex("0100000200040000" + "00" * 12)
    try:
        os.setxattr(it, "security.capability", value)
    except OSError as refused:
        pytest.skip(f"no right to give capabilities: {refused}")
    reason = "it has capabilities of its own, where the loader ignores LD_PRELOAD"
    assert native.why_unseen(str(it)) == reason


def test_a_program_of_another_c_library_is_named(tmp_path: Path) -> None:
    source = tmp_path / "other.c"
    source.write_text("int main(void) { return 0; }\n")
    built = tmp_path / "other"
    loader = "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"
    subprocess.run(["cc", loader, str(source), "-o", str(built)], check=True)
    reason = "it is linked with musl, and this package is for glibc"
    assert native.why_unseen(str(built)) == reason


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="no other user"
)
def test_a_program_that_becomes_another_user_has_the_reason(tmp_path: Path) -> None:
    """As a server that root starts by a shell script."""
    other = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    done = record(tmp_path / "run.tmt", *other, "sleep", "0")
    assert done.returncode == 0
    assert (
        "not recorded: no memory shared with the recorder, which another user started: "
        "Permission denied"
    ) in done.stderr
