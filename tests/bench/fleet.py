# SPDX-License-Identifier: Apache-2.0
"""Many runs, on this machine: `./dev bench fleet`.

Records small JVMs, sums them up by `threadmodel fleet summarize` into a dataset, merges
summaries, and asks a dataset of ten thousand. These are the summaries of the recorded
runs again and again, each as a run of its own: what is merged and asked is real, and
how many hosts it came from is not.

    ./dev bench fleet
    ./dev bench fleet --test-args '--runs 200 --merged 10000 --asked 1000'
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from threadmodel import fleet, summary
from threadmodel.fleet_dataset import Dataset, Mark

HERE = Path(__file__).resolve().parent
SERVICES, HOSTS, VERSIONS = 5, 40, ("1.1", "1.2")
# A question in a new process: what it takes of the processor, the clock and memory.
ASK = """\
import json, resource, sys, time
from threadmodel.fleet_dataset import Dataset
from threadmodel.fleet_report import Report

def asked(dataset):
    report = Report(dataset)
    report.causes(20), report.changes("1.2"), report.outliers(), report.orders()
    for label in report.labels:
        report.by_label(label, 20)

figures = []
for _ in range(2):
    began, cpu = time.monotonic(), time.process_time()
    asked(Dataset(sys.argv[1]))
    figures.append((time.monotonic() - began, time.process_time() - cpu))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"figures": figures, "peak_kib": peak}))
"""


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", type=Path)
    parser.add_argument("--runs", type=int, default=2000, help="that are recorded")
    parser.add_argument("--merged", type=int, default=100_000, help="summaries")
    parser.add_argument("--asked", type=int, default=10_000, help="runs of a dataset")
    return parser.parse_args()


def java(tool: str) -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", tool)) if home else tool


def record(agent: Path, folder: Path, runs: int) -> list[Path]:
    """Record so many runs, two at a time: {service}/{host}/{version}-{number}.tmt"""
    classes = folder / "classes"
    source = HERE / "programs/Shift.java"
    subprocess.run([java("javac"), "-d", classes, source], check=True)
    traces = []
    for number in range(runs):
        service, host = f"service-{number % SERVICES}", f"host-{number % HOSTS}"
        place = folder / "runs" / service / host
        place.mkdir(parents=True, exist_ok=True)
        version = VERSIONS[number // 2 % len(VERSIONS)]
        traces.append(place / f"{version}-{number}.tmt")

    def one(number: int) -> None:
        option = f"-agentpath:{agent}=file={traces[number]}"
        command = [java("java"), "-Xshare:auto", "-XX:TieredStopAtLevel=1", option]
        command += ["-cp", classes, "Shift", str(number)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, range(runs)))
    return traces


def children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def sized(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def summarized(folder: Path) -> Path:
    dataset = folder / "dataset"
    command = [sys.executable, "-m", "threadmodel", "fleet", "summarize"]
    command += [str(folder / "runs"), "-o", str(dataset)]
    command += ["--labels", "{service}/{host}/{version}-*.tmt"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return dataset


def read_back(results: list[fleet.Result]) -> list[summary.Summary]:
    """The summaries as tables, from the streams that workers answer with."""
    import pyarrow as pa

    found = []
    for result in results:
        tables = {}
        for name, stream in result.tables.items():
            whole = pa.ipc.open_stream(stream).read_all().combine_chunks()
            for batch in whole.to_batches():
                tables[name] = summary.from_arrow(name, batch)
        found.append(tables)
    return found


def merged(summaries: list[summary.Summary], count: int) -> tuple[float, int]:
    """Merge so many, a thousand at a time, and these. @return seconds, rows"""
    began = time.process_time()
    whole: summary.Summary = {}
    for first in range(0, count, 1000):
        some = [
            summaries[(first + i) % len(summaries)]
            for i in range(min(1000, count - first))
        ]
        whole = summary.merge([whole, summary.merge(some)])
    return time.process_time() - began, sum(map(len, whole.values()))


def copies(
    results: list[fleet.Result], count: int
) -> Iterator[tuple[fleet.Result, int]]:
    """The summaries as so many runs of other files."""
    for number in range(count):
        result = results[number % len(results)]
        yield (
            result._replace(url=f"file:///runs/{number}.tmt", run=f"{number:032x}"),
            number,
        )


def spread(results: list[fleet.Result], folder: Path, count: int) -> Path:
    dataset = Dataset(str(folder / "asked"))
    part: list[fleet.Result] = []
    marks: dict[str, Mark] = {}
    labels: dict[str, dict[str, str]] = {}
    for result, number in copies(results, count):
        part.append(result)
        marks[result.url] = [1, 0]
        labels[result.url] = {
            "service": f"service-{number % SERVICES}",
            "host": f"host-{number % HOSTS}",
            "version": VERSIONS[number // 2 % len(VERSIONS)],
        }
        if len(part) == 256:
            dataset.add(part, marks, labels)
            part = []
    if part:
        dataset.add(part, marks, labels)
    dataset.finish()
    return folder / "asked"


def ask(dataset: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", ASK, dataset], capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main() -> None:
    options = parsed()
    cores = os.cpu_count() or 1
    print(f"machine: {cores} processors, load {os.getloadavg()[0] / cores:.1f} of each")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.monotonic()
        traces = record(options.agent.resolve(), folder, options.runs)
        took = time.monotonic() - began
        mean = sum(trace.stat().st_size for trace in traces) / len(traces)
        print(
            f"recorded {len(traces):,} runs in {took:.0f} s, {mean / 1024:.1f} KiB each"
        )

        began, used = time.monotonic(), children_s()
        dataset = summarized(folder)
        took, used = time.monotonic() - began, children_s() - used
        runs = Dataset(str(dataset)).sql("select count(*) from runs").fetchall()[0][0]
        print(
            f"summarized {runs:,} in {took:.1f} s, {used:.1f} s of processors: "
            f"{runs / took:.0f} a second, {runs / used:.0f} a second of a core; "
            f"{sized(dataset) / runs:,.0f} bytes a run in the dataset"
        )

        results = [fleet.summarize_url(str(trace)) for trace in traces[:500]]
        summaries = read_back(results)
        streams = sum(len(s) for r in results for s in r.tables.values()) / len(results)
        took, rows = merged(summaries, options.merged)
        each = 1e3 * took / options.merged
        print(
            f"merged {options.merged:,} summaries of {streams:,.0f} bytes "
            f"in {took:.1f} s: {each:.2f} ms each, {rows:,} rows are left"
        )

        where = spread(results, folder, options.asked)
        answer = ask(where)
        (first, first_cpu), (again, again_cpu) = answer["figures"]
        print(
            f"all questions of {options.asked:,} runs, {sized(where) / 1e6:.1f} MB: "
            f"{first:.2f} s ({first_cpu:.2f} s of processors), again {again:.2f} s "
            f"({again_cpu:.2f} s); {answer['peak_kib'] / 1024:.0f} MiB at most"
        )
    print(f"machine: load {os.getloadavg()[0] / cores:.1f} of each")


if __name__ == "__main__":
    main()
