# SPDX-License-Identifier: Apache-2.0
"""Facts of a run as a whole, and of its producer."""

from dataclasses import dataclass
from typing import Any

from threadmodel._enums import Ending as Ending
from threadmodel._enums import Identity as Identity
from threadmodel._enums import Policy as Policy
from threadmodel._library import text
from threadmodel.text import wall_time


@dataclass(frozen=True, slots=True)
class Run:
    """Facts of a run; None, 0 and an empty set mean not known.

    Attributes:
        source: file or process that the data came from
        format: ``tmt``, ``jfr``, ...
        producer: program and release that reported the events
        vm: name and version of the VM
        command: main class or jar, and its arguments
        pid: process id
        start_wall_ns: ns since 1970-01-01 UTC when recording began
        start_ns: the same instant on the events' clock
        end_ns: of the events' clock, when recording ended
        threshold_ns: shorter blocks and waits were not recorded
        kinds: numbers of EventKind that the producer reports
        policy: number of Policy
        identity: number of Identity
        id: random, unique to this run
        cost_events: cost of recording, so far as it is known: events to be recorded
        cost_dropped: of these, for want of room or to keep to a budget
        cost_bytes: written
        cost_threads_ns: of the program's threads, estimated
        cost_stacks_ns: of these, for walks of stacks
        cost_recorder_ns: processor time of the recorder's own threads
        processors: that the process could use; 0: unknown
        ending: number of Ending, how the process ended at ``end_ns``
        ending_status: its exit status, or the number of the signal
        object_kinds: numbers of ObjectKind whose waits are reported; empty: unknown
        stopped_ns: the process was stopped, or the machine suspended, for so long
    """

    source: str | None = None
    format: str | None = None
    producer: str | None = None
    vm: str | None = None
    command: str | None = None
    pid: int = 0
    start_wall_ns: int = 0
    start_ns: int = 0
    end_ns: int = 0
    threshold_ns: int = 0
    kinds: frozenset[int] = frozenset()
    policy: int = Policy.UNKNOWN
    identity: int = Identity.UNKNOWN
    id: int = 0
    cost_events: int = 0
    cost_dropped: int = 0
    cost_bytes: int = 0
    cost_threads_ns: int = 0
    cost_stacks_ns: int = 0
    cost_recorder_ns: int = 0
    processors: int = 0
    ending: int = Ending.UNKNOWN
    ending_status: int = 0
    object_kinds: frozenset[int] = frozenset()
    stopped_ns: int = 0

    @property
    def start(self) -> str | None:
        """When recording began, ISO 8601 in UTC to the ns; None if not known."""
        return wall_time(self.start_wall_ns)


def bits(mask: int) -> frozenset[int]:
    """The numbers of the bits that are set."""
    return frozenset(k for k in range(64) if mask >> k & 1)


def from_struct(struct: Any) -> Run:
    """Copy a ``tm_run``."""
    return Run(
        source=text(struct.source),
        format=text(struct.format),
        producer=text(struct.producer),
        vm=text(struct.vm),
        command=text(struct.command),
        pid=struct.pid,
        start_wall_ns=struct.start_wall_ns,
        start_ns=struct.start_ns,
        end_ns=struct.end_ns,
        threshold_ns=struct.threshold_ns,
        kinds=bits(struct.kinds),
        policy=struct.policy,
        identity=struct.identity,
        id=struct.id,
        cost_events=struct.cost_events,
        cost_dropped=struct.cost_dropped,
        cost_bytes=struct.cost_bytes,
        cost_threads_ns=struct.cost_threads_ns,
        cost_stacks_ns=struct.cost_stacks_ns,
        cost_recorder_ns=struct.cost_recorder_ns,
        processors=struct.processors,
        ending=struct.ending,
        ending_status=struct.ending_status,
        object_kinds=bits(struct.object_kinds),
        stopped_ns=struct.stopped_ns,
    )
