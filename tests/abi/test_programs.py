# SPDX-License-Identifier: Apache-2.0
"""The set-up installs every program that a test starts, and calls of ./dev wait."""

import ast
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEV = (ROOT / "dev").read_text()
# Of packages that every Debian has, of the JDK, and of .venv.
ESSENTIAL = (
    "bash cat cp env ldconfig ldd mkfifo mount nsenter setarch setpriv sh sleep su"
)
ESSENTIAL += " tar taskset timeout umount unshare"
JDK = {"jar", "java", "javac", "jcmd", "jstack"}
VENV = {"clang-format", "meson", "mypy", "ninja", "python", "ruff"}
# A C compiler is gcc, and Go is in .venv/go where the machine has none.
OTHERS = {"cc", "go"}
# Examples that a test builds, and commands of threadmodel.
OWN = {"own_format", "record_threads"}
OWN |= {"convert", "export", "path", "report", "stats", "timeline", "whatif"}
# Verbs of `./dev bench` set up what they start, and say what is missing.
WITHOUT = ("tests/bench/",)
STARTS = {"run", "Popen", "call", "check_call", "check_output", "which"}


def installed() -> set[str]:
    """Return the programs that the lists of packages in dev name."""
    return set(re.findall(r'"[a-z0-9+.-]+ (?:/\S*/)?([a-z0-9+_.-]+)"', DEV))


class Programs:
    """The programs that a module starts, as far as its text shows them."""

    def __init__(self, text: str) -> None:
        """Read a module."""
        self.tree = ast.parse(text)
        self.values: dict[str, list[ast.expr]] = {}
        self.calls: dict[str, list[ast.Call]] = {}
        nodes = list(ast.walk(self.tree))
        for node in nodes:
            if isinstance(node, ast.Call):
                self.calls.setdefault(name_of(node), []).append(node)
        for node in nodes:
            self._note(node)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.values.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.FunctionDef):
            places = {it.arg: place for place, it in enumerate(node.args.args)}
            for call in self.calls.get(node.name, []):
                for name, place in places.items():
                    if place < len(call.args):
                        self.values.setdefault(name, []).append(call.args[place])
        elif isinstance(node, ast.Call) and name_of(node) == "parametrize":
            match node.args:
                case [ast.Constant(value=str(name)), ast.List(elts=elements), *_]:
                    self.values.setdefault(name, []).extend(elements)

    def first(self, node: ast.expr, depth: int = 0) -> Iterator[str]:
        """Yield what a command may begin with."""
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.List(elts=[one, *_]) | ast.Tuple(elts=[one, *_]):
                yield from self.first(one, depth)
            case ast.BinOp(left=one) | ast.Starred(value=one):
                yield from self.first(one, depth)
            case ast.Name(id=name) if depth < 3:
                for value in self.values.get(name, []):
                    yield from self.first(value, depth + 1)

    def started(self) -> Iterator[str]:
        """Yield the names of all programs that are started or sought."""
        for node in [call for name in STARTS for call in self.calls.get(name, [])]:
            if node.args:
                function = node.func
                # A function of that name of something else starts no program.
                if not isinstance(function, ast.Attribute) or (
                    not isinstance(function.value, ast.Name)
                    or function.value.id not in ("subprocess", "shutil")
                ):
                    continue
                yield from self.first(node.args[0])


def name_of(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_the_set_up_installs_every_program_that_a_test_starts() -> None:
    known = set(ESSENTIAL.split()) | JDK | VENV | OTHERS | OWN | installed()
    wanted: dict[str, str] = {}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        place = str(path.relative_to(ROOT))
        if not place.startswith(WITHOUT):
            for name in Programs(path.read_text()).started():
                # A path, an option, or an argument of threadmodel's own command.
                if re.fullmatch(r"[a-z][a-z0-9+_.-]*", name):
                    wanted.setdefault(name, place)
    assert {"clang++", "abidiff", "strace", "mvn", "go"} <= wanted.keys()
    missing = {name: place for name, place in wanted.items() if name not in known}
    assert not missing, f"add their packages to check_packages in dev: {missing}"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('subprocess.run(["gcc", "-c"])', ["gcc"]),
        ('command = ["gcc"]\nsubprocess.run([*command, "-c"])', ["gcc"]),
        ('shutil.which("dot")', ["dot"]),
        (
            "def build(to, compiler):\n    subprocess.run([compiler, to])\n"
            'build("it", "clang++")',
            ["clang++"],
        ),
        ('parametrize("it", ["g++", "clang"])\nsubprocess.run([it])', ["g++", "clang"]),
        ('model.run("report")', []),
    ],
)
def test_programs_are_found_in_the_text_of_a_test(text: str, names: list[str]) -> None:
    assert list(Programs(text).started()) == names


# In place of meson and ninja: they end with status 1 if another one is in the folder,
# and stay in it until the test writes a file.
STUB = """\
#!/bin/sh
mkdir "{folder}/busy" || exit 1
until [ -e "{folder}/go" ]; do sleep 0.02; done
mkdir -p "{folder}/build" && touch "{folder}/build/build.ninja"
rmdir "{folder}/busy"
"""


def test_two_calls_at_the_same_time_wait_for_one_another(tmp_path: Path) -> None:
    for name in ("dev", "requirements.txt"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    (tmp_path / "dev").chmod(0o755)
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    stubs = {name: STUB.format(folder=tmp_path) for name in ("meson", "ninja")}
    stubs["python"] = "#!/bin/sh\necho it ran\n"
    for name, text in stubs.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    requirements = (tmp_path / "requirements.txt").read_text().rstrip("\n")
    (tmp_path / ".venv/stamp").write_text(f"{tmp_path}\n{requirements}\n")

    def call() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [tmp_path / "dev", "run", "--version"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "THREADMODEL_CALLED_AS": "x"},
        )

    calls = [call()]
    while not (tmp_path / "busy").exists():
        assert calls[0].poll() is None, calls[0].communicate()
        time.sleep(0.02)
    calls += [call(), call()]
    for other in calls[1:]:
        assert "waiting for another" in other.stderr.readline()
    (tmp_path / "go").touch()
    ends = [(*call.communicate(timeout=120), call.returncode) for call in calls]
    assert [(said, status) for said, _, status in ends] == [("it ran\n", 0)] * 3, ends
