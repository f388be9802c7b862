# SPDX-License-Identifier: Apache-2.0
"""Resources without an owner, compared with what the program knows: permits, a latch,
a full queue."""

import pytest

from conftest import Java, Recording

USE_NS = 10_000_000


@pytest.fixture(scope="module")
def recorded(jdk, classes, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return Java(jdk, classes, tmp_path_factory.mktemp("resources")).record("Resources")


def test_three_permits_of_seventeen_threads(recorded: Recording) -> None:
    row = recorded.one(
        "resources",
        waiting_method="Resources.borrow",
        releasing_method="Resources.giveBack",
    )
    assert row["class"] == "java.util.concurrent.Semaphore$FairSync"
    assert (row["threads"], row["objects"], row["permits"]) == (17, 1, 3)
    assert row["use_p50_ns"] >= USE_NS
    assert row["use_method"] == "Resources.use"
    assert row["waits"] >= 17
    assert row["uses"] >= 17


def test_who_opened_a_latch_released_its_waiter(recorded: Recording) -> None:
    row = recorded.one("resources", releasing_method="Resources.part")
    assert row["class"] == "java.util.concurrent.CountDownLatch$Sync"
    assert row["waiting_method"] == "Resources.main"
    assert (row["releaser"], row["waits"], row["uses"]) == ("straggler", 1, 0)


def test_who_empties_a_full_queue_releases_those_who_fill_it(
    recorded: Recording,
) -> None:
    row = recorded.one(
        "resources",
        waiting_method="Resources.produce",
        releasing_method="Resources.consume",
    )
    assert (row["releaser"], row["releasers"], row["uses"]) == ("consumer", 1, 0)
    assert row["threads"] >= 2
