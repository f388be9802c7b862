# SPDX-License-Identifier: Apache-2.0
"""Dumps of programs that work: no thread of them may be shown to be stuck.
usage: native_dumps.py [LOOKS] [PROGRAM...]

Each program that is installed is started and loaded, and dumped LOOKS times, two dumps
at a time. A dump is wrong where it has a deadlock, a thread that waits for itself, or a
verdict that threads are stuck.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import native_processes
import native_servers

import threadmodel
from threadmodel import native

GET = b"GET / HTTP/1.0\r\n\r\n"
PYTHON_SERVER = """
import http.server, sys
http.server.ThreadingHTTPServer(
    ("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler
).serve_forever()
"""
PYTHON_POOL = """
import concurrent.futures, time
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    while True: list(pool.map(lambda n: sum(range(n)), [20000] * 64))
"""
PYTHON_QUEUE = """
import queue, threading, time
jobs = queue.Queue(4)
def work():
    while True: jobs.get(); time.sleep(0.001)
for _ in range(4): threading.Thread(target=work, daemon=True).start()
while True: jobs.put(1)
"""
RUBY_SERVER = """
require "socket"
server = TCPServer.new("127.0.0.1", ARGV[0].to_i)
loop { client = server.accept
  Thread.new { client.gets; client.write "HTTP/1.0 200 OK\\r\\n\\r\\n"; client.close } }
"""
RUBY_THREADS = """
lock = Mutex.new
works = 4.times.map {
  Thread.new { loop { lock.synchronize { rand }; sleep 0.001 } } }
works.each(&:join)
"""
NODE_SERVER = """
require("http").createServer((q, r) => require("crypto").pbkdf2(
  "a", "b", 1000, 64, "sha512", () => r.end("x"))).listen(+process.argv[1], "127.0.0.1")
"""
NODE_WORKERS = """
const { Worker } = require("worker_threads")
for (let i = 0; i < 4; i++) new Worker(
  "const {parentPort: p} = require('worker_threads');" +
  "p.on('message', m => p.postMessage(m + 1))", { eval: true })
  .on("message", function (m) { this.postMessage(m) }).postMessage(0)
"""
HAPROXY = """
global
    nbthread 4
defaults
    mode http
    timeout client 5s
    timeout server 5s
    timeout connect 5s
frontend all
    bind 127.0.0.1:{port}
    http-request return status 200 content-type text/plain string x
"""

OPENMP = """
int main(void)
{
    volatile double sums[8] = {0};
    for (;;) {
#pragma omp parallel num_threads(4)
        for (int i = 0; i < 100000; i++) {
#pragma omp critical
            sums[0] += i;
        }
    }
}
"""
CPLUSPLUS = """
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
std::mutex lock;
std::condition_variable some, room;
std::queue<int> jobs;
void take()
{
    for (;;) {
        std::unique_lock<std::mutex> own(lock);
        some.wait(own, [] { return !jobs.empty(); });
        jobs.pop();
        room.notify_one();
    }
}
int main()
{
    for (int i = 0; i < 4; i++) std::thread(take).detach();
    for (;;) {
        std::unique_lock<std::mutex> own(lock);
        room.wait(own, [] { return jobs.size() < 8; });
        jobs.push(1);
        some.notify_one();
    }
}
"""
RUST = """
use std::sync::{mpsc, Arc, Mutex};
fn main() {
    let (give, take) = mpsc::sync_channel::<u32>(8);
    let take = Arc::new(Mutex::new(take));
    for _ in 0..4 {
        let take = take.clone();
        std::thread::spawn(move || loop { take.lock().unwrap().recv().unwrap(); });
    }
    loop { give.send(1).unwrap(); }
}
"""
GO = """
package main
import ("fmt"; "net/http"; "os")
func main() {
    http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
        fmt.Fprint(w, 1)
    })
    http.ListenAndServe("127.0.0.1:" + os.Args[1], nil)
}
"""

Command = Callable[[int, Path], list[str]]


def haproxy(port: int, folder: Path) -> list[str]:
    (folder / "haproxy.cfg").write_text(HAPROXY.format(port=port))
    return ["haproxy", "-db", "-f", str(folder / "haproxy.cfg")]


def compressor(*command: str) -> Command:
    """A program that compresses what has no end."""

    def made(_: int, __: Path) -> list[str]:
        return ["sh", "-c", f"base64 /dev/urandom | {' '.join(command)} > /dev/null"]

    return made


def compiled(source: str, text: str, *compiler: str) -> Command:
    def made(port: int, folder: Path) -> list[str]:
        (folder / source).write_text(text)
        command = [*compiler, "-o", str(folder / "it"), str(folder / source)]
        subprocess.run(command, check=True)
        return [str(folder / "it"), str(port)]

    return made


PROGRAMS: dict[str, tuple[str, Command]] = {
    "haproxy": ("haproxy", haproxy),
    "python server": (
        "python3",
        lambda port, _: [sys.executable, "-c", PYTHON_SERVER, str(port)],
    ),
    "python pool": ("python3", lambda _, __: [sys.executable, "-c", PYTHON_POOL]),
    "python queue": ("python3", lambda _, __: [sys.executable, "-c", PYTHON_QUEUE]),
    "ruby server": ("ruby", lambda port, _: ["ruby", "-e", RUBY_SERVER, str(port)]),
    "ruby threads": ("ruby", lambda _, __: ["ruby", "-e", RUBY_THREADS]),
    "node server": ("node", lambda port, _: ["node", "-e", NODE_SERVER, str(port)]),
    "node workers": ("node", lambda _, __: ["node", "-e", NODE_WORKERS]),
    "zstd": ("zstd", compressor("zstd", "-T4", "-q")),
    "xz": ("xz", compressor("xz", "-T4", "-0")),
    "pigz": ("pigz", compressor("pigz", "-p", "4")),
    "ffmpeg": (
        "ffmpeg",
        lambda _, __: (
            ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc"]
            + ["-c:v", "libx264", "-threads", "4", "-f", "null", "-"]
        ),
    ),
    "openmp": ("cc", compiled("it.c", OPENMP, "cc", "-O1", "-fopenmp")),
    "c++ queue": ("c++", compiled("it.cpp", CPLUSPLUS, "c++", "-O1", "-pthread")),
    "rust channel": ("rustc", compiled("it.rs", RUST, "rustc", "-O")),
    "go server": ("go", compiled("it.go", GO, "go", "build")),
}


def ask(port: int, ends: threading.Event) -> None:
    while not ends.is_set():
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), 1) as client,
        ):
            client.sendall(GET)
            client.recv(4096)
            continue
        time.sleep(0.01)


@contextlib.contextmanager
def loaded(work: Callable[[threading.Event], None], count: int) -> Iterator[None]:
    ends = threading.Event()
    threads = [threading.Thread(target=work, args=(ends,)) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ends.set()
        for thread in threads:
            thread.join()


def wrong_in(pid: int, trace: Path) -> list[str]:
    text = native.dump(pid, str(trace), times=2, every_s=0.05)
    model = threadmodel.open(str(trace))
    kinds = [str(kind) for kind in model.verdict()["kind"]]
    wrong = [kind for kind in kinds if "stuck" in kind or "deadlock" in kind]
    wrong += ["a deadlock"] if len(model.deadlocks()) else []
    return wrong + (["owns itself"] if "owns itself" in text else [])


def look(name: str, pids: list[int], looks: int, trace: Path) -> int:
    wrong: list[str] = []
    taken = 0
    for _ in range(looks):
        for pid in pids:
            wrong += wrong_in(pid, trace)
            taken += 2
    print(f"{name}: {taken} dumps of {len(pids)} processes, {len(wrong)} wrong", *wrong)
    return len(wrong)


def process_tree(pid: int) -> list[int]:
    """Those that work, and not the shell that started them."""
    pids = [pid, *native_processes.children(pid)]
    return [
        each
        for each in pids
        if Path(f"/proc/{each}/comm").read_text().strip() not in ("sh", "base64")
    ]


def look_at_server(server: native_servers.Server, looks: int, folder: Path) -> int:
    port = native_processes.free_port()
    with native_processes.running(server.command(port, folder)) as it:
        load = native_servers.Load(server, port)

        def work(ends: threading.Event) -> None:
            while not ends.is_set():
                load.put(1)

        with loaded(work, 1):
            pids = process_tree(it.pid)
            wrong = look(server.program, pids, looks, folder / "dump.tmt")
        load.close()
    return wrong


def look_at(name: str, command: Command, looks: int, folder: Path) -> int:
    port = native_processes.free_port()
    with native_processes.running(command(port, folder)) as it:
        time.sleep(1)
        with loaded(lambda ends: ask(port, ends), 4):
            pids = process_tree(it.pid)
            wrong = look(name, pids, looks, folder / "dump.tmt")
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return wrong


def main() -> int:
    arguments = sys.argv[1:]
    looks = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 10
    wrong = programs = 0
    for server in native_servers.SERVERS:
        if arguments and server.program not in arguments:
            continue
        if not shutil.which(server.program):
            print(f"{server.program}: not installed")
            continue
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(0o755)
            wrong += look_at_server(server, looks, Path(name))
            programs += 1
    for title, (program, command) in PROGRAMS.items():
        if arguments and title not in arguments:
            continue
        if not shutil.which(program):
            print(f"{title}: not installed")
            continue
        with tempfile.TemporaryDirectory() as name:
            wrong += look_at(title, command, looks, Path(name))
            programs += 1
    print(f"{programs} programs, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
