# SPDX-License-Identifier: Apache-2.0
"""Forms of other writers, each after a public report, are read."""

from pathlib import Path
from typing import Any

import pytest

import threadmodel
from application_dumps import OF_APPLICATIONS
from runtime_dumps import OF_RUNTIMES

FORMS = OF_RUNTIMES | OF_APPLICATIONS


def seen(path: Path) -> dict[Any, tuple[Any, Any]]:
    """Return the last state of each thread, and the thread that blocks it."""
    model = threadmodel.open(path)
    states = {row["name"]: (row["state"], None) for row in model.threads()}
    last = {row["thread"]: (row["state"], row["peer"]) for row in model.timeline()}
    return {name: last.get(name, state) for name, state in states.items()}


@pytest.mark.parametrize("source", FORMS)
def test_a_form_of_a_public_report_is_read(source: str, tmp_path: Path):
    text, threads, wanted = FORMS[source]
    path = tmp_path / "dump"
    path.write_text(text)
    read = seen(path)
    assert len(read) == threads
    assert {name: read.get(name) for name in wanted} == wanted
