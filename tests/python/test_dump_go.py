# SPDX-License-Identifier: Apache-2.0
"""``threadmodel dump`` of a Go program: by its endpoint, and by its process id."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

import threadmodel
from conftest import one_line
from go_traces import GO, PROGRAMS
from started import started
from threadmodel.cli import dump_go


class Served(NamedTuple):
    url: str
    pid: int


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Go program whose goroutines queue for a mutex."""
    if GO is None:
        pytest.skip("there is no go")
    program = tmp_path_factory.mktemp("served") / "served"
    subprocess.run(
        ["go", "build", "-o", program, "."], cwd=PROGRAMS / "served", check=True
    )
    with started(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        yield Served(f"http://{process.stdout.readline().strip()}", process.pid)
        process.stdin.close()


def dump(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "threadmodel", "dump", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_goroutines_are_read_from_the_endpoint(served: Served, tmp_path: Path) -> None:
    file = tmp_path / "hang.txt"
    done = dump(served.url, "--times", 2, "--every", 1, "-o", file)
    assert done.returncode == 0, done.stderr
    assert "3 threads blocked by Mutex in several thread dumps" in done.stdout
    model = threadmodel.open(file)
    blocked = [row for row in model.timeline() if row["state"] == "blocked"]
    assert len({row["thread"] for row in blocked}) == 3
    assert {row["class"] for row in blocked} == {"sync.Mutex"}
    # The times of both dumps are in the file, in whole seconds.
    assert 1_000_000_000 <= model.run.end_ns - model.run.start_ns <= 3_000_000_000


def test_the_answer_for_a_go_process_names_the_endpoint(served: Served) -> None:
    done = dump(served.pid)
    assert done.returncode == 0, done.stderr
    assert f"process {served.pid} is a Go program" in done.stderr
    assert "threadmodel dump http://HOST:PORT" in done.stderr
    assert not dump_go.is_go(1 << 30)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("http://a:1", "http://a:1/debug/pprof/goroutine?debug=2"),
        ("http://a:1/debug/pprof/", "http://a:1/debug/pprof/goroutine?debug=2"),
        ("https://a/own/goroutine", "https://a/own/goroutine?debug=2"),
        ("http://a/own?debug=2&x=1", "http://a/own?debug=2&x=1"),
    ],
)
def test_a_url_is_completed(given: str, asked: str) -> None:
    assert dump_go.endpoint(given) == asked


class Other(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<html>" + b"\x1b[2J")

    def log_message(self, *arguments: object) -> None:
        """Stay quiet."""


def test_another_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = dump(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert done.returncode == 2
    assert "the answer is text/html, not the goroutines of a Go program" in one_line(
        done.stderr.encode()
    )


def test_nobody_answers() -> None:
    done = dump("http://127.0.0.1:1")
    assert done.returncode == 2
    assert "Connection refused" in one_line(done.stderr.encode())


def test_virtual_threads_are_of_a_jvm() -> None:
    done = dump("http://127.0.0.1:1", "--virtual")
    assert done.returncode == 2
    assert "is not a JVM" in done.stderr
