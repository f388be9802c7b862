# SPDX-License-Identifier: Apache-2.0
"""Dumps as people pass them on: each form must read as the dump that it was made of."""

import gzip
import html
import json
import lzma
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import test_dump_native
import test_dump_writers
import threadmodel
from threadmodel import errors

DATA = Path(__file__).resolve().parents[1] / "data/dumps"
CORPUS = Path(__file__).resolve().parents[1] / "fuzz/corpus"
RELEASES = ("jdk8-in-a-log.txt", "jdk11-l.txt", "jdk21.txt", "depot-jdk17.txt")
Answer = set[tuple[Any, ...]]


def answer(path: Path) -> Answer:
    """Return each thread with its state, the object it waits for, and the owner."""
    model = threadmodel.open(path)
    last = {row["thread_id"]: row for row in model.timeline()}
    keys = ("thread", "state", "class", "object", "peer", "method", "line")
    return {(number, *(row[key] for key in keys)) for number, row in last.items()}


def lines(release: str) -> list[str]:
    """Return the lines of a dump without the log around it."""
    text = (DATA / release).read_text().splitlines()
    first = next(i for i, line in enumerate(text) if line.startswith("Full thread"))
    return text[first - 1 :]


def prefixed(prefix: str) -> Callable[[list[str]], str]:
    """Return a function that prefixes each line, with a counter in the prefix."""
    return lambda dump: "".join(
        prefix.replace("%n", str(100 + i)) + line + "\n" for i, line in enumerate(dump)
    )


def docker(dump: list[str]) -> str:
    """Return a log of Docker: one object per line."""
    return "".join(
        json.dumps({"log": line + "\n", "stream": "stdout", "time": f"2026-01-01T{i}Z"})
        + "\n"
        for i, line in enumerate(dump)
    )


def mailed(dump: list[str]) -> str:
    """Wrap at blanks before column 76, as mail does."""
    out = []
    for line in dump:
        rest = line
        while len(rest) > 76 and " " in rest[8:76]:
            at = rest.rindex(" ", 8, 76)
            out.append(rest[:at])
            rest = rest[at + 1 :]
        out.append(rest)
    return "\n".join(out) + "\n"


def typed(dump: list[str]) -> str:
    """Break lines at column 80, as a terminal does."""
    return "".join(
        line[at : at + 80] + "\n"
        for line in dump
        for at in range(0, len(line) or 1, 80)
    )


FORMS: dict[str, Callable[[list[str]], str | bytes]] = {
    "kubectl": prefixed("2026-11-28T01:20:46.%nZ "),
    "compose": prefixed("shop-1  | "),
    "cri": prefixed("2026-11-28T01:20:46.%nZ stdout F "),
    "journald": prefixed("Nov 28 01:20:46 host java[%n]: "),
    "wrapper": prefixed("INFO   | jvm 1    | 2026/11/28 01:20:46 | "),
    "logger": prefixed("2026-11-28 01:20:46,%n WARN  [dumper] shop.Dumps - "),
    "colours": prefixed("\x1b[36mshop_1 |\x1b[0m "),
    "quoted": prefixed("> "),
    "indented": prefixed("    "),
    "fenced": lambda dump: "It hangs:\n```\n" + "\n".join(dump) + "\n```\nThanks\n",
    "spaces": lambda dump: "\n".join(dump).replace("\t", "        "),
    "no tabs at all": lambda dump: "\n".join(line.strip() for line in dump),
    "no blank lines": lambda dump: "\n".join(line for line in dump if line),
    "no header": lambda dump: "\n".join(dump[2:]),
    "html": lambda dump: html.escape("\n".join(dump)),
    "html in pre": lambda dump: (
        "<pre>" + html.escape("\n".join(dump)).replace("\n", "<br>\n") + "</pre>"
    ),
    "docker": docker,
    "in one string": lambda dump: json.dumps(
        {"level": "WARN", "message": "\n".join(dump)}
    ),
    "crlf": lambda dump: "\r\n".join(dump),
    "cr": lambda dump: "\r".join(dump),
    "utf-16": lambda dump: "\n".join(dump).encode("utf-16"),
    "utf-16be": lambda dump: "\n".join(dump).encode("utf-16-be"),
    "bom": lambda dump: "\n".join(dump).encode("utf-8-sig"),
    "mailed": mailed,
    "typed": typed,
    "gzip": lambda dump: gzip.compress("\n".join(dump).encode()),
    "gzip of utf-16": lambda dump: gzip.compress("\n".join(dump).encode("utf-16")),
    "xz": lambda dump: lzma.compress("\n".join(dump).encode()),
}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("form", FORMS)
def test_a_form_reads_as_the_dump_that_it_was_made_of(
    form: str, release: str, tmp_path: Path
):
    dump = lines(release)
    plain, other = tmp_path / "plain.txt", tmp_path / "other"
    plain.write_text("\n".join(dump))
    made = FORMS[form](dump)
    other.write_bytes(made if isinstance(made, bytes) else made.encode())
    assert answer(other) == answer(plain)


TEXTS = {name: text for name, (text, _) in test_dump_native.FORMS.items()} | {
    source: form[0]
    for source, form in test_dump_writers.FORMS.items()
    # One is JSON itself, the other has a prefix of its own on one line.
    if not source.startswith(("codecentric/", "eclipse-openj9/openj9#4858"))
}


@pytest.mark.parametrize("form", ["kubectl", "html", "docker", "in one string"])
def test_dumps_of_all_writers_are_read_in_the_forms_of_java(form: str, tmp_path: Path):
    plain, other = tmp_path / "plain", tmp_path / "other"
    for text in TEXTS.values():
        plain.write_text(text)
        other.write_text(str(FORMS[form](text.splitlines())))
        assert answer(other) == answer(plain), text


def test_files_of_an_archive_are_read_one_after_the_other(tmp_path: Path):
    text = "\n".join(lines("jdk11-l.txt"))
    packed = tmp_path / "dumps.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1.txt", text)
        archive.writestr("2.txt", text.replace("11:00:00", "11:00:10"))
    assert threadmodel.open(packed).length_ns == 10_000_000_000
    # As files of their own, one of them packed, in any order.
    second = tmp_path / "2.gz"
    second.write_bytes(gzip.compress(text.replace("11:00:00", "11:00:10").encode()))
    first = tmp_path / "1.txt"
    first.write_text(text)
    assert threadmodel.open([second, first]).length_ns == 10_000_000_000


def test_what_is_packed_and_cut_is_read_as_far_as_it_goes(tmp_path: Path):
    text = "\n".join(lines("jdk11-l.txt"))
    cut = tmp_path / "cut.gz"
    packed = gzip.compress(os.urandom(1 << 16).hex().encode() + b"\n" + text.encode())
    cut.write_bytes(packed[: len(packed) - 300])
    with pytest.warns(errors.DamagedTraceWarning):
        model = threadmodel.open(cut)
    assert len(model.threads()) >= 1


def test_a_bomb_is_not_read_to_its_end(tmp_path: Path):
    bomb = tmp_path / "bomb.xz"
    bomb.write_bytes(lzma.compress(b"Full thread dump x:\n" + b" " * 200_000_000))
    with pytest.raises(errors.LimitError, match="holds more than 1100 times its own"):
        threadmodel.open(bomb)


def test_a_bomb_within_another_is_one_of_the_file(tmp_path: Path):
    bomb = tmp_path / "bomb.gz"
    text = b"Full thread dump x:\n" + b" " * 200_000_000
    bomb.write_bytes(gzip.compress(gzip.compress(text)))
    with pytest.raises(errors.LimitError, match="more than 1100 times its own"):
        threadmodel.open(bomb)


@pytest.mark.parametrize("recording", ["jfr/recording", "hprof/agent"])
def test_a_bomb_does_not_fill_the_disk(recording: str, tmp_path: Path):
    bomb = tmp_path / "bomb.gz"
    head = (CORPUS / recording).read_bytes()
    bomb.write_bytes(gzip.compress(head + bytes(200_000_000)))
    with pytest.raises(errors.LimitError, match="more than 100 times its own"):
        threadmodel.open(bomb)


def whole_threads(text: str, release: str) -> set[str]:
    """Return the lines of threads with complete text, and the line after each."""
    blocks = "\n".join(lines(release)).split("\n\n")
    return {
        block.split("\n")[0]
        for block in blocks
        if block.startswith('"') and " #" in block.split("\n")[0] and block in text
    }


def deadlocked(model: threadmodel.Model) -> set[str]:
    return {row["thread"] for row in model.deadlocks()}


def test_a_dump_cut_within_an_address_is_of_the_same_jvm(tmp_path: Path):
    text = "\n".join(lines("jdk11-l.txt")) + "\n"
    (tmp_path / "one.txt").write_text(text)
    path = tmp_path / "two.txt"
    cut = text[: text.index("tid=0x") + 10]
    path.write_text(f"{cut}\n2026-11-28 01:20:50 INFO x - next\n{text}")
    assert answer(path) == answer(tmp_path / "one.txt")


def test_what_is_whole_is_read_of_any_cut_dump(tmp_path: Path):
    random_ = random.Random(7)
    prefixes = ("", "> ", "web-1 | ", "2026-11-28T01:20:46.123Z ", "\t", "app[12]: ")
    count = 10_000 if os.environ.get("TM_TEST_FULL") else 300
    path = tmp_path / "cut.txt"
    hung = {}
    for release in RELEASES:
        path.write_text("\n".join(lines(release)))
        hung[release] = deadlocked(threadmodel.open(path))
    for _ in range(count):
        release = random_.choice(RELEASES)
        text = "\n".join(lines(release))
        begin = random_.choice((0, random_.randrange(len(text))))
        end = random_.choice((len(text), random_.randrange(begin, len(text) + 1)))
        cut, prefix = text[begin:end], random_.choice(prefixes)
        wanted = whole_threads(cut, release)
        if not wanted:
            continue
        is_mailed = random_.random() < 0.3
        dump = mailed(cut.split("\n")).rstrip("\n") if is_mailed else cut
        path.write_text("".join(prefix + line + "\n" for line in dump.split("\n")))
        model = threadmodel.open(path)
        read = {row["name"] for row in model.threads()}
        names = {line[1 : line.rindex('" #')] for line in wanted}
        assert names <= read, (release, begin, end, prefix)
        assert deadlocked(model) <= hung[release], (release, begin, end, prefix)


def test_a_dump_that_was_cut_swallows_nothing_of_the_next(tmp_path: Path):
    random_ = random.Random(8)
    path = tmp_path / "two.txt"
    for release in RELEASES:
        text = "\n".join(lines(release)) + "\n"
        (tmp_path / "one.txt").write_text(text)
        whole = answer(tmp_path / "one.txt")
        for _ in range(40 if os.environ.get("TM_TEST_FULL") else 10):
            cut = text[: random_.randrange(len(text))]
            glue = random_.choice(("", "\n", "\n2026-11-28 01:20:50 INFO x - next\n"))
            path.write_text(cut + glue + text)
            assert answer(path) >= whole or glue == ""
            assert {row[1:3] for row in answer(path)} >= {row[1:3] for row in whole}


def test_a_thread_whose_stack_was_cut_off_has_that_of_the_next_dump(tmp_path: Path):
    text = "\n".join(lines("jdk11-l.txt")) + "\n"
    (tmp_path / "one.txt").write_text(text)
    cut = text[: text.index("\tat shop.Sum.add")]
    path = tmp_path / "two.txt"
    path.write_text(f"{cut}\n{text}")
    assert answer(path) == answer(tmp_path / "one.txt")
    first, second = [
        row["method"]
        for row in threadmodel.open(path).timeline()
        if row["thread"] == "eliminated"
    ]
    assert (first, second) == (None, "shop.Sum.add")


def test_the_year_of_a_dump_that_was_cut_is_no_process_id(tmp_path: Path):
    text = "\n".join(lines("jdk11-l.txt")) + "\n"
    (tmp_path / "one.txt").write_text(text)
    path = tmp_path / "two.txt"
    path.write_text(f"{text[:4]}\n{text}")
    assert answer(path) == answer(tmp_path / "one.txt")


def test_lines_that_grep_took_out_of_a_dump_have_their_states(tmp_path: Path):
    words = {
        "runnable": "running",
        "waiting on condition": "waiting",
        "in Object.wait()": "waiting",
        "waiting for monitor entry": "blocked",
        "sleeping": "sleeping",
    }
    line = '"%s" #%d prio=5 os_prio=0 tid=0x00007f1b8c0%05x nid=0x3e%02x %s'
    made = [
        line % (word, 20 + i, 16 * i + 1, i + 1, word) for i, word in enumerate(words)
    ]
    path = tmp_path / "lines.txt"
    for end in ("", "  [0x00007f1b8f1f0000]"):
        path.write_text("".join(f"{text}{end}\n" for text in made))
        model = threadmodel.open(path)
        assert {row["thread"]: row["state"] for row in model.timeline()} == words
        (verdict,) = model.verdict()
        assert verdict["kind"] == "cannot_tell"
    # Such a line states less than the state and stack below it.
    stack = "   java.lang.Thread.State: RUNNABLE\n\tat shop.Main.run(Main.java:3)\n"
    path.write_text(f"{made[1]}\n{stack}")
    (row,) = threadmodel.open(path).timeline()
    assert (row["state"], row["method"]) == ("running", "shop.Main.run")


def test_dumps_of_two_jvms_are_kept_apart(tmp_path: Path):
    first = "\n".join(lines("depot-jdk17.txt")) + "\n"
    second = first.replace("tid=0x00007f", "tid=0x00006e").replace(
        "10:00:00", "10:00:10"
    )
    both = tmp_path / "both.txt"
    both.write_text(first + second)
    model = threadmodel.open(both)
    alone = threadmodel.open(DATA / "depot-jdk17.txt")
    assert len(model.threads()) == 2 * len(alone.threads())
    assert len(model.deadlocks()) == 2 * len(alone.deadlocks())
    assert any("2 JVMs" in caveat for caveat in model.caveats)
    (verdict,) = model.verdict()
    assert (
        verdict["title"] == "Deadlocked: 4 threads wait for one another in 2 circles."
    )
    # An object has the address that stands in the text.
    shown = {row["object"].rpartition("@")[2] for row in model.deadlocks()}
    assert shown == {row["object"].rpartition("@")[2] for row in alone.deadlocks()}


def test_ages_give_the_time_where_the_clock_stands_still(tmp_path: Path):
    first = "\n".join(lines("depot-jdk17.txt")) + "\n"
    both = tmp_path / "both.txt"
    both.write_text(first + first.replace("elapsed=2.", "elapsed=3."))
    model = threadmodel.open(both)
    assert model.length_ns == 1_000_000_000
    assert any("The clock did not move" in caveat for caveat in model.caveats)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Full thread dump OpenJDK 64-Bit Server VM (17):\n\nnothing\n",
            "no thread of it",
        ),
        ("12:00 INFO Full thread dump was asked for\n", "mentions a thread dump"),
        ("just a text\n", "no thread dump begins"),
    ],
)
def test_no_threads_are_an_error_with_a_reason(text: str, message: str, tmp_path: Path):
    path = tmp_path / "text.txt"
    path.write_text(text)
    with pytest.raises(errors.FormatError, match=message):
        threadmodel.open(path)
