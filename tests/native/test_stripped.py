# SPDX-License-Identifier: Apache-2.0
"""Names in C++ programs with and without symbols, beside those that the linker put."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from recording import record
from situations import running

import threadmodel
from threadmodel import native

SOURCE = """
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
static std::mutex lock;
static std::condition_variable ready;
static int jobs;
static void serve()
{
    for (int i = 0; i < 20; i++) {
        std::unique_lock<std::mutex> held(lock);
        ready.wait(held, [] { return jobs > 0; });
        jobs--;
    }
}
struct Pool {
    void give()
    {
        for (int i = 0; i < 40; i++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            std::lock_guard<std::mutex> held(lock);
            jobs++;
            ready.notify_one();
        }
    }
};
int main(int count, char **)
{
    Pool pool;
    std::thread first(serve), second(serve);
    if (count > 1)
        getchar();
    std::thread giver(&Pool::give, &pool);
    for (std::thread *it : {&first, &second, &giver})
        it->join();
}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpp")
    (folder / "server.cpp").write_text(SOURCE)
    command = ["g++", "-std=c++17", "-O2", "-g", "-pthread", "server.cpp"]
    if not shutil.which("g++") or not shutil.which("strip"):
        pytest.skip("no compiler of C++")
    subprocess.run([*command, "-o", "server"], cwd=folder, check=True)
    subprocess.run(["strip", "-o", "bare", "server"], cwd=folder, check=True)
    return folder / "server"


def addresses(program: Path, pattern: str) -> set[str]:
    """The addresses of symbols, as places in a file without them."""
    text = subprocess.check_output(["nm", "-C", program], text=True)
    found = re.findall(r"^0*([0-9a-f]+) \S (.*)$", text, re.MULTILINE)
    return {f"bare+0x{address}" for address, name in found if re.search(pattern, name)}


def test_a_thread_of_cpp_is_called_after_its_function(
    server: Path, tmp_path: Path
) -> None:
    assert record(tmp_path / "run.tmt", str(server)).returncode == 0
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    names = ["Pool::give", "serve", "serve", "server"]
    assert sorted(model.threads()["name"]) == names


def test_without_symbols_names_are_places_in_the_file(
    server: Path, tmp_path: Path
) -> None:
    assert record(tmp_path / "run.tmt", str(server.with_name("bare"))).returncode == 0
    model = threadmodel.open(str(tmp_path / "run.tmt"))
    (ready,) = addresses(server, "^ready$")
    assert f"condition {ready}" in set(model.timeline()["object"])
    names = set(model.threads()["name"]) - {"bare"}
    assert len(names) == 2
    assert names <= addresses(server, "_M_run|^serve|^Pool::give")


def test_a_dump_has_the_same_names(server: Path, tmp_path: Path) -> None:
    (ready,) = addresses(server, "^ready$")
    routines = addresses(server, "_M_run|^serve")
    wanted = {
        "server": ({"serve"}, "condition ready"),
        "bare": (routines, f"condition {ready}"),
    }
    for program, (names, condition) in wanted.items():
        text = ""
        with running(str(server.with_name(program)), "hang") as pid:
            for _ in range(200):
                text = native.dump(pid, str(tmp_path / "dump.tmt"))
                if text.count(condition) == 2:
                    break
        threads = set(re.findall(r'^"(.*)" \d+ waits', text, re.MULTILINE))
        assert threads, text
        assert threads <= names, text
