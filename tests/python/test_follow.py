# SPDX-License-Identifier: Apache-2.0
"""A trace file that grows while it is read."""

from pathlib import Path

import pytest

import threadmodel
from test_listen import two_thirds
from test_source import write_blocks


def test_a_growing_file_yields_what_a_whole_one_yields(
    trace: Path, tmp_path: Path
) -> None:
    whole = trace.read_bytes()
    growing = tmp_path / "growing.tmt"
    growing.write_bytes(whole[:100])
    live = threadmodel.Live(growing)
    counts = []
    with growing.open("ab", buffering=0) as file:
        for at in range(100, len(whole), 37):
            file.write(whole[at : at + 37])
            counts.append(live.update().event_count)
            assert live.model.damage is None
            assert not any("missing" in caveat for caveat in live.model.caveats)
    model = live.finish()
    assert model.damage is None
    assert counts == sorted(counts)
    assert list(model.timeline()) == list(threadmodel.open(trace).timeline())


def test_a_growing_file_that_never_ends_is_reported_as_cut(tmp_path: Path) -> None:
    whole = tmp_path / "whole.tmt"
    write_blocks(whole)
    cut = tmp_path / "cut.tmt"
    cut.write_bytes(two_thirds(whole))
    live = threadmodel.Live(cut)
    before = live.update().event_count
    assert live.model.damage is None
    model = live.finish()
    assert model.damage is not None
    assert "end" in model.damage
    assert 0 < before <= model.event_count


def test_damage_in_a_growing_file_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "run.tmt"
    write_blocks(path)
    bytes_ = bytearray(path.read_bytes())
    bytes_[3000] ^= 0xFF
    growing = tmp_path / "growing.tmt"
    growing.write_bytes(bytes_[:3500])
    live = threadmodel.Live(growing)
    live.update()
    growing.write_bytes(bytes_)
    model = live.finish()
    assert model.damage is not None
    assert "damaged" in model.damage
    whole = threadmodel.open(path).event_count
    assert whole - 10 < model.event_count < whole + 2


def test_only_traces_can_be_followed(tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    path.write_text('"main" #1 prio=5\n   java.lang.Thread.State: RUNNABLE\n')
    with pytest.raises((threadmodel.UnsupportedError, threadmodel.FormatError)):
        threadmodel.Live(path)
    with pytest.raises(threadmodel.MissingFileError):
        threadmodel.Live(tmp_path / "none.tmt")
