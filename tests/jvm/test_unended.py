# SPDX-License-Identifier: Apache-2.0
"""The first line on services whose workers all wait with a time limit for a server that
does not answer, or for the service itself."""

import socket
import subprocess
import time

import threadmodel
from conftest import TIMEOUT_S, Java

WORKERS = {f"pool-1-thread-{number}" for number in (1, 2, 3)}
WAITS_S = 2.0
# On a busy machine threads take a while to get there.
SOON_NS = 1_500_000_000


def test_the_first_line_names_what_all_workers_wait_for(java: Java) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    running = {
        name: subprocess.Popen(
            java.command(
                "Unended", name, str(port), agent=f"file={java.folder / name}.tmt"
            ),
            stdout=subprocess.PIPE,
            text=True,
            cwd=java.folder,
        )
        for name in ("used-up", "unanswered", "calls")
    }
    begun = {}
    for name, process in running.items():
        assert process.stdout is not None
        begun[name] = int(process.stdout.readline().split()[1])
    time.sleep(WAITS_S)
    for process in running.values():
        process.terminate()
        process.communicate(timeout=TIMEOUT_S)
    silent.close()
    for name, kind, words in (
        ("used-up", "bound", "in Unended.borrows"),
        ("unanswered", "bound", f"by I/O with 127.0.0.1:{port} in Unended.asks"),
        ("calls", "starved", "4 threads wait for answers of this program"),
    ):
        model = threadmodel.open(java.folder / f"{name}.tmt")
        (row,) = model.verdict()
        assert (row["kind"], words in str(row["title"])) == (kind, True), row["title"]
        assert isinstance(row["since_ns"], int)
        assert 0 < model.run.start_ns + row["since_ns"] - begun[name] < SOON_NS, name
        members = {str(it["thread"]) for it in model.verdict_members()}
        assert members == (WORKERS | {"client"} if name == "calls" else set())
        if kind == "bound":
            assert "all 3 threads that are in a task wait there" in str(row["title"])
        else:
            assert "where this program answers" in str(row["text"])
