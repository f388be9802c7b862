# SPDX-License-Identifier: Apache-2.0
"""How fast recordings are read: one recording of JFR by us, by the JDK and by JMC; and
as many events of ours beside as many of CTF, read by babeltrace2."""

import struct
import sys
from pathlib import Path

from fetch import (
    HERE,
    STORM,
    VIEWS_SINCE,
    MissingError,
    Setting,
    command,
    compiled,
    every_event,
)

from rounds import Result, Subject, measure, run

NAME = "reading"
PUTS, SMALL_PUTS = 3_200_000, 5_000
CTF_EVENTS, SMALL_CTF_EVENTS = 4_000_000, 20_000
PER_PACKET = 100_000
METADATA = """/* CTF 1.8 */
trace {{ major = 1; minor = 8; byte_order = le;
  packet.header := struct {{ integer {{ size = 32; }} magic; }}; }};
stream {{
  packet.context := struct {{
    integer {{ size = 64; }} packet_size; integer {{ size = 64; }} content_size; }};
  event.header := struct {{ integer {{ size = 64; }} timestamp; }}; }};
event {{ name = "enter";
  fields := struct {{ {fields} }}; }};
"""
FIELDS = ("thread", "object", "peer", "value")


def subject(*words: object, **variables: str) -> Subject:
    return lambda: run(words, **variables)[0]


def flight(setting: Setting) -> None:
    jdks = setting.jdks(VIEWS_SINCE)[-1:]
    if not jdks:
        setting.skip("jfr view: no JDK from 21 on")
        return
    jdk, folder = jdks[0], setting.folder
    classes = compiled(jdk, folder, *STORM)
    file = folder / "storm.jfr"
    chosen = every_event(jdk, folder)
    run(
        [jdk.tool("java"), "-cp", classes]
        + [f"-XX:StartFlightRecording=filename={file},settings={chosen}"]
        + ["Storm", setting.size(PUTS, SMALL_PUTS)]
    )
    # Everybody reads it from the page cache. In pieces: a child begins with the most
    # memory that this process had.
    with file.open("rb") as content:
        while content.read(1 << 20):
            pass
    jfr, ours = jdk.tool("jfr"), setting.python()
    consume = compiled(jdk, folder, HERE / "programs/Consume.java")
    quick = setting.threadmodel("stats", "--quick", "--state", "blocked", file)
    by_class = setting.threadmodel("stats", "--by", "class", file)
    report = setting.threadmodel("report", file)
    subjects: dict[str, Subject] = {
        "jfr view contention-by-class": subject(
            jfr, "view", "contention-by-class", file
        ),
        "stats --quick --state blocked": subject(*quick, **ours),
        "stats --by class": subject(*by_class, **ours),
        "report": subject(*report, **ours),
        "report --json --tables all": subject(
            *report, "--json", "--tables", "all", "-o", folder / "x.json", **ours
        ),
        "jfr view contention-by-site": subject(jfr, "view", "contention-by-site", file),
        "jfr view latencies-by-type": subject(jfr, "view", "latencies-by-type", file),
        "jdk.jfr.consumer loop": subject(
            jdk.tool("java"), "-cp", consume, "Consume", file
        ),
    }
    try:
        jars = f"{setting.jars(HERE / 'jmc.xml')}/*"
        jmc = compiled(jdk, folder, HERE / "programs/JmcReader.java", jars=jars)
        java = (jdk.tool("java"), "-cp", f"{jmc}:{jars}", "JmcReader", file)
        subjects["JMC, by class"] = subject(*java)
        subjects["JMC, lock rules"] = subject(*java, "rules")
    except MissingError as reason:
        setting.skip(str(reason))
    name = f"one recording of {file.stat().st_size / 1e6:.0f} MB, {jdk}"
    setting.result.add(measure(name, subjects, setting.rounds))


def write_ctf(folder: Path, events: int) -> None:
    """Write a trace with the four numbers that an event of ours has."""
    folder.mkdir()
    fields = " ".join(f"integer {{ size = 64; }} {name};" for name in FIELDS)
    (folder / "metadata").write_text(METADATA.format(fields=fields))
    event = struct.Struct("<5Q")
    with (folder / "stream").open("wb") as file:
        for begin in range(0, events, PER_PACKET):
            count = min(PER_PACKET, events - begin)
            bits = 8 * (20 + count * event.size)
            file.write(struct.pack("<IQQ", 0xC1FC1FC1, bits, bits))
            for number in range(begin, begin + count):
                file.write(event.pack(number * 100, number % 64, number % 999, 0, 0))


def ctf(setting: Setting) -> None:
    events = setting.size(CTF_EVENTS, SMALL_CTF_EVENTS)
    tmt = setting.folder / "events.tmt"
    run([sys.executable, HERE / "runs.py", tmt, events], **setting.python())
    bench_file = setting.bench("jfr")
    subjects: dict[str, Subject] = {
        "trace, into a counter": subject(bench_file, tmt, "counter"),
        "trace, into a model": subject(bench_file, tmt, "model"),
    }
    try:
        babeltrace = command("babeltrace2", "babeltrace2")
        write_ctf(setting.folder / "ctf", events)
        counter = ["--component=sink.utils.counter", setting.folder / "ctf"]
        subjects["babeltrace2, counter"] = subject(babeltrace, *counter)
    except MissingError as reason:
        setting.skip(str(reason))
    setting.result.add(measure(f"{events:,} events", subjects, setting.rounds))


def bench(setting: Setting) -> Result:
    print("  recordings of JFR", file=sys.stderr, flush=True)
    flight(setting)
    print("  traces", file=sys.stderr, flush=True)
    ctf(setting)
    return setting.result
