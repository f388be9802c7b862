# SPDX-License-Identifier: Apache-2.0
"""A slow name server, in a network and mount namespace of its own, so that it needs no
privileges. Run as a program, this file is the server, and runs a command beside it."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

NETWORK = "/proc/self/ns/net"
DOMAIN = "slow.test"
ADDRESS = bytes((127, 0, 0, 9))
HEADER_BYTES = 12
ASKS_FOR_IPV4 = b"\0\1"


def isolated(answer_ms: int, *command: str) -> list[str]:
    """Return the command that runs another one with names looked up at the server."""
    space = ["unshare", "--map-root-user", "--mount", "--net"]
    return [
        *space,
        sys.executable,
        __file__,
        os.readlink(NETWORK),
        str(answer_ms),
        *command,
    ]


def is_possible() -> bool:
    """Whether this user may create network and mount namespaces."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return False
    done = subprocess.run(
        isolated(0, "true"), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return done.returncode == 0


def answer_to(question: bytes) -> bytes:
    """Answer a question for an IPv4 address with it, other questions with none."""
    end = question.index(b"\0", HEADER_BYTES) + 5
    has_address = question[end - 4 : end - 2] == ASKS_FOR_IPV4
    counts = bytes((0, 1, 0, has_address, 0, 0, 0, 0))
    found = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + ADDRESS if has_address else b""
    return question[:2] + b"\x81\x80" + counts + question[HEADER_BYTES:end] + found


def serve(server: socket.socket, answer_ms: int) -> None:
    while True:
        question, peer = server.recvfrom(512)
        answer = answer_to(question)
        threading.Timer(answer_ms / 1000, server.sendto, (answer, peer)).start()


def use(text: str, path: str, folder: Path) -> None:
    """Replace a file of the system in this namespace."""
    file = folder / Path(path).name
    file.write_text(text)
    subprocess.run(["mount", "--bind", file, path], check=True)


def main(network: str, answer_ms: int, command: list[str]) -> int:
    """Serve, in another network than the given one."""
    assert network != os.readlink(NETWORK)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
    ):
        use("nameserver 127.0.0.1\n", "/etc/resolv.conf", Path(folder))
        use("hosts: files dns\n", "/etc/nsswitch.conf", Path(folder))
        server.bind(("127.0.0.1", 53))
        threading.Thread(target=serve, args=(server, answer_ms), daemon=True).start()
        status = subprocess.run(command, check=False).returncode
        for path in ("/etc/resolv.conf", "/etc/nsswitch.conf"):
            subprocess.run(["umount", path], check=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
