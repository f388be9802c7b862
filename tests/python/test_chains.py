# SPDX-License-Identifier: Apache-2.0
"""``threadmodel path``, ``explain`` and ``whatif`` from the outside."""

import json
import re
import shlex
from pathlib import Path

import pytest

import threadmodel
from conftest import Cli, one_line
from lockworld import World
from test_path import WORLDS


@pytest.fixture
def convoy(tmp_path: Path) -> Path:
    path = tmp_path / "convoy.tmt"
    with threadmodel.Writer(path) as writer:
        World(WORLDS["convoy"][0]).fill(writer)
    return path


def test_path_lists_segments_by_time(cli: Cli, convoy: Path) -> None:
    done = cli("path", convoy, "--top", "5")
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[1].split() == [
        "from",
        "for",
        "thread",
        "state",
        "via",
        "class",
        "method",
    ]
    assert lines[2].split() == ["0", "ns", "2", "ns", "thread-1", "running"]
    assert "more" in lines[-1]
    assert any("handoff" in line for line in lines)


def test_path_sums_up_by_keys(cli: Cli, convoy: Path) -> None:
    done = cli("path", convoy, "--by", "thread", "--by", "state", "--waited-for")
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    assert "thread-2" in shown
    assert "%" in shown
    rows = json.loads(cli("path", convoy, "--by", "thread", "--json").stdout)
    model = threadmodel.open(convoy)
    assert rows == list(model.path_rollup(by=("thread",)))


def test_path_ends_where_it_is_asked_to(cli: Cli, convoy: Path) -> None:
    for thread in ("thread-3", "#3"):
        arguments = ("path", convoy, "--thread", thread, "--to", "0.01", "--json")
        rows = json.loads(cli(*arguments).stdout)
        assert rows[-1]["end_ns"] == 10_000
    assert "nobody" in one_line(cli("path", convoy, "--thread", "nobody").stderr)
    late = cli("path", convoy, "--to", "99999")
    assert late.returncode == 2
    assert "after the run" in one_line(late.stderr)


def test_whatif_ranks_and_predicts(cli: Cli, convoy: Path) -> None:
    done = cli("whatif", convoy, "--factor", "0.5")
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    assert "app.Lock1" in shown
    assert "replay of the run" in " ".join(shown.split())
    rows = json.loads(
        cli(
            "whatif", convoy, "--class", "app.Lock1", "--factor", "0.5", "--json"
        ).stdout
    )
    model = threadmodel.open(convoy)
    assert rows == list(model.whatif("app.Lock1", factor=0.5))
    wrong = cli("whatif", convoy, "--class", "no.Such")
    assert wrong.returncode == 2
    assert "no.Such" in one_line(wrong.stderr)
    wrong = cli("whatif", convoy, "--class", "app.Lock1", "--factor", "-1")
    assert wrong.returncode == 2
    assert "factor -1" in one_line(wrong.stderr)


def test_hostile_names_stay_in_their_line(cli: Cli, hostile_trace: Path) -> None:
    for command in (
        ("path", hostile_trace),
        ("path", hostile_trace, "--by", "thread", "--by", "class"),
        ("whatif", hostile_trace),
    ):
        done = cli(*command)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\x1b" not in done.stdout


def test_explain_shows_why_a_thread_did_not_run(cli: Cli, convoy: Path) -> None:
    done = cli("explain", convoy)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    model = threadmodel.open(convoy)
    finding = model.findings()[0]
    longest = max(
        model.evidence(finding),
        key=lambda row: row["block_end_ns"] - row["block_start_ns"],
    )
    middle = (longest["block_start_ns"] + longest["block_end_ns"]) // 2
    rows = list(model.explain(thread=longest["thread_id"], at_ns=middle))
    assert lines[1] == f"  The longest wait of: {finding['title']}"
    assert [line.split()[0] for line in lines[2:]] == [str(r["step"]) for r in rows]
    assert rows[0]["text"] in done.stdout.decode()
    assert json.loads(cli("explain", convoy, "--json").stdout) == rows


@pytest.mark.parametrize("at", ["0.00002s", "0.02ms", "20us", "20000ns", "0.02"])
def test_explain_takes_a_time_with_its_unit(cli: Cli, convoy: Path, at: str) -> None:
    done = cli("explain", convoy, "--thread", "thread-2", "--at", at, "--json")
    found = threadmodel.open(convoy).explain(thread="thread-2", at_ns=20_000)
    assert json.loads(done.stdout) == list(found)


@pytest.mark.parametrize("at", ["soon", "12m", "-1s", "1e30s"])
def test_explain_refuses_what_is_no_time(cli: Cli, convoy: Path, at: str) -> None:
    done = cli("explain", convoy, f"--at={at}")
    assert done.returncode == 2
    assert re.search("is (not|after)", one_line(done.stderr))


def test_what_a_change_makes_of_requests_has_a_row_each(cli: Cli) -> None:
    shop = Path(__file__).parents[2] / "docs/examples/shop/slow.tmt"
    done = cli("whatif", shop, "--class", "Shop$Prices", env={"COLUMNS": "120"})
    (row,) = threadmodel.open(shop).whatif(class_name="Shop$Prices")
    lines = done.stdout.decode().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  Requests: "))
    assert lines[at].startswith(f"  Requests: {row['throughput_now']:,.0f} a second")
    assert f" {row['throughput']:,.0f} " in lines[at + 2]
    assert lines[at + 2].endswith(row["next_bottleneck"])


def test_the_command_of_a_locks_card_predicts_what_the_card_states(cli: Cli) -> None:
    shop = Path(__file__).parents[2] / "docs/examples/shop/slow.tmt"
    card = cli(shop, env={"COLUMNS": "400"}).stdout.decode()
    command = re.search(r"whatif \S+ (--class .*)", card)
    stated = re.search(r"there would be (\S+) to (\S+) units", card)
    assert command
    assert stated
    done = cli("whatif", shop, *shlex.split(command[1]), "--json")
    (row,) = json.loads(done.stdout)
    low, high = (float(it.replace(",", "")) for it in stated.groups())
    assert row["throughput_low"] == pytest.approx(low, rel=0.01)
    assert row["throughput_high"] == pytest.approx(high, rel=0.01)
