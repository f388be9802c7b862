# SPDX-License-Identifier: Apache-2.0
"""Names of a hostile program in every output: a parser of each format finds as much as
with plain names, and the names themselves where the format can represent them."""

import base64
import csv
import functools
import html.parser
import io
import json
import random
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

import threadmodel
from campaign import campaign
from schema import unknown
from threadmodel import Event, EventFlag, EventKind, Frame, Model, Run
from threadmodel import page as html_page
from threadmodel.cli import check, markdown, metrics, terminal, verdict
from threadmodel.selection import ALL

perfetto = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
profiles = pytest.importorskip(
    "opentelemetry.proto.profiles.v1development.profiles_pb2"
)
prometheus = pytest.importorskip("prometheus_client.parser")

THREADS = 4
ALPHABET = (
    *"ab.$/;:,|<>&\"'`*_#[](){}\\%=+-@!~^?",
    *(chr(byte) for byte in (1, 7, 8, 9, 10, 11, 13, 27, 31, 32, 127, 133, 160)),
    *"\uff1d\uff0b\uff0d\uff20",
    *"\u0301\u200b\u2028\u202e\ufeff\ufffd\ufffe\U0001f600\U0010ffffé線",
)
# A number may begin with a minus.
FORMULAS = tuple("=+@\t\r\n\uff1d\uff0b\uff0d\uff20")
WHOLE = (
    "</script><script>alert(1)</script>",
    "<!--",
    "]]>",
    "{{x}}",
    "\r\n\r\nHTTP/1.1 200 OK",
    "https://example.org/",
    "=HYPERLINK(1)",
    "\x1b]0;t\x07",
    "n" * 5000,
)


def a_name(chance: random.Random) -> str:
    if chance.random() < 0.2:
        return chance.choice(WHOLE)
    return "".join(chance.choices(ALPHABET, k=chance.randint(1, 12)))


def names_of(seed: int) -> list[str]:
    """No two are alike, so that they are as distinct as plain names."""
    chance = random.Random(seed)
    names: dict[str, None] = {}
    while len(names) < 5 * THREADS:
        names[a_name(chance)] = None
    return list(names)


def run_of(names: list[str]) -> Model:
    """Threads that block one after the other, then two in a deadlock."""
    kind = EventKind
    model = Model()
    model.define_run(Run(command=names[0], vm=names[1], producer=names[2], start_ns=1))
    events = []
    for number in range(1, THREADS + 1):
        thread, group, class_, source, method = names[5 * (number - 1) :][:5]
        model.define_thread(number, thread, group)
        model.define_class(number, class_, source)
        model.define_method(number, number, method)
        model.define_stack(number, [Frame(number, line=number)])
        model.define_object(100 + number, number)
        place = {"object": 100 + number, "stack": number}
        events += [
            Event(100 * number, number, kind.CONTENDED_ENTER, **place),
            Event(100 * number + 50, number, kind.CONTENDED_ENTERED, **place),
        ]
    for one, other in ((1, 2), (2, 1)):
        place = {"object": 100 + other, "stack": one}
        place |= {"peer": other, "flags": EventFlag.PEER_REPORTED}
        events.append(Event(900 + one, one, kind.CONTENDED_ENTER, **place))
    model.ingest(events)
    return model


@functools.cache
def plain() -> Model:
    return run_of([f"name{number}" for number in range(5 * THREADS)])


def exported(model: Model, format_: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        model.export(path, format_)
        return path.read_bytes()


def thread_names(model: Model) -> set[str]:
    return {row["name"] for row in model.threads()}


@campaign(60, 2000)
def test_perfetto_has_each_name_as_it_is(seed: int) -> None:
    model = run_of(names_of(seed))
    trace = perfetto.Trace()
    trace.ParseFromString(exported(model, "perfetto"))
    assert not unknown(trace)
    tracks = {packet.track_descriptor.name for packet in trace.packet}
    assert thread_names(model) <= tracks


@campaign(60, 2000)
def test_chrome_has_each_name_as_it_is(seed: int) -> None:
    model = run_of(names_of(seed))
    events = json.loads(exported(model, "chrome"))["traceEvents"]
    named = {each["args"]["name"] for each in events if each["name"] == "thread_name"}
    assert thread_names(model) <= named
    assert len(events) == len(json.loads(exported(plain(), "chrome"))["traceEvents"])


@campaign(60, 2000)
def test_profiles_of_opentelemetry_have_each_name_as_it_is(seed: int) -> None:
    model = run_of(names_of(seed))
    data, wanted = profiles.ProfilesData(), profiles.ProfilesData()
    data.ParseFromString(exported(model, "otlp"))
    wanted.ParseFromString(exported(plain(), "otlp"))
    assert not unknown(data)
    strings = set(data.dictionary.string_table)
    assert {row["source"] for row in model.callers()} <= strings
    assert len(strings) == len(wanted.dictionary.string_table)


@campaign(60, 2000)
def test_flame_graphs_have_as_many_lines_and_frames(seed: int) -> None:
    lines = exported(run_of(names_of(seed)), "collapsed").decode().split("\n")
    wanted = exported(plain(), "collapsed").decode().split("\n")
    assert Counter(line.count(";") for line in lines) == Counter(
        line.count(";") for line in wanted
    )
    assert all(line.rpartition(" ")[2].isdigit() for line in lines if line)


@campaign(60, 2000)
def test_text_of_hprof_reads_back_with_its_sums(seed: int) -> None:
    model = run_of(names_of(seed))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.hprof.txt"
        model.export(path, "hprof")
        back = threadmodel.open(path)
    assert back.damage is None
    (total,) = model.total()
    (sums,) = back.total()
    assert sums["blocked_count"] == total["blocked_count"]


class Tags(html.parser.HTMLParser):
    """Counts tags with their attributes, and gathers the packs."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[tuple[Any, ...]] = Counter()
        self.packs: dict[str, str] = {}
        self._pack = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag, *(name for name, _ in attrs)] += 1
        self._pack = dict(attrs).get("id") or ""

    def handle_data(self, data: str) -> None:
        if self._pack.startswith("pack-"):
            self.packs[self._pack] = self.packs.get(self._pack, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._pack = ""


def tags_of(model: Model) -> Tags:
    found = Tags()
    found.feed(html_page.render(model))
    found.close()
    return found


def index_of(pack: str) -> dict[str, Any]:
    content = zlib.decompress(base64.b64decode(pack), wbits=16 + zlib.MAX_WBITS)
    length = int.from_bytes(content[:4], "little")
    index: dict[str, Any] = json.loads(content[4 : 4 + length])
    return index


@campaign(10, 200)
def test_html_has_no_tag_but_our_own_and_each_name_as_it_is(seed: int) -> None:
    model = run_of(names_of(seed))
    found, wanted = tags_of(model), tags_of(plain())
    assert found.tags == wanted.tags
    threads = index_of(found.packs["pack-answers"])["tables"]["threads"]["columns"]
    (names,) = [each["categories"] for each in threads if each["name"] == "name"]
    assert set(names) == thread_names(model)


@campaign(30, 1000)
def test_markdown_has_no_links_nor_tags_and_as_many_rows(seed: int) -> None:
    def kinds(model: Model) -> Counter[str]:
        text = markdown.render(terminal.sections(model, 20), "Threads")
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
        inner = [child for token in tokens for child in token.children or []]
        return Counter(token.type for token in tokens + inner)

    found = kinds(run_of(names_of(seed)))
    assert not set(found) & {"link_open", "image", "html_inline", "html_block"}
    assert not set(found) & {"fence", "code_inline", "em_open", "code_block", "s_open"}
    for kind in ("tr_open", "td_open", "heading_open"):
        assert found[kind] == kinds(plain())[kind]


@campaign(60, 2000)
def test_metrics_have_as_many_samples(seed: int) -> None:
    def samples(model: Model) -> list[Any]:
        page = metrics.Metrics(model).render()
        families = prometheus.text_string_to_metric_families(page)
        return [sample for family in families for sample in family.samples]

    model = run_of(names_of(seed))
    found = samples(model)
    assert len(found) == len(samples(plain()))
    labels = {value for sample in found for value in sample.labels.values()}
    assert {row["class"] for row in model.locks()} <= labels


@campaign(60, 2000)
def test_csv_has_each_row_and_a_sheet_no_formula(seed: int) -> None:
    model = run_of(names_of(seed))
    table = model.callers()
    rows = list(csv.DictReader(io.StringIO(table.to_csv() or "", newline="")))
    assert [row["class"] for row in rows] == [row["class"] for row in table]
    text = table.to_csv(spreadsheet=True) or ""
    # What separates columns is chosen by the reader's locale, or by the reader.
    for separator in ",;\t":
        sheet = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        cells = [cell for row in sheet for cell in row]
        assert not [cell for cell in cells if cell[:1] in FORMULAS]
    assert [dict(row) for row in table] == json.loads(table.to_json() or "")


@campaign(60, 2000)
def test_reports_for_ci_parse_and_stay_in_their_lines(seed: int) -> None:
    names = names_of(seed)
    broken = check._deadlocks(run_of(names), ALL)
    assert broken
    suite = ElementTree.fromstring(verdict.junit(names[0], ["no-deadlock"], broken))
    (failure,) = suite.iter("failure")
    assert len((failure.text or "").splitlines()) == len(broken)
    (log,) = json.loads(verdict.sarif(names[0], broken))["runs"]
    assert len(log["results"]) == len(broken)
    for result in log["results"]:
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii()
        assert uri.isprintable()
        assert " " not in uri
