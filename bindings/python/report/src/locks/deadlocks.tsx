// SPDX-License-Identifier: Apache-2.0
// Deadlocks as rings: each thread wants what the next one holds.
import { useMemo } from "preact/hooks";
import type { Table } from "../data/pack";
import type { Run } from "../data/run";
import type { Stacks } from "../data/stacks";
import { clean, count, instant, MICROSECOND, place, short } from "../format";
import { isCertain } from "../provenance";
import { StackList } from "../stack";
import { goTo } from "../state";

interface Member {
  row: number;
  thread: string;
  index: number;
  wants: string;
  className: string;
  owner: string;
  kind: string;
  where: string;
  stack: number | null;
  provenance: string;
}

interface Deadlock {
  number: number;
  time: number;
  resolved: number | null;
  deadline: number | null;
  members: Member[];
}

const WIDTH = 520;
const HEIGHT = 300;
const RADIUS = 84;

export function gather(run: Run, table: Table): Deadlock[] {
  const found = new Map<number, Deadlock>();
  for (let row = 0; row < table.rows; row++) {
    const number = table.numbers("deadlock")[row]!;
    let deadlock = found.get(number);
    if (!deadlock) {
      deadlock = {
        number,
        time: table.numbers("time_ns")[row]!,
        resolved: table.number("resolved_ns", row),
        deadline: null,
        members: [],
      };
      found.set(number, deadlock);
    }
    const deadline = table.number("deadline_ns", row);
    if (deadline !== null)
      deadlock.deadline = Math.min(deadline, deadlock.deadline ?? deadline);
    const index = run.index.find(table.id("thread_id", row));
    deadlock.members.push({
      row,
      index,
      thread: run.threads[index]?.label ?? clean(table.text("thread", row), 80),
      wants: clean(table.text("object", row), 120) || "an object that is not known",
      className: clean(table.text("class", row), 120),
      owner: clean(table.text("owner", row), 80) || "(not known)",
      kind: table.text("kind", row) ?? "",
      where: place(table.text("method", row), table.number("line", row)),
      stack: table.number("stack", row),
      provenance: table.text("provenance", row) ?? "unknown",
    });
  }
  return [...found.values()];
}

export function Deadlocks({ run, stacks }: { run: Run; stacks: Stacks }) {
  const table = run.table("deadlocks");
  const deadlocks = useMemo(() => gather(run, table), [run, table]);
  if (!deadlocks.length) return <p class="calm">No deadlock was found.</p>;
  return (
    <>
      {deadlocks.map((deadlock) => (
        <article key={deadlock.number} class="deadlock" data-deadlock={deadlock.number}>
          <h3>
            {count(deadlock.members.length, "thread")} since{" "}
            {instant(deadlock.time, MICROSECOND)}
            {deadlock.resolved === null
              ? deadlock.deadline === null
                ? ", not resolved"
                : `, until a timeout breaks it at ${instant(deadlock.deadline, MICROSECOND)}`
              : `, until ${instant(deadlock.resolved, MICROSECOND)}`}
            {deadlock.members.some(({ provenance }) => !isCertain(provenance))
              ? ": an owner is inferred"
              : ""}
          </h3>
          <div class="deadlock-body">
            <Ring members={deadlock.members} />
            <div class="members">
              {deadlock.members.map((member) => (
                <Card
                  key={member.row}
                  member={member}
                  stacks={stacks}
                  show={() => show(run, deadlock, member)}
                />
              ))}
            </div>
          </div>
        </article>
      ))}
      {table.total > table.rows ? (
        <p class="note">{count(table.total - table.rows, "more member")} not in this file.</p>
      ) : null}
    </>
  );
}

function show(run: Run, deadlock: Deadlock, member: Member): void {
  if (member.index < 0) return;
  const end = deadlock.resolved ?? run.facts.length_ns;
  const margin = Math.max((end - deadlock.time) * 0.2, 1000);
  goTo({
    thread: member.index,
    from: deadlock.time - margin,
    to: end + margin,
    at: (deadlock.time + end) / 2,
  });
}

function Card(props: { member: Member; stacks: Stacks; show: () => void }) {
  const { member, stacks } = props;
  return (
    <div class="member">
      <p>
        <button type="button" class="link" onClick={props.show}>
          {member.thread}
        </button>{" "}
        wants <strong>{member.wants}</strong> ({member.kind}), which is held by {member.owner}{" "}
        <span class="badge">{member.provenance}</span>
      </p>
      {member.stack === null ? <code>{member.where}</code> : null}
      <StackList lines={stacks.lines(member.stack)} />
    </div>
  );
}

export function Ring({ members }: { members: readonly Member[] }) {
  const at = (turn: number, radius = RADIUS) => {
    const angle = (turn / members.length) * 2 * Math.PI - Math.PI / 2;
    return [
      WIDTH / 2 + radius * Math.cos(angle),
      HEIGHT / 2 + radius * Math.sin(angle),
    ] as const;
  };
  const said = members.map(
    ({ thread, wants, owner }) => `${thread} wants ${wants}, which is held by ${owner}`,
  );
  return (
    <svg
      class="diagram ring"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`A ring: ${said.join("; ")}`}>
      <defs>
        <marker
          id="ring-head"
          viewBox="0 0 10 10"
          refX="9"
          refY="5"
          markerWidth="8"
          markerHeight="8"
          orient="auto-start-reverse">
          <path d="M0 0 10 5 0 10z" fill="context-stroke" />
        </marker>
      </defs>
      {members.map((member, turn) => {
        const gap = Math.min(0.28, 0.09 * members.length);
        const [x1, y1] = at(turn + gap);
        const [x2, y2] = at(turn + 1 - gap);
        const [lx, ly] = at(turn + 0.5, RADIUS + 10);
        const anchor =
          Math.abs(lx - WIDTH / 2) < 10 ? "middle" : lx > WIDTH / 2 ? "start" : "end";
        const sure = isCertain(member.provenance);
        return (
          <g key={member.row}>
            <path
              class="wants"
              d={`M${x1} ${y1}A${RADIUS} ${RADIUS} 0 0 1 ${x2} ${y2}`}
              stroke-dasharray={sure ? undefined : "5 4"}
              marker-end="url(#ring-head)"
            />
            <text x={lx} y={ly} text-anchor={anchor} class="wanted">
              {shorten(short(member.wants), 21)}
              <title>{member.wants}</title>
            </text>
          </g>
        );
      })}
      {members.map((member, turn) => {
        const [x, y] = at(turn);
        return (
          <g key={member.row}>
            <circle cx={x} cy={y} r={17} />
            <text x={x} y={y + 4} text-anchor="middle" class="count">
              {turn + 1}
            </text>
            <text x={x} y={y < HEIGHT / 2 ? y - 23 : y + 32} text-anchor="middle" class="name">
              {shorten(member.thread, 22)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
