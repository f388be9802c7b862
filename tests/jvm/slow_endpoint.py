# SPDX-License-Identifier: Apache-2.0
"""A slow database, and clients of the services that query it, with lines over TCP. The
services are programs in Java, C and Go, and end at the end of their input."""

import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection

import threadmodel

REQUESTS = 60
#: a client's pause between two requests
THINK_S = 0.002
SECONDS = 120


@contextmanager
def database(answer_ms: float) -> Iterator[int]:
    """Answer each line after a delay. Yields the port."""

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline():
                time.sleep(answer_ms / 1000)
                self.wfile.write(b"row\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        server.daemon_threads = True
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        yield server.server_address[1]
        server.shutdown()
        serving.join()


def _use(port: int) -> None:
    with (
        create_connection(("127.0.0.1", port), SECONDS) as one,
        one.makefile("rb") as got,
    ):
        for _ in range(REQUESTS):
            one.sendall(b"order\n")
            assert got.readline() == b"done\n"
            time.sleep(THINK_S)


def serve(
    command: list[str],
    environment: Mapping[str, str] | None = None,
    clients: int = 4,
) -> None:
    """Run a service, which must succeed, under a closed load."""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as service:
        assert service.stdin
        assert service.stdout
        port = int(service.stdout.readline())
        using = [threading.Thread(target=_use, args=(port,)) for _ in range(clients)]
        for client in using:
            client.start()
        for client in using:
            client.join()
        service.stdin.close()
        assert service.wait(SECONDS) == 0


def assert_bound_by(trace: Path, endpoint: str, method: str) -> None:
    """Check that the first line and card name the endpoint and the calling method."""
    model = threadmodel.open(trace)
    verdict = model.verdict()[0]
    assert verdict["kind"] == "bound", verdict["title"]
    assert endpoint in verdict["title"]
    assert method in verdict["title"]
    cards = [row for row in model.findings() if not row["minor"]]
    assert [row["kind"] for row in cards] == ["io_wait"], [it["title"] for it in cards]
    (card,) = cards
    assert endpoint in str(card["object"])
    assert str(card["method"]).endswith(method)
    assert "99 % of them for" in str(card["waits"])
    assert "% of the time of requests goes there" in str(card["gain"])
    (half,) = model.whatif(object=str(card["object"]), change="io", factor=0.5)
    assert half["throughput"] > half["throughput_now"]
    ranked = model.whatif_rank(factor=0.5)[0]
    assert (ranked["change"], ranked["object"]) == ("io", card["object"])


def assert_not_bound(trace: Path) -> None:
    """Check that neither names an endpoint, though requests query one and wait for
    their clients."""
    model = threadmodel.open(trace)
    assert "Bound by I/O" not in str(model.verdict()[0]["title"])
    assert [
        row["title"]
        for row in model.findings()
        if row["kind"] == "io_wait" and not row["minor"]
    ] == []
