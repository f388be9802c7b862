# SPDX-License-Identifier: Apache-2.0
"""The jar: Maven builds and tests it, and its command line records and explains itself.

Maven fetches what it needs from Maven Central; where that cannot be reached, all is
skipped.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("THREADMODEL_BUILD", ROOT / "build"))
HOME = Path(os.environ.get("JAVA_HOME", "/usr/lib/jvm/default-java"))
LIBRARIES = (
    "agent/jvm/libthreadmodel-agent.so",
    "bindings/java/libthreadmodel-java.so",
)
PROGRAM = """\
public class Waits {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        System.in.read();
    }
}
"""

# A run whose agent began with the JVM, and asked it for the monitors that are held.
ORDERS = """\
public class Orders {
    static void nest(Object first, Object second) throws Exception {
        Thread owner = new Thread(() -> {
            synchronized (second) {
                try {
                    Thread.sleep(200);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        owner.start();
        while (owner.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        synchronized (first) {
            synchronized (second) {
                second.notifyAll();
            }
        }
    }

    static Thread nesting(Object first, Object second, Thread after) {
        return new Thread(() -> {
            try {
                while (after != null && after.getState() != Thread.State.TERMINATED) {
                    Thread.onSpinWait();
                }
                nest(first, second);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    public static void main(String[] arguments) throws Exception {
        Object left = new Object(), right = new Object();
        Thread one = nesting(left, right, null), other = nesting(right, left, one);
        other.start();
        one.start();
        other.join();
    }
}
"""


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("mvn") is None:
        pytest.skip("mvn is not installed")
    folder = tmp_path_factory.mktemp("jar")
    native = folder / "native" / f"linux-{os.uname().machine}"
    native.mkdir(parents=True)
    for library in LIBRARIES:
        shutil.copy(BUILD / library, native)
    project = folder / "project/bindings/java"
    shutil.copytree(
        ROOT / "bindings/java", project, ignore=shutil.ignore_patterns("target")
    )
    shutil.copy(ROOT / "LICENSE", folder / "project")
    command = ["mvn", "--batch-mode", "--no-transfer-progress", "--file", project]
    done = subprocess.run(
        [*command, "package", f"-Dnative={native.parent}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if "could not be resolved" in done.stdout or "Could not transfer" in done.stdout:
        pytest.skip("Maven Central cannot be reached")
    assert done.returncode == 0, done.stdout
    assert re.search(r"Tests run: [1-9]\d*, Failures: 0, Errors: 0", done.stdout)
    return next((project / "target").glob("threadmodel-agent-*[0-9].jar"))


def call(
    jar: Path, *arguments: str, options: tuple[str, ...] = (), **variables: str
) -> tuple[int, str, str]:
    """Call the jar: its status, output and errors."""
    done = subprocess.run(
        [HOME / "bin/java", *options, "-jar", jar, *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_jvm_records_itself_by_the_option_that_it_prints(
    jar: Path, tmp_path: Path
) -> None:
    status, option, _ = call(
        jar,
        "option",
        f"file={tmp_path}/run.tmt",
        options=(f"-Dthreadmodel.folder={tmp_path}",),
    )
    assert status == 0
    subprocess.run([HOME / "bin/java", option.strip(), "-version"], check=True)
    assert (tmp_path / "run.tmt").stat().st_size > 0


def test_a_running_jvm_is_recorded_and_checked(jar: Path, tmp_path: Path) -> None:
    source = tmp_path / "Waits.java"
    source.write_text(PROGRAM)
    own = (f"-Dthreadmodel.folder={tmp_path}",)
    with subprocess.Popen(
        [HOME / "bin/java", source],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == "ready\n"
            pid = str(program.pid)
            trace = tmp_path / "run.tmt"
            status, _, said = call(jar, "attach", pid, f"file={trace}", options=own)
            assert (status, "recording process" in said) == (0, True), said
            status, _, said = call(jar, "attach", pid, options=own)
            assert (status, said) == (
                2,
                f"threadmodel: process {pid}: it is being recorded already, to "
                f"{trace}\n",
            )
            status, _, said = call(jar, "control", pid, "stop", options=own)
            assert (status, "is complete" in said) == (0, True), said
            status, _, said = call(jar, "control", pid, "stop", options=own)
            assert (status, "nothing is being recorded" in said) == (2, True), said
        finally:
            program.communicate("\n")
    status, text, _ = call(jar, "check", str(trace), options=own)
    assert (status, text) == (0, "threads queued for 0.0 % of their time\n")


def test_a_cycle_of_lock_order_is_known_where_the_agent_began_with_the_jvm(
    jar: Path, tmp_path: Path
) -> None:
    source, trace = tmp_path / "Orders.java", tmp_path / "run.tmt"
    source.write_text(ORDERS)
    own = (f"-Dthreadmodel.folder={tmp_path}",)
    _, option, _ = call(jar, "option", f"file={trace}", "held=y", options=own)
    # A compiler in that JVM would use up what walks of stacks may take.
    subprocess.run([HOME / "bin/javac", source], check=True)
    command = [HOME / "bin/java", option.strip(), "-cp", tmp_path, "Orders"]
    subprocess.run(command, check=True)
    status, text, _ = call(jar, "check", str(trace), options=own)
    assert status == 1
    assert text.startswith("lock order: Thread-")
    assert " wants java.lang.Object@" in text


def test_where_the_home_is_read_only_it_lies_among_temporary_files(
    jar: Path, tmp_path: Path
) -> None:
    # Root may write anywhere but to a file in place of a folder.
    (tmp_path / "home").write_text("")
    (tmp_path / "tmp").mkdir()
    status, path, _ = call(
        jar,
        "path",
        options=(f"-Djava.io.tmpdir={tmp_path}/tmp",),
        XDG_CACHE_HOME=f"{tmp_path}/home",
    )
    assert status == 0
    assert path.startswith(f"{tmp_path}/tmp/threadmodel-")


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (("nonsense",), (), "there is no command 'nonsense'; see help"),
        (("option", "depth"), (), "'depth' is not of the form KEY=VALUE; see help"),
        (("attach", "x"), (), "which process? Give its number, as jps shows it"),
        (("attach", "4194305"), (), "there is no process 4194305"),
        (("control", "1", "begin"), (), "control PID, and one of"),
        (("check", "/none.tmt"), (), "/none.tmt"),
        (("path",), ("-Dos.name=Mac OS X",), "there is no agent for Mac OS X on "),
        (("path",), ("-Dos.arch=s390x",), "on s390x: it records on Linux, x86-64"),
        (
            ("path",),
            ("-Dthreadmodel.folder=/proc/none",),
            "name a folder that can be written to and executed from",
        ),
    ],
)
def test_what_is_wrong_takes_one_line(
    jar: Path, arguments: tuple[str, ...], options: tuple[str, ...], says: str
) -> None:
    status, text, said = call(jar, *arguments, options=options)
    assert (status, text, said.count("\n")) == (2, "", 1)
    assert said.startswith("threadmodel: ")
    assert says in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("noexec,size=16m", ("failed to map segment", "executed from")),
        ("size=64k", ("No space left on device",)),
    ],
)
def test_a_file_system_that_will_not_do_is_named(
    jar: Path, tmp_path: Path, how: str, says: tuple[str, ...]
) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", how, "tmpfs", tmp_path]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this system mounts nothing")
    try:
        status, _, said = call(
            jar, "path", options=(f"-Dthreadmodel.folder={tmp_path}",)
        )
    finally:
        subprocess.run(["umount", tmp_path], check=True)
    assert (status, said.count("\n")) == (2, 1)
    assert all(words in said for words in says)
