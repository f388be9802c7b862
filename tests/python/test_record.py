# SPDX-License-Identifier: Apache-2.0
"""``threadmodel record`` from the outside, with real JVMs and without any."""

import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import threadmodel
from conftest import Cli, one_line
from started import started
from threadmodel.attach import join_options
from threadmodel.cli.record import see_it, trace_pattern, traces

AGENT = Path(threadmodel.agent.__file__).with_name(threadmodel.agent.NAME)
pytestmark = pytest.mark.skipif(
    not AGENT.exists(), reason="no agent: built without a JDK"
)

needs_java = pytest.mark.skipif(not shutil.which("javac"), reason="no JDK")

CONTEND = """
import java.util.concurrent.CountDownLatch;

public class Contend {
    static final Object LOCK = new Object();

    static void hold(CountDownLatch held) {
        synchronized (LOCK) {
            held.countDown();
            try { Thread.sleep(50); } catch (InterruptedException e) { }
        }
    }

    static void want() {
        synchronized (LOCK) { }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 3; i++) {
            CountDownLatch held = new CountDownLatch(1);
            Thread holder = new Thread(() -> hold(held), "holder-" + i);
            holder.start();
            held.await();
            want();
            holder.join();
        }
        System.out.println("done " + String.join(",", arguments));
        System.err.println("said");
        if (arguments.length > 0) System.exit(Integer.parseInt(arguments[0]));
    }
}
"""

COUNT_SIGNALS = """
import signal, sys, time
got = []
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda n, frame: got.append(n))
print("ready", flush=True)
end = time.monotonic() + 20
while not got and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.3)
print("got", len(got), got[0] if got else None, flush=True)
sys.exit(7)
"""


@pytest.fixture
def contend(tmp_path: Path) -> Path:
    (tmp_path / "Contend.java").write_text(CONTEND)
    subprocess.run(["javac", "Contend.java"], cwd=tmp_path, check=True)
    return tmp_path


def last_line(stderr: bytes) -> str:
    line = stderr.decode().splitlines()[-1]
    assert line.startswith("threadmodel: ")
    return line


@needs_java
def test_a_java_program_is_recorded(cli: Cli, contend: Path) -> None:
    done = cli("record", "-o", "c.tmt", "--", "java", "Contend")
    assert done.returncode == 0
    assert done.stdout == b"done \n"
    assert done.stderr.startswith(b"said\n")
    assert "c.tmt" in last_line(done.stderr)
    assert "report c.tmt" in last_line(done.stderr)
    model = threadmodel.open(contend / "c.tmt")
    rows = {row["method"]: row for row in model.callers()}
    assert rows["Contend.want"]["blocked_count"] == 3
    assert rows["Contend.want"]["blocked_total_ns"] > 50_000_000
    shown = cli("report", "--all", "c.tmt").stdout.decode()
    assert "Contend.want" in shown


@needs_java
def test_the_exit_status_is_the_programs(cli: Cli, contend: Path) -> None:
    done = cli("record", "java", "Contend", "5")
    assert done.returncode == 5
    assert done.stdout == b"done 5\n"
    assert (contend / "run.tmt").exists()


@needs_java
def test_names_that_need_care_reach_the_agent(cli: Cli, contend: Path) -> None:
    name = "a b,c='1' %% x.tmt"
    done = cli("record", "-o", name, "-d", "2", "java", "Contend")
    assert done.returncode == 0
    assert (contend / name.replace("%%", "%")).exists()
    folder = contend / "with space, and comma"
    folder.mkdir()
    done = cli("record", "-o", folder / "r.tmt", "sh", "-c", "java Contend")
    assert done.returncode == 0
    (made,) = folder.iterdir()
    assert threadmodel.open(made).event_count > 0


@needs_java
def test_depth_and_other_options_reach_the_agent(cli: Cli, contend: Path) -> None:
    cli("record", "-d", "1", "java", "Contend")
    depths = threadmodel.open(contend / "run.tmt").stacks()["depth"].to_list()
    assert set(depths) == {0}
    done = cli("record", "-A", "colour=red", "java", "Contend")
    assert done.returncode != 0
    assert b"colour" in done.stderr


@needs_java
def test_other_programs_start_traced_jvms(cli: Cli, contend: Path) -> None:
    script = "java Contend & java Contend; wait"
    done = cli("record", "-o", "s.tmt", "--", "sh", "-c", script)
    assert done.returncode == 0
    made = sorted(contend.glob("s-*.tmt"))
    assert len(made) == 2
    assert "2 traces" in last_line(done.stderr)
    for path in made:
        assert str(threadmodel.open(path).run.pid) in path.name


@needs_java
def test_java_tool_options_are_added_to(cli: Cli, contend: Path) -> None:
    done = cli(
        "record",
        "sh",
        "-c",
        "java -XshowSettings:properties -version",
        env={"JAVA_TOOL_OPTIONS": "-Dx.y=z"},
    )
    assert b"x.y = z" in done.stderr


@needs_java
def test_a_jvm_that_dies_in_start_up_speaks_for_itself(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "run.tmt").write_bytes(b"of an earlier run")
    done = cli("record", "java", "-XX:+NoSuchOption", "Contend")
    assert done.returncode == 1
    assert b"NoSuchOption" in done.stderr
    assert "no trace" in last_line(done.stderr)


def test_a_program_that_is_not_found_is_127(cli: Cli) -> None:
    done = cli("record", "--", "no-such-program", "x")
    assert (done.returncode, done.stdout) == (127, b"")
    assert one_line(done.stderr) == "threadmodel: no-such-program: program not found"


def test_a_program_that_cannot_start_is_126(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    done = cli("record", "./text")
    assert done.returncode == 126
    assert "./text" in one_line(done.stderr)
    assert cli("record", ".").returncode == 126


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["record"], "Name a program"),
        (["record", "--"], "Name a program"),
        (["record", "-o", "no/such/run.tmt", "true"], "no/such"),
        (["record", "-o", ".", "true"], "folder"),
        (["record", "-d", "-1", "true"], "--depth"),
        (["record", "-d", "many", "true"], "many"),
    ],
)
def test_wrong_usage_is_one_line(cli: Cli, arguments: list[str], part: str) -> None:
    done = cli(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert part in one_line(done.stderr)


def test_a_program_without_a_jvm_leaves_no_trace(cli: Cli) -> None:
    done = cli("record", "--", "sh", "-c", "cat; exit 0", input=b"through\n")
    assert (done.returncode, done.stdout) == (2, b"through\n")
    assert "no trace" in one_line(done.stderr)
    assert cli("record", "sh", "-c", "exit 9").returncode == 9


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_death_by_a_signal_is_128_plus_it(cli: Cli, number: int) -> None:
    done = cli("record", "sh", "-c", f"kill -{number:d} $$")
    assert done.returncode == 128 + number


def test_the_program_has_the_default_signals(cli: Cli) -> None:
    script = "import signal; print(*map(int, signal.pthread_sigmask(0, [])))"
    done = cli("record", sys.executable, "-c", script)
    assert done.stdout == b"\n"
    status = "grep -E 'Sig(Ign|Blk)' /proc/self/status"
    done = cli("record", "sh", "-c", status)
    for line in done.stdout.decode().splitlines():
        assert int(line.split()[1], 16) & (1 << signal.SIGPIPE - 1) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_sent_to_us_reaches_the_program_once(
    tmp_path: Path, number: int
) -> None:
    with started(
        [
            *(sys.executable, "-m", "threadmodel", "record"),
            *(sys.executable, "-c", COUNT_SIGNALS),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == f"got 1 {number:d}\n".encode()
        assert process.wait(30) == 7


def test_ctrl_c_in_a_terminal_reaches_the_program_once(tmp_path: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(
            sys.executable,
            [
                *(sys.executable, "-m", "threadmodel", "record"),
                *(sys.executable, "-c", COUNT_SIGNALS),
            ],
        )
    shown = b""

    def read_until(text: bytes) -> None:
        nonlocal shown
        end = time.monotonic() + 30
        while text not in shown:
            assert time.monotonic() < end, shown
            shown += os.read(terminal, 4096)

    read_until(b"ready")
    os.write(terminal, b"\x03")
    read_until(b"got 1 2")
    read_until(b"no trace")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 7
    assert b"Traceback" not in shown


def test_the_program_sees_the_terminal(tmp_path: Path) -> None:
    shown: list[bytes] = []

    def read(terminal: int) -> bytes:
        part = os.read(terminal, 4096)
        shown.append(part)
        return part

    script = "import os; print([os.isatty(n) for n in range(3)])"
    pty.spawn(
        [
            *("sh", "-c", 'cd "$0" && "$@"', str(tmp_path)),
            *(sys.executable, "-m", "threadmodel", "record"),
            *(sys.executable, "-c", script),
        ],
        read,
    )
    assert b"[True, True, True]" in b"".join(shown)


def test_patterns_find_their_traces_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a-1.tmt", "a-22.tmt", "a-x.tmt", "a-.tmt", "b-1.tmt", "[z]%-3.tmt"):
        (tmp_path / name).touch()
    pattern = trace_pattern("a.tmt", several=True)
    assert pattern == str(tmp_path / "a-%p.tmt")
    assert {Path(p).name for p in traces(pattern)} == {"a-1.tmt", "a-22.tmt"}
    assert [Path(p).name for p in traces(str(tmp_path / "[z]%%-%p.tmt"))] == [
        "[z]%-3.tmt"
    ]
    assert trace_pattern("%p.tmt", several=True) == str(tmp_path / "%p.tmt")
    assert trace_pattern("a.tmt", several=False) == str(tmp_path / "a.tmt")


def test_commas_in_options_are_doubled() -> None:
    assert join_options(["file=a,b", "depth=3"]) == "file=a,,b,depth=3"


@pytest.mark.parametrize(
    "name",
    ["-x.tmt", "--json", "a b.tmt", "two\nlines.tmt", "it's\t\\.tmt", "\udcff\x1b"],
)
def test_the_hint_names_any_file_as_a_shell_reads_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hint = see_it([str(tmp_path / name)])
    assert hint.isprintable()
    words = hint.partition(" report ")[2]
    printed = subprocess.run(
        ["bash", "-c", f"printf %s {words}"], stdout=subprocess.PIPE, check=True
    ).stdout
    assert not printed.startswith(b"-")
    assert os.path.normpath(printed) == os.fsencode(name)
