# SPDX-License-Identifier: Apache-2.0
"""Cards, `diff` and `check` judged by services really changed: `./dev bench services`.

Each service of services.py is recorded twice as it is, and once with a change that
serves more requests. The cards of both are printed. `diff` and `check` are asked of
three pairs of recordings: the change made, the change undone, and nothing changed. The
clients, which count requests themselves, say how many there were in each.

    ./dev bench services
    ./dev bench services --test-args '--jdk 17 limiter cache'
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "jvm")]

import threadmodel  # noqa: E402
from jdks import AGENT, JDKS  # noqa: E402
from rounds import Workshop, machine  # noqa: E402
from services import (  # noqa: E402
    HELD_OUT_CHANGES,
    SERVICE_CHANGES,
    SERVICES,
    ServiceChange,
)

OPPOSITE = {"better": "worse", "worse": "better"}
# What the clients measured bears out a change from the one ratio of rates on, and that
# nothing changed up to the other. Else the machine did something else meanwhile.
CHANGED, UNCHANGED = 1.3, 1.15


@dataclass(frozen=True)
class Recording:
    """A recording, and the rate that the clients measured meanwhile."""

    trace: Path
    rate: float


@dataclass(frozen=True)
class Pair:
    """What the commands say of one recording after another."""

    expected: str
    rates: tuple[float, float]
    verdict: str
    is_rejected: bool

    @property
    def is_borne_out(self) -> bool:
        """Whether the clients measured what was expected."""
        ratio = self.rates[1] / self.rates[0]
        return {
            "better": ratio >= CHANGED,
            "worse": 1 / ratio >= CHANGED,
            "equal": max(ratio, 1 / ratio) <= UNCHANGED,
        }[self.expected]

    @property
    def is_right(self) -> bool:
        return self.verdict == self.expected and self.is_rejected == (
            self.expected == "worse"
        )

    @property
    def is_inverted(self) -> bool:
        return self.verdict == OPPOSITE.get(self.expected) or (
            self.is_rejected and self.expected == "better"
        )


@dataclass(frozen=True)
class Outcome:
    """All that is said of a service and its change."""

    service: str
    what: str
    jdk: int
    cards: list[str]
    cards_changed: list[str]
    pairs: list[Pair]


def one_change_each() -> dict[str, ServiceChange]:
    """Return the first change of each service."""
    changes: dict[str, ServiceChange] = {}
    for change in (*SERVICE_CHANGES, *HELD_OUT_CHANGES):
        changes.setdefault(change.service, change)
    return changes


def record(workshop: Workshop, settings: tuple[str, ...], name: str) -> Recording:
    trace, run = workshop.record(SERVICES, ("service", *settings))
    return Recording(trace.rename(trace.with_name(f"{name}.tmt")), run["per_s"])


def cards(recording: Recording) -> list[str]:
    """Return the titles of the cards above the line."""
    findings = threadmodel.open(recording.trace).findings()
    return [row["title"] for row in findings if not row["minor"]]


def ask(*arguments: str | Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "threadmodel", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{arguments}: {done.returncode}\n{done.stderr[-4000:]}")
    return done.returncode, done.stdout


def judge_pair(before: Recording, after: Recording, expected: str) -> Pair:
    _, said = ask("diff", before.trace, after.trace, "--json")
    (requests,) = json.loads(said).get("requests") or [{"verdict": "none"}]
    status, _ = ask("check", after.trace, "--no-regression", before.trace)
    return Pair(expected, (before.rate, after.rate), requests["verdict"], status == 1)


def judge(workshop: Workshop, change: ServiceChange) -> Outcome:
    before = record(workshop, change.before, "before")
    after = record(workshop, change.after, "after")
    again = record(workshop, change.before, "again")
    outcome = Outcome(
        change.service,
        change.what,
        workshop.jdk.release,
        cards(before),
        cards(after),
        [
            judge_pair(before, after, "better"),
            judge_pair(after, again, "worse"),
            judge_pair(before, again, "equal"),
        ],
    )
    for recording in (before, after, again):
        recording.trace.unlink()
    return outcome


def show(outcome: Outcome) -> None:
    print(f"jdk{outcome.jdk} {outcome.service}: {outcome.what}")
    print(f"    cards: {'; '.join(outcome.cards) or 'none'}")
    print(f"    changed: {'; '.join(outcome.cards_changed) or 'none'}")
    for pair in outcome.pairs:
        print(
            f"    {pair.rates[0]:.0f}, then {pair.rates[1]:.0f} a second:"
            f" {pair.verdict}, {'rejected' if pair.is_rejected else 'accepted'}"
            f"{'' if pair.is_right else f', {pair.expected} *'}"
            f"{' INVERTED' if pair.is_inverted else ''}"
            f"{'' if pair.is_borne_out else ' (the clients measured otherwise)'}",
            flush=True,
        )


def show_sum(outcomes: list[Outcome]) -> None:
    every = [pair for outcome in outcomes for pair in outcome.pairs]
    pairs = [pair for pair in every if pair.is_borne_out]
    print(
        f"{len(every)} pairs; the clients bear out {len(pairs)}, and of these right"
        f" in {sum(pair.is_right for pair in pairs)}, inverted in"
        f" {sum(pair.is_inverted for pair in pairs)}"
    )
    print(
        f"changed services without a card above the line:"
        f" {sum(not outcome.cards_changed for outcome in outcomes)} of {len(outcomes)}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", type=Path, default=AGENT)
    releases = [jdk.release for jdk in JDKS]
    parser.add_argument("--jdk", type=int, choices=releases, help="this release alone")
    parser.add_argument("--json", type=Path, help="the outcomes go there as well")
    parser.add_argument("services", nargs="*", metavar="SERVICE")
    options = parser.parse_args()
    print(machine(), flush=True)
    outcomes: list[Outcome] = []
    for jdk in JDKS:
        if options.jdk not in (None, jdk.release):
            continue
        with tempfile.TemporaryDirectory() as folder:
            workshop = Workshop(jdk, Path(folder), [SERVICES], options.agent.resolve())
            for service, change in one_change_each().items():
                if not options.services or service in options.services:
                    outcomes.append(judge(workshop, change))
                    show(outcomes[-1])
    print(machine())
    show_sum(outcomes)
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(it) for it in outcomes], indent=1))


if __name__ == "__main__":
    main()
