# SPDX-License-Identifier: Apache-2.0
"""What recording costs servers that nobody here wrote: Redis, memcached, nginx.

usage: native_servers.py [PAIRS] [SERVER...]

A server runs bare and recorded in turn, ABBA, and answers as many requests each time.
What counts is the processor time of the server's own process for them, so that a busy
machine matters little; the recorder beside it is counted apart. PostgreSQL is asked
whether its transactions stay whole when it is recorded, though it forks.
"""

import contextlib
import math
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import scipy.stats

CLIENTS = 16
RECORD = [sys.executable, "-m", "threadmodel", "record", "--native", "-o"]


@dataclass(frozen=True)
class Server:
    """A program, and the load that it gets.

    Attributes:
        program: its name in PATH
        command: from a free port and an empty folder to its arguments
        prepare: sent once, with the bytes of its answer
        request: one request
        answer_bytes: of one answer
        batch: requests that are sent at once
        count: requests of a run
    """

    program: str
    command: Callable[[int, Path], list[str]]
    prepare: tuple[bytes, int]
    request: bytes
    answer_bytes: int
    batch: int
    count: int


def nginx(port: int, folder: Path) -> list[str]:
    (folder / "page.html").write_text("x" * 4096)
    (folder / "nginx.conf").write_text(
        f"""
user root;
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log stderr crit;
thread_pool default threads=4;
events {{ worker_connections 256; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    server_tokens off;
    etag off;
    server {{
        listen 127.0.0.1:{port};
        root {folder};
        aio threads;
        sendfile off;
        location / {{ add_header Date "" always; }}
    }}
}}
"""
    )
    return ["nginx", "-c", str(folder / "nginx.conf"), "-e", "stderr"]


VALUE = b"v" * 100
# Redis with the threads that it has by itself: with io-threads it spins, and its time
# on processors says more of waiting than of work.
SERVERS = (
    Server(
        "redis-server",
        lambda port, folder: [
            *("redis-server", "--port", str(port), "--bind", "127.0.0.1"),
            *("--save", "", "--appendonly", "no", "--dir", str(folder)),
        ],
        (b"SET k " + VALUE + b"\r\n", 5),
        b"GET k\r\n",
        len(b"$100\r\n" + VALUE + b"\r\n"),
        32,
        3_000_000,
    ),
    Server(
        "memcached",
        lambda port, _: (
            ["memcached", "-p", str(port), "-l", "127.0.0.1"]
            + ["-t", "4", "-u", "root", "-U", "0"]
        ),
        (b"set k 0 0 100\r\n" + VALUE + b"\r\n", 8),
        b"get k\r\n",
        len(b"VALUE k 0 100\r\n" + VALUE + b"\r\nEND\r\n"),
        32,
        1_500_000,
    ),
    Server(
        "nginx",
        nginx,
        (b"", 0),
        b"GET /page.html HTTP/1.1\r\nHost: a\r\n\r\n",
        0,
        1,
        30_000,
    ),
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def connect(port: int) -> socket.socket:
    for _ in range(200):
        with contextlib.suppress(OSError):
            made = socket.create_connection(("127.0.0.1", port))
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made
        time.sleep(0.05)
    raise SystemExit(f"nobody listens at port {port}")


def receive(client: socket.socket, count: int) -> None:
    while count > 0:
        got = len(client.recv(1 << 20))
        if got == 0:
            raise SystemExit("the server has closed a connection")
        count -= got


def load(server: Server, port: int, count: int) -> None:
    clients = [connect(port) for _ in range(CLIENTS)]
    question, answer_bytes = server.prepare
    if question:
        clients[0].sendall(question)
        receive(clients[0], answer_bytes)
    each = server.answer_bytes
    if not each:
        clients[0].sendall(server.request)
        time.sleep(0.2)
        each = len(clients[0].recv(1 << 20))
    batch = server.request * server.batch
    for _ in range(count // server.batch // CLIENTS):
        for client in clients:
            client.sendall(batch)
        for client in clients:
            receive(client, each * server.batch)
    for client in clients:
        client.close()


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    found = [int(child) for child in text.split()]
    return found + [below for child in found for below in children(child)]


def processor_s(pid: int) -> float:
    """Of a process and all its threads, so far; the kernel counts nanoseconds."""
    total_ns = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            total_ns += int((task / "schedstat").read_text().split()[0])
    return total_ns / 1e9


def named(pids: list[int], program: str) -> list[int]:
    """Those that run the program, not what starts or records it."""
    return [
        pid
        for pid in pids
        if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == program
        or (program == "redis-server" and "redis" in os.readlink(f"/proc/{pid}/exe"))
    ]


@contextlib.contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    it = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield it
    finally:
        it.send_signal(signal.SIGTERM)
        it.wait(60)


def run_once(server: Server, trace: Path | None) -> tuple[float, float]:
    """@return seconds of the server for its requests, and of the recorder"""
    port = free_port()
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        command = server.command(port, Path(name))
        with running([*RECORD, str(trace), "--", *command] if trace else command) as it:
            load(server, port, server.batch * CLIENTS * 10)
            pids = [it.pid, *children(it.pid)]
            own = named(pids, server.program)
            others = [pid for pid in pids if pid not in own]
            before = [sum(map(processor_s, them)) for them in (own, others)]
            load(server, port, server.count)
            after = [sum(map(processor_s, them)) for them in (own, others)]
            for pid in own[:1]:
                os.kill(pid, signal.SIGTERM)
    return after[0] - before[0], after[1] - before[1]


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """The mean of ratios with its 95 % interval, by their logarithms."""
    logs = [math.log(ratio) for ratio in ratios]
    quantile = float(scipy.stats.t.ppf(0.975, len(logs) - 1))
    half = quantile * statistics.stdev(logs) / math.sqrt(len(logs))
    mean = statistics.mean(logs)
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def compare(server: Server, pairs: int) -> None:
    bare: list[float] = []
    recorded: list[float] = []
    beside: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        trace = Path(name) / "run.tmt"
        for pair in range(pairs):
            for is_recorded in (0, 1) if pair % 2 == 0 else (1, 0):
                own_s, other_s = run_once(server, trace if is_recorded else None)
                (recorded if is_recorded else bare).append(own_s)
                if is_recorded:
                    beside.append(other_s)
        events = subprocess.run(
            [sys.executable, "-m", "threadmodel", "info", str(trace)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
    ratio, low, high = interval([b / a for a, b in zip(bare, recorded, strict=True)])
    each_us = statistics.median(bare) / server.count * 1e6
    found = re.search(r"events\s+([\d,]+)", events)
    print(
        f"{server.program}: {each_us:.2f} us a request bare; recorded {ratio:.3f} times"
        f" that, 95 % between {low:.3f} and {high:.3f}, {pairs} pairs of"
        f" {server.count:,} requests; the recorder beside it"
        f" {statistics.median(beside):.2f} s for {statistics.median(bare):.2f} s;"
        f" {found[1] if found else 'no'} events",
        flush=True,
    )


def postgres() -> None:
    """Transactions of pgbench, while the server and all that it forks are recorded."""
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
    if not homes:
        print("postgres: not installed")
        return
    home = homes[-1].parent
    port = free_port()
    root = Path(tempfile.mkdtemp())
    root.chmod(0o777)

    def ask(*command: str) -> str:
        text = " ".join(command)
        return subprocess.run(
            ["su", "postgres", "-s", "/bin/sh", "-c", text],
            cwd="/tmp",
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    at = f"-h {root} -p {port}"
    ask(f"{home}/initdb -D {root}/data -A trust")
    who = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    server = [str(home / "postgres"), "-D", f"{root}/data", "-k", str(root)]
    command = [
        *RECORD,
        f"{root}/run.tmt",
        "--",
        *who,
        *server,
        "-p",
        str(port),
        "-h",
        "",
    ]
    with running(command):
        for _ in range(100):
            with contextlib.suppress(subprocess.CalledProcessError):
                ask(f"{home}/pg_isready {at}")
                break
            time.sleep(0.2)
        ask(f"{home}/pgbench {at} -i -q postgres")
        done = ask(f"{home}/pgbench {at} -c 8 -j 2 -t 2000 postgres")
        sums = ask(
            f'{home}/psql {at} -t -A -c "select (select sum(abalance) from'
            " pgbench_accounts) = (select sum(delta) from pgbench_history), (select"
            ' count(*) from pgbench_history)" postgres'
        )
        ask(f"{home}/pg_ctl -D {root}/data stop -m fast")
    traces = sorted(root.glob("*.tmt"))
    for line in done.splitlines():
        if "transactions actually" in line or "failed" in line:
            print(f"postgres: {line}")
    print(f"postgres: balances agree, rows: {sums.strip()}; {len(traces)} traces")
    shutil.rmtree(root, ignore_errors=True)


def main() -> int:
    arguments = sys.argv[1:]
    pairs = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 10
    if pairs < 2:
        print(f"{pairs} pairs have no interval: two or more are needed")
        return 2
    for server in SERVERS:
        if arguments and server.program not in arguments:
            continue
        if shutil.which(server.program) is None:
            print(f"{server.program}: not installed")
            continue
        compare(server, pairs)
    if not arguments or "postgres" in arguments:
        postgres()
    return 0


if __name__ == "__main__":
    sys.exit(main())
