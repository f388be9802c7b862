# SPDX-License-Identifier: Apache-2.0
"""Packs for the browser, read back by the description in pack.py."""

import gzip
import json
from typing import Any

import pytest

import random_runs
from threadmodel import Model, Table, page
from threadmodel.errors import UnsupportedError
from threadmodel.judgement import judge
from threadmodel.pack import Pack


def model_of(seed: int) -> Model:
    model = Model()
    random_runs.fill(model, seed, threads=4, objects=3, count=300)
    return model


def unpack(data: bytes) -> tuple[dict[str, Any], bytes]:
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def values(index: dict[str, Any], data: bytes, rows: int) -> list[Any]:
    """Read a column back, value by value."""

    def bit(offset: int | None, row: int) -> int:
        return 0 if offset is None else data[offset + row // 8] >> row % 8 & 1

    found: list[Any] = []

    def number(row: int) -> Any:
        octets = bytes(0 if at is None else data[at + row] for at in index["planes"])
        if index["type"] == "double":
            return memoryview(octets).cast("d")[0]
        signed = index["type"] != "uint64"
        return int.from_bytes(octets, "little", signed=signed)

    for row in range(rows):
        is_bool = index["type"] == "bool"
        value = bool(bit(index["planes"][0], row)) if is_bool else number(row)
        if index["type"] == "string":
            value = None if value < 0 else index["categories"][value]
        elif "valid" in index and not bit(index["valid"], row):
            value = None
        found.append(value)
    return found


def tables(model: Model) -> list[Table]:
    return [
        model.threads(),
        model.timeline(),
        model.interactions(),
        model.locks(),
        model.diagnostics(),
        model.blame(("thread",)),
    ]


@pytest.mark.parametrize("step", [1, 2, 7, 8, 1000])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_table_comes_back(seed: int, step: int) -> None:
    for table in tables(model_of(seed)):
        pack = Pack()
        pack.add("t", table, rows=range(0, len(table), step))
        index, data = unpack(pack.finish(compressed=False))
        entry = index["tables"]["t"]
        assert entry["total"] == len(table)
        assert entry["caveats"] == list(table.caveats)
        assert [column["name"] for column in entry["columns"]] == list(table.columns)
        for column in entry["columns"]:
            expected = table[column["name"]].to_list()[::step]
            assert entry["rows"] == len(expected)
            assert values(column, data, entry["rows"]) == expected


def test_columns_and_rows_can_be_chosen() -> None:
    table = model_of(3).timeline()
    pack = Pack()
    pack.add("t", table, ["state", "open"], rows=13)
    index, data = unpack(pack.finish(compressed=False))
    state, open_ = index["tables"]["t"]["columns"]
    assert values(state, data, 13) == table["state"][:13]
    assert values(open_, data, 13) == table["open"][:13]


def test_compressed_it_is_the_same_as_gzip() -> None:
    packs = [Pack(), Pack()]
    for pack in packs:
        pack.put("number", 7)
        pack.add("t", model_of(4).threads())
    small, plain = packs[0].finish(), packs[1].finish(compressed=False)
    assert gzip.decompress(small) == plain
    assert len(small) < len(plain)


def test_a_build_without_the_front_end_reports_it() -> None:
    with pytest.raises(UnsupportedError, match=r"built without Node\.js"):
        page.asset("no-such-file.js")


def whatif_of(model: Model) -> tuple[Any, int]:
    answers = page.answers(model, model.findings(), judge(model), lambda _: None)
    index, _ = unpack(gzip.decompress(answers))
    table = index["tables"].get("whatif")
    return index["values"]["whatif_tried"], table["rows"] if table else 0


def test_a_page_replays_a_long_run_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(19)
    ranked = len(model.whatif_rank())
    assert ranked > 2
    assert whatif_of(model) == (None, ranked)
    (total,) = model.total()
    blocks = sum(total[name] for name in model.total().columns if "_count" in name)
    monkeypatch.setattr(page, "REPLAYED", 9 * blocks)
    assert whatif_of(model) == (2, 2)
    monkeypatch.setattr(page, "REPLAYED", blocks)
    assert whatif_of(model) == (0, 0)
