# SPDX-License-Identifier: Apache-2.0
"""Metrics of a live recording, over HTTP in the text format of Prometheus."""

import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from threadmodel.model import Model

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
STATES: Final = ("blocked", "reentering", "waiting", "joining", "parked", "io")
# The most classes with a series; more would cost more than they are worth.
MOST_CLASSES: Final = 50
# A scraper that sends no request for this time is disconnected.
PATIENCE_S: Final = 5.0
# Scrapers at a time; another one is disconnected at once.
MOST_SCRAPERS: Final = 16
S: Final = 1e9

Labels = dict[str, str]
Samples = list[tuple[Labels, float]]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


class Metrics:
    """The metrics of a model that grows.

    A counter never falls, as Prometheus would take that for a restart: if the model
    learns that part of a wait was another state, the old sum stays until the new one is
    larger.
    """

    def __init__(self, model: Model) -> None:
        """Keep the model; nothing is asked yet."""
        self._model = model
        self._lock = threading.Lock()
        self._highest: dict[tuple[str, str], float] = {}
        self._lines: list[str] = []

    def render(self) -> str:
        """Ask the model, and write a page of metrics, for one scraper at a time."""
        with self._lock:
            self._lines = []
            self._blocking()
            self._locks()
            self._threads()
            self._rest()
            return "".join(f"{line}\n" for line in self._lines)

    def _put(self, name: str, kind: str, about: str, samples: Samples) -> None:
        full = f"threadmodel_{name}"
        self._lines += [f"# HELP {full} {about}", f"# TYPE {full} {kind}"]
        for labels, value in samples:
            inner = ",".join(f'{key}="{_escaped(it)}"' for key, it in labels.items())
            if kind == "counter":
                value = max(value, self._highest.get((name, inner), value))
                self._highest[name, inner] = value
            self._lines.append(
                f"{full}{{{inner}}} {value!r}" if inner else f"{full} {value!r}"
            )

    def _blocking(self) -> None:
        row: dict[str, Any] = next(iter(self._model.total()), {})
        self._put(
            "blocking_intervals_total",
            "counter",
            "Blocking intervals of all threads that began.",
            [({"state": s}, row.get(f"{s}_count", 0)) for s in STATES],
        )
        self._put(
            "blocking_seconds_total",
            "counter",
            "Time that all threads spent in a blocking state.",
            [({"state": s}, row.get(f"{s}_total_ns", 0) / S) for s in STATES],
        )

    def _locks(self) -> None:
        """The classes whose locks blocked threads longest, by name and not by id."""
        counts: Counter[str] = Counter()
        times: Counter[str] = Counter()
        for row in self._model.blame("class"):
            name = row["class"] or "unknown"
            counts[name] += row["count"]
            times[name] += row["total_ns"]
        wanted = [name for name, _ in times.most_common(MOST_CLASSES) if counts[name]]
        self._put(
            "lock_contentions_total",
            "counter",
            "How often threads were blocked by locks of a class.",
            [({"class": name}, counts[name]) for name in wanted],
        )
        self._put(
            "lock_blocked_seconds_total",
            "counter",
            "For how long threads were blocked by locks of a class.",
            [({"class": name}, times[name] / S) for name in wanted],
        )

    def _threads(self) -> None:
        alive: Counter[str] = Counter()
        for row in self._model.threads():
            if row["state"] != "dead":
                alive[row["state"]] += 1
        self._put(
            "threads",
            "gauge",
            "Threads that are alive, by their state.",
            [({"state": state}, count) for state, count in sorted(alive.items())],
        )

    def _rest(self) -> None:
        model = self._model
        deadlocks = {
            row["deadlock"] for row in model.deadlocks() if row["resolved_ns"] is None
        }
        context = {row["kind"]: row for row in model.context_totals()}
        pauses = context.get("gc_pause", {"count": 0, "total_ns": 0})
        lost = {row["cause"]: row["count"] for row in model.diagnostics()}
        for name, kind, about, value in (
            ("deadlocks", "gauge", "Deadlocks that nothing resolved.", len(deadlocks)),
            (
                "gc_pauses_total",
                "counter",
                "Pauses of the garbage collector.",
                pauses["count"],
            ),
            (
                "gc_pause_seconds_total",
                "counter",
                "Time in these pauses.",
                pauses["total_ns"] / S,
            ),
            (
                "events_total",
                "counter",
                "Events that were received.",
                model.event_count,
            ),
            (
                "events_lost_total",
                "counter",
                "Events that the producer lost.",
                lost.get("lost_by_producer", 0),
            ),
            (
                "recorded_seconds",
                "gauge",
                "How long the run is so far.",
                model.length_ns / S,
            ),
        ):
            self._put(name, kind, about, [({}, value)])


def _handler(metrics: Metrics) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = PATIENCE_S

        def do_GET(self) -> None:
            if self.path.partition("?")[0] not in ("/metrics", "/"):
                self.send_error(404)
                return
            body = metrics.render().encode()
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    """A thread for each scraper, so that a silent one does not delay others."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._room = threading.Semaphore(MOST_SCRAPERS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: object, client_address: object) -> None:
        # A scraper that disconnects or sends an invalid request is not our error.
        pass


@contextlib.contextmanager
def served(listener: socket.socket, model: Model) -> Iterator[None]:
    """Answer scrapers on a listening socket, each in a thread of its own."""
    server = _Server(
        listener.getsockname()[:2], _handler(Metrics(model)), bind_and_activate=False
    )
    server.socket.close()
    server.socket = listener
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
