# SPDX-License-Identifier: Apache-2.0
"""Recordings of the JDK Flight Recorder, against the JDK's own reading of them."""

import pytest

import recordings
from conftest import VIRTUAL_SINCE, Java
from recordings import compare, fact_of, pour, print_by_jdk, record
from threadmodel import EventKind

PROGRAMS = (("Shop", 1, 300), ("Busy", 700), ("Virtual", 5))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0])
def test_every_event_is_what_the_jdk_says(java: Java, program: tuple[object, ...]):
    name = str(program[0])
    if not (java.classes / f"{name}.class").exists():
        pytest.skip(f"{name} needs JDK {VIRTUAL_SINCE}")
    file = record(java, name, *program[1:])
    poured = pour(file)
    assert poured.end == "TM_OK"
    theirs = [fact_of(event) for event in print_by_jdk(java, file)]
    assert compare(poured.facts, theirs) > 20
