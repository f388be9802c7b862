# SPDX-License-Identifier: Apache-2.0
"""All of a Java thread's time, compared with its own and the kernel's measurement."""

from pathlib import Path

import pytest

from conftest import Java
from time_sums import sums_of

STATES = {
    "reader": "io",
    "poller": "io",
    "server": "io",
    "answerer": "sleeping",
    "sleeper": "sleeping",
}


def test_each_thread_is_in_a_state_for_as_long_as_it_measured(
    java: Java, tmp_path: Path
):
    if not Path("/proc/thread-self/schedstat").exists():
        pytest.skip("this kernel counts nothing of threads")
    run = java.record("Times", 20, 1000, 500, tmp_path / "mapped")
    if any("perf_event_open failed" in text for text in run.model.caveats):
        pytest.skip("the kernel does not let this user record switches")
    odd = {}
    for name, sums in sums_of(run.model, run.stdout).items():
        computes = name.startswith("spinner") or name == "toucher"
        if found := sums.odd(STATES.get(name), computes=computes):
            odd[name] = (found, sums)
    assert not odd
    assert not run.odd()
