# SPDX-License-Identifier: Apache-2.0
"""Findings about programs whose bottleneck is known: `./dev bench findings`.

Each program of cases.py runs with its bottleneck and without, in turn, which is the
measured gain; then once more with it under the agent, and its findings are judged:
which one is the first about the true cause, what of it that names, and what gain it
tells. The sentences are printed, to be read by hand; READ.md holds what was read.

    ./dev bench findings
    ./dev bench findings --test-args '--jdk 17 --rounds 1 --pages pages hikari c3p0'
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "jvm")]

import maven  # noqa: E402
import threadmodel  # noqa: E402
from cases import CASES, Case  # noqa: E402
from healthy import HEALTHY, Healthy  # noqa: E402
from jdks import AGENT, MATRIX  # noqa: E402
from rounds import (  # noqa: E402
    PLANTED,
    REMOVED,
    Gain,
    Workshop,
    is_best_for,
    machine,
    runs_on,
)

NAMED = ("lock", "place", "holder")
# These are about another problem, whatever they name.
OTHER_TROUBLE = ("lock_inversion", "useless_notify")
# A finding with less than this share of the measured gain is not about the cause.
LITTLE = 0.5
# A predicted gain within this share of the measured one is right.
RIGHT = 0.25


@dataclass(frozen=True)
class Verdict:
    """What the findings of a run are worth, where the cause is known."""

    case: str
    kind: str
    jdk: int
    gain: Gain
    recorded_ns: int
    rank: int | None
    named: dict[str, bool]
    predicted_ns: int | None
    bound_ns: int | None
    findings: list[dict[str, Any]]

    @property
    def predicted_right(self) -> bool:
        if self.predicted_ns is None:
            return False
        return (
            abs(self.predicted_ns - self.gain.median_ns) <= RIGHT * self.gain.median_ns
        )


def said(finding: dict[str, Any]) -> str:
    """All that a finding says, for words to be looked for in it."""
    keys = ("title", "text", "class", "method", "thread")
    return "\n".join(str(finding.get(key) or "") for key in keys)


def names(finding: dict[str, Any], words: Iterable[str]) -> bool:
    text = said(finding)
    return any(word in text for word in words)


def impact_ns(finding: dict[str, Any]) -> int:
    """What all threads lost by it."""
    return int(finding["impact_ns"])


def about(finding: dict[str, Any], case: Case, gain: Gain) -> bool:
    """Whether a finding is about the true cause, however much it says of it."""
    if finding["kind"] in OTHER_TROUBLE:
        return False
    if impact_ns(finding) < LITTLE * gain.median_ns:
        return False
    return names(finding, (*case.lock, *case.place))


def judge(
    case: Case,
    jdk: int,
    gain: Gain,
    recorded_ns: int,
    findings: list[dict[str, Any]],
) -> Verdict:
    found = next((finding for finding in findings if about(finding, case, gain)), None)
    named = dict.fromkeys(NAMED, False)
    if found is not None:
        named = {what: names(found, getattr(case, what)) for what in NAMED}
    return Verdict(
        case.name,
        case.kind,
        jdk,
        gain,
        recorded_ns,
        None if found is None else found["rank"],
        named,
        None if found is None else found.get("gain_ns"),
        None if found is None else found.get("bound_ns"),
        findings,
    )


def print_findings(findings: Iterable[dict[str, Any]]) -> None:
    for finding in findings:
        impact = f"{impact_ns(finding) / 1e9:.2f} s"
        kind = f"{finding['kind']}{', minor' if finding['minor'] else ''}"
        print(f"    {finding['rank']:2} {kind} ({impact}) {finding['title']}")
        print(f"       {finding['text']}")


def print_verdict(verdict: Verdict) -> None:
    rank = "not found" if verdict.rank is None else f"finding {verdict.rank}"
    named = ", ".join(
        f"{what} {'yes' if right else 'no'}" for what, right in verdict.named.items()
    )
    gain = "no gain predicted"
    if verdict.predicted_ns is not None:
        gain = f"gain predicted {verdict.predicted_ns / 1e9:.2f} s"
        gain += "" if verdict.predicted_right else " *"
    if verdict.bound_ns is not None:
        gain += f", one thread lost at most {verdict.bound_ns / 1e9:.2f} s"
    print(
        f"jdk{verdict.jdk} {verdict.case} ({verdict.kind})\n"
        f"    {verdict.gain}; recorded in {verdict.recorded_ns / 1e9:.2f} s\n"
        f"    true cause: {rank} of {len(verdict.findings)}; {named}; {gain}"
    )
    print_findings(verdict.findings)
    sys.stdout.flush()


def print_sum(verdicts: list[Verdict], healthy: dict[str, int]) -> None:
    ranks = [verdict.rank for verdict in verdicts]
    print(f"true cause first in {ranks.count(1)} of {len(ranks)}", end="")
    print(f", second in {ranks.count(2)}, not found in {ranks.count(None)}")
    for what in NAMED:
        print(f"{what} named in {sum(verdict.named[what] for verdict in verdicts)}")
    right = sum(verdict.predicted_right for verdict in verdicts)
    print(f"gain predicted within {RIGHT:.0%} in {right} of {len(verdicts)}")
    near = sum(
        abs(verdict.bound_ns - verdict.gain.median_ns) <= RIGHT * verdict.gain.median_ns
        for verdict in verdicts
        if verdict.bound_ns is not None
    )
    print(f"what one thread lost within {RIGHT:.0%} of the gain in {near}")
    quiet = sum(count == 0 for count in healthy.values())
    print(f"no finding in {quiet} of {len(healthy)} healthy runs", flush=True)


def page_of(trace: Path) -> str:
    """The report as a terminal shows it."""
    package = str(Path(threadmodel.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-m", "threadmodel", "report", str(trace)],
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


class Bench:
    def __init__(self, workshop: Workshop, pages: Path | None) -> None:
        self.workshop = workshop
        self.pages = pages

    def findings(
        self, case: Case | Healthy, arguments: Sequence[str]
    ) -> tuple[list[dict[str, Any]], int]:
        """Those of a recorded run, and how long that took."""
        trace, run = self.workshop.record(case, arguments)
        if self.pages is not None:
            self.pages.mkdir(parents=True, exist_ok=True)
            page = self.pages / f"{case.name}-{self.workshop.jdk}.txt"
            page.write_text(page_of(trace))
        findings = list(threadmodel.open(trace).findings())
        trace.unlink()
        return findings, run["length_ns"]

    def verdict(self, case: Case, rounds: int) -> Verdict:
        (gain,) = self.workshop.gains(case, (PLANTED, REMOVED), rounds)
        findings, recorded_ns = self.findings(case, PLANTED)
        return judge(case, self.workshop.jdk.release, gain, recorded_ns, findings)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", type=Path, default=AGENT)
    parser.add_argument("--rounds", type=int, default=3)
    releases = [jdk.release for jdk in MATRIX]
    parser.add_argument("--jdk", type=int, choices=releases, help="this release alone")
    parser.add_argument("--json", type=Path, help="the verdicts go there as well")
    parser.add_argument("--pages", type=Path, help="and the reports there")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    return parser.parse_args()


def main() -> None:
    options = parsed()
    print(machine(), flush=True)
    verdicts: list[Verdict] = []
    healthy: dict[str, int] = {}
    chosen = [
        case
        for case in (*CASES, *HEALTHY)
        if not options.cases or case.name in options.cases
    ]
    for jdk in MATRIX:
        cases = [
            case
            for case in chosen
            if runs_on(case, jdk) and (options.jdk or is_best_for(jdk, case))
        ]
        if not cases or options.jdk not in (None, jdk.release):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                workshop = Workshop(jdk, Path(folder), cases, options.agent.resolve())
            except maven.NotFetchedError as reason:
                print(f"{jdk}: {reason}")
                continue
            bench = Bench(workshop, options.pages)
            for case in cases:
                if isinstance(case, Case):
                    verdicts.append(bench.verdict(case, options.rounds))
                    print_verdict(verdicts[-1])
                else:
                    findings, _ = bench.findings(case, (*REMOVED, *case.settings))
                    above = sum(not row["minor"] for row in findings)
                    healthy[f"{jdk} {case.name}"] = above
                    print(f"{jdk} {case.name}: healthy, since {case.why}")
                    print_findings(findings)
    print(machine())
    print_sum(verdicts, healthy)
    if options.json is not None:
        answer = {"planted": [asdict(verdict) for verdict in verdicts]}
        options.json.write_text(json.dumps({**answer, "healthy": healthy}, indent=1))


if __name__ == "__main__":
    main()
