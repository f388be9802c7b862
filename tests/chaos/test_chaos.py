# SPDX-License-Identifier: Apache-2.0
"""Ten minutes of `./dev chaos`, from a seed of their own each time."""

import time
from pathlib import Path

import chaos

SECONDS = 600


def test_no_antagonist_changes_a_program_or_makes_a_trace_untrue(tmp_path: Path):
    seed = int(time.time())
    assert chaos.campaign(SECONDS, seed, runs=1 << 30, kept=tmp_path) == 0
