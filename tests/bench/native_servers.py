# SPDX-License-Identifier: Apache-2.0
"""What recording costs servers of others: Redis, memcached, nginx, MariaDB.
usage: native_servers.py [RUNS] [SERVER...]

In a run a server is up three times: bare, recorded, and bare once more. They answer as
many requests, in slices by turns, so that a machine that gets slower does so for all.
What counts is the processor time of the server's own process for them; the recorder
beside it is counted apart. The second bare one shows how much two processes of one
program differ. PostgreSQL is asked whether its transactions stay whole when it is
recorded, though it forks.
"""

import contextlib
import math
import os
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))

from native_processes import (
    children,
    connect,
    free_port,
    named,
    processor_s,
    receive,
    running,
    switches,
    user_s,
)

from rounds import interval

CLIENTS = 16
SLICES = 30
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
        greet: what a client of its protocol does first
    """

    program: str
    command: Callable[[int, Path], list[str]]
    prepare: tuple[bytes, int]
    request: bytes
    answer_bytes: int
    batch: int
    count: int
    greet: Callable[[socket.socket], None] = lambda client: None


def query(text: str) -> bytes:
    """A question in the protocol of MariaDB."""
    packet = b"\3" + text.encode()
    return struct.pack("<I", len(packet)) + packet


def log_in(client: socket.socket) -> None:
    """At a MariaDB that asks for no password."""
    receive_packet(client)
    abilities = 0x1 | 0x200 | 0x8000  # long flags, protocol 4.1, its way of passwords
    answer = struct.pack("<IIB23s", abilities, 1 << 24, 33, b"") + b"root\0\0"
    client.sendall(struct.pack("<I", len(answer) | 1 << 24) + answer)
    if receive_packet(client)[:1] != b"\0":
        raise SystemExit("MariaDB lets nobody in")


def receive_packet(client: socket.socket) -> bytes:
    length = struct.unpack("<I", client.recv(4, socket.MSG_WAITALL))[0] & 0xFFFFFF
    return client.recv(length, socket.MSG_WAITALL)


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
        150_000,
    ),
    Server(
        "mariadbd",
        lambda port, folder: [
            *("mariadbd", "--no-defaults", "--user=root", "--skip-grant-tables"),
            *("--bind-address=127.0.0.1", f"--port={port}", f"--datadir={folder}"),
            *(f"--socket={folder}/socket", "--innodb-buffer-pool-size=32M"),
        ],
        (
            query("create database d")
            + query(
                "create table d.t(id int primary key, v varchar(200)) engine=innodb"
            )
            + query("insert into d.t values (1, repeat('v', 100))"),
            3 * 11,
        ),
        query("select v from d.t where id = 1"),
        0,
        1,
        60_000,
        log_in,
    ),
)


class Load:
    """Clients that stay connected to one server.

    They send a batch each, and then take all the answers.
    """

    def __init__(self, server: Server, port: int) -> None:
        self.clients = [connect(port) for _ in range(CLIENTS)]
        for client in self.clients:
            server.greet(client)
        question, answer_bytes = server.prepare
        if question:
            self.clients[0].sendall(question)
            receive(self.clients[0], answer_bytes)
        each = server.answer_bytes
        if not each:
            self.clients[0].sendall(server.request)
            time.sleep(0.2)
            each = len(self.clients[0].recv(1 << 20))
        self.batch = server.request * server.batch
        self.answers = each * server.batch

    def put(self, rounds: int) -> None:
        for _ in range(rounds):
            for client in self.clients:
                client.sendall(self.batch)
            for client in self.clients:
                receive(client, self.answers)

    def close(self) -> None:
        for client in self.clients:
            client.close()


class Started:
    """A server that is up, and the time on processors that its load took."""

    def __init__(self, server: Server, port: int, it: subprocess.Popen[bytes]) -> None:
        self.load = Load(server, port)
        pids = [it.pid, *children(it.pid)]
        self.own = named(pids, server.program)
        self.others = [pid for pid in pids if pid not in self.own]
        self.own_s = 0.0
        self.user_s = 0.0
        self.switches = 0
        self.load.put(10)
        self.other_s = -sum(map(processor_s, self.others))

    def serve(self, rounds: int) -> None:
        before_s = sum(map(processor_s, self.own))
        before_user_s = sum(map(user_s, self.own))
        before = sum(map(switches, self.own))
        self.load.put(rounds)
        self.own_s += sum(map(processor_s, self.own)) - before_s
        self.user_s += sum(map(user_s, self.own)) - before_user_s
        self.switches += sum(map(switches, self.own)) - before

    def stop(self) -> None:
        self.other_s += sum(map(processor_s, self.others))
        self.load.close()
        for pid in self.own[:1]:
            os.kill(pid, signal.SIGTERM)


def run_three(server: Server, trace: Path, first: int) -> list[Started]:
    """Bare, recorded, and bare once more: all up, and served in slices by turns.

    Args:
        server: started three times
        trace: of the recorded one
        first: which of them is started first; where a process lies in memory matters
    """
    with contextlib.ExitStack() as stack:
        started: list[Started] = []
        for number in range(3):
            is_recorded = (number + first) % 3 == 1
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            folder.chmod(0o755)
            port = free_port()
            command = server.command(port, folder)
            before = [*RECORD, str(trace), "--"] if is_recorded else []
            it = stack.enter_context(running([*before, *command]))
            started.append(Started(server, port, it))
        rounds = server.count // server.batch // CLIENTS // SLICES
        for number in range(SLICES):
            turn = number % len(started)
            order = started[turn:] + started[:turn]
            for one in order if number % 2 else reversed(order):
                one.serve(rounds)
        for one in started:
            one.stop()
    return [started[(number - first) % 3] for number in range(3)]


def compare(server: Server, runs: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        trace = Path(name) / "run.tmt"
        done = [run_three(server, trace, number) for number in range(runs)]
        events = subprocess.run(
            [sys.executable, "-m", "threadmodel", "info", str(trace)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
    found = re.search(r"events\s+([\d,]+)", events)
    bare_s = statistics.median(bare.own_s for bare, _, _ in done)
    print(
        f"{server.program}: {bare_s / server.count * 1e6:.2f} us a request, {runs} runs"
        f" of {server.count:,}; the recorder beside it"
        f" {statistics.median(it.other_s for _, it, _ in done):.2f} s for"
        f" {bare_s:.2f} s; {found[1] if found else 'no'} events"
    )
    # What recording costs is beside both bare ones.
    costs = [it.own_s / math.sqrt(a.own_s * b.own_s) for a, it, b in done]
    noise = [b.own_s / a.own_s for a, _, b in done]
    for what, ratios in (("recorded", costs), ("bare once more", noise)):
        ratio, low, high = interval(ratios)
        print(f"  {what}: {ratio:.3f} times, 95 % {low:.3f} to {high:.3f}", flush=True)
    for i, what in enumerate(("bare", "recorded", "bare once more")):
        waits = statistics.mean(run[i].switches for run in done) / server.count
        user = statistics.mean(run[i].user_s for run in done) / server.count
        print(
            f"  {what}: {user * 1e6:.2f} us of a request in user mode, and its threads"
            f" wait {waits * 1e3:.0f} times for a thousand",
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
    runs = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 10
    if runs < 2:
        print(f"{runs} runs have no interval: two or more are needed")
        return 2
    for server in SERVERS:
        if arguments and server.program not in arguments:
            continue
        if shutil.which(server.program) is None:
            print(f"{server.program}: not installed")
            continue
        compare(server, runs)
    if not arguments or "postgres" in arguments:
        postgres()
    return 0


if __name__ == "__main__":
    sys.exit(main())
