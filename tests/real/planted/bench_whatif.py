# SPDX-License-Identifier: Apache-2.0
"""What-if judged by the program really changed: `./dev bench whatif`.

Each program of changes.py is recorded once as it was; the gain of a change is predicted
from that recording alone. Then the program runs without the agent, as it was and with
each change in turn, and the measured gain of each round is compared with the
prediction. Services of services.py are judged alike, by the rate and latency that their
clients measure.

    ./dev bench whatif
    ./dev bench whatif --test-args '--jdk 17 --rounds 6 logback log4j'
    ./dev bench whatif --test-args 'services'
    ./dev bench whatif --test-args 'held-out'
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "jvm")]

import maven  # noqa: E402
import threadmodel  # noqa: E402
from changes import BY_NAME, CHANGES, Change  # noqa: E402
from jdks import AGENT, JDKS  # noqa: E402
from predict import Prediction, predict  # noqa: E402
from rounds import PLANTED, Gain, Workshop, machine, runs_on  # noqa: E402
from services import (  # noqa: E402
    HELD_OUT_CHANGES,
    SERVICE_CHANGES,
    SERVICES,
    ServiceOutcome,
    judge_service,
    print_service,
    print_sum_of_services,
)

# The middle is right within this share of the real gain, or twice its error.
RIGHT = 0.2
# The name of the services on which no rule was developed.
HELD_OUT = "held-out"


@dataclass(frozen=True)
class Outcome:
    """The predicted and the measured gain of a change."""

    change: Change
    jdk: int
    gain: Gain
    recorded_ns: int
    predicted: Prediction | None

    @property
    def inside(self) -> bool:
        """Whether the real gain, within its error, is in the predicted interval."""
        if self.predicted is None:
            return False
        real_ns, error_ns = self.gain.median_ns, self.gain.error_ns
        return (
            self.predicted.least_ns <= real_ns + error_ns
            and real_ns - error_ns <= self.predicted.most_ns
        )

    @property
    def off_ns(self) -> float | None:
        """The predicted middle less the real gain."""
        if self.predicted is None:
            return None
        return self.predicted.middle_ns - self.gain.median_ns

    @property
    def close(self) -> bool:
        if self.off_ns is None:
            return False
        bound_ns = max(RIGHT * abs(self.gain.median_ns), 2 * self.gain.error_ns)
        return abs(self.off_ns) <= bound_ns


def print_outcome(outcome: Outcome) -> None:
    change, gain, predicted = outcome.change, outcome.gain, outcome.predicted
    print(f"jdk{outcome.jdk} {change.case}: {change.what}\n    {gain}", end="")
    print(f", error {gain.error_ns / 1e9:.2f} s", end="")
    print(f"; recorded in {outcome.recorded_ns / 1e9:.2f} s")
    if predicted is None:
        print("    no prediction", flush=True)
        return
    print(
        f"    predicted {predicted.middle_ns / 1e9:.2f} s"
        f" ({predicted.least_ns / 1e9:.2f} to {predicted.most_ns / 1e9:.2f}):"
        f" {'inside' if outcome.inside else 'outside *'}, middle"
        f" {(outcome.off_ns or 0) / 1e9:+.2f} s{'' if outcome.close else ' *'}",
        flush=True,
    )


def print_sum(outcomes: list[Outcome]) -> None:
    predicted = [outcome for outcome in outcomes if outcome.predicted is not None]
    inside = sum(outcome.inside for outcome in predicted)
    close = sum(outcome.close for outcome in predicted)
    print(
        f"of {len(outcomes)} changes predicted {len(predicted)}:"
        f" real gain inside in {inside},"
        f" middle within {RIGHT:.0%} or twice the error in {close}",
        flush=True,
    )


def judge(workshop: Workshop, changes: list[Change], rounds: int) -> list[Outcome]:
    """The outcomes of changes to one program, which share its runs without them."""
    case = BY_NAME[changes[0].case]
    trace, run = workshop.record(case, PLANTED)
    model = threadmodel.open(trace)
    predictions = [predict(model, change.question) for change in changes]
    trace.unlink()
    ways = [PLANTED, *((*PLANTED, *change.settings) for change in changes)]
    gains = workshop.gains(case, ways, rounds)
    release = workshop.jdk.release
    return [
        Outcome(change, release, gain, run["length_ns"], prediction)
        for change, gain, prediction in zip(changes, gains, predictions, strict=True)
    ]


def by_case(changes: Iterable[Change]) -> dict[str, list[Change]]:
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(change.case, []).append(change)
    return groups


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", type=Path, default=AGENT)
    parser.add_argument("--rounds", type=int, default=4)
    releases = [jdk.release for jdk in JDKS]
    parser.add_argument("--jdk", type=int, choices=releases, help="this release alone")
    parser.add_argument("--json", type=Path, help="the outcomes go there as well")
    parser.add_argument(
        "--keep", type=Path, help="recordings of services go to this folder"
    )
    parser.add_argument("cases", nargs="*", metavar="CASE")
    return parser.parse_args()


def main() -> None:
    options = parsed()
    print(machine(), flush=True)
    chosen = [
        change
        for change in CHANGES
        if not options.cases or change.case in options.cases
    ]
    groups_of_services = {
        group: [
            change
            for change in changes
            if not options.cases or {group, change.service} & set(options.cases)
        ]
        for group, changes in (
            (SERVICES.name, SERVICE_CHANGES),
            (HELD_OUT, HELD_OUT_CHANGES),
        )
    }
    are_services = any(groups_of_services.values())
    outcomes: list[Outcome] = []
    of_services: dict[str, list[ServiceOutcome]] = {
        group: [] for group in groups_of_services
    }
    for jdk in JDKS:
        if options.jdk not in (None, jdk.release):
            continue
        groups = {
            name: changes
            for name, changes in by_case(chosen).items()
            if runs_on(BY_NAME[name], jdk)
        }
        cases = [BY_NAME[name] for name in groups] + [SERVICES] * are_services
        with tempfile.TemporaryDirectory() as folder:
            try:
                workshop = Workshop(jdk, Path(folder), cases, options.agent.resolve())
            except maven.NotFetchedError as reason:
                print(f"{jdk}: {reason}")
                continue
            for changes in groups.values():
                for outcome in judge(workshop, changes, options.rounds):
                    outcomes.append(outcome)
                    print_outcome(outcome)
            for group, services in groups_of_services.items():
                for service in services:
                    judged = judge_service(
                        workshop, service, options.rounds, options.keep
                    )
                    of_services[group].append(judged)
                    print_service(judged)
    print(machine())
    print_sum(outcomes)
    for group, of_group in of_services.items():
        print(f"{group}: ", end="")
        print_sum_of_services(of_group)
    if options.json is not None:
        rows = [asdict(outcome) for outcome in outcomes]
        rows += [asdict(it) for it in chain.from_iterable(of_services.values())]
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
