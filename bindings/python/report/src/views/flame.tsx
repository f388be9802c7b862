// SPDX-License-Identifier: Apache-2.0
// A flame graph of the time for which threads were blocked, by call stack.
import { signal } from "@preact/signals";
import { useCallback, useMemo } from "preact/hooks";
import type { Run } from "../data/run";
import { CUT, LEFT_OUT, Stacks } from "../data/stacks";
import { count, duration, short } from "../format";
import { BLOCKING_STATES, type BlockingState, BY_NAME, colour, STATES } from "../states";
import { Swatch } from "../timeline/swatch";
import { Flames, type Frame } from "./flames";

/** Whose stacks, and what is on top of them. */
type Side = "outermost" | "innermost" | "owners";

const SIDES: readonly (readonly [Side, string])[] = [
  ["outermost", "Callers first"],
  ["innermost", "Where it blocked first"],
  ["owners", "Owners of the locks"],
];
const side = signal<Side>("outermost");

/** What the reader chose; null: nothing yet. */
const states = signal<ReadonlySet<BlockingState> | null>(null);
/** Of these the one in which most time was spent is shown at first. */
const FIRST: readonly (readonly BlockingState[])[] = [
  ["blocked", "reentering"],
  ["waiting"],
  ["parked"],
  ["io"],
];
/** Grey: what lies below is no call of what lies above. */
const CUT_FILL = "#9aa3b2";

/** Time of all stacks in these states, but that of workers without work. */
function timeIn(run: Run, chosen: Iterable<BlockingState>, ofIdle = false): number {
  const table = run.table("flame");
  const isIdle = table.numbers("idle");
  let sum = 0;
  for (const state of chosen)
    table.numbers(`${state}_total_ns`).forEach((time, row) => {
      if ((isIdle[row] === 1) === ofIdle) sum += time;
    });
  return sum;
}

function atFirst(run: Run): ReadonlySet<BlockingState> {
  const sums = FIRST.map((of) => timeIn(run, of));
  return new Set(FIRST[sums.indexOf(Math.max(...sums))]);
}

/** Frames that are the same and have the same frames above them are one. */
class Tree {
  readonly root: Frame = { name: "all stacks", value: 0, children: [] };
  private readonly below = new Map<Frame, Map<string, Frame>>();

  add(names: readonly string[], value: number): void {
    let at = this.root;
    at.value += value;
    for (const name of names) {
      const children = this.below.get(at) ?? new Map<string, Frame>();
      this.below.set(at, children);
      let child = children.get(name);
      if (!child) {
        child = { name, value: 0, children: [] };
        children.set(name, child);
        at.children.push(child);
      }
      child.value += value;
      at = child;
    }
  }
}

/** Where owners acquired the locks for which others were blocked, and who they were. */
function buildOwners(run: Run): Frame {
  const table = run.table("blame");
  const tree = new Tree();
  const totals = table.rows ? table.numbers("total_ns") : [];
  for (let row = 0; row < table.rows; row++) {
    const owner = table.text("owner", row);
    const method = table.text("owner_method", row);
    const names = [
      table.text("class", row) ?? "(class not known)",
      method ?? (owner === null ? "(nobody, or not known)" : "(place not known)"),
      ...(owner === null ? [] : [owner]),
    ];
    if (totals[row]! > 0) tree.add(names, totals[row]!);
  }
  return tree.root;
}

function build(
  run: Run,
  stacks: Stacks,
  chosen: ReadonlySet<BlockingState>,
  isInnermostFirst: boolean,
): Frame {
  const table = run.table("flame");
  const isIdle = table.numbers("idle");
  const tree = new Tree();
  for (let row = 0; row < table.rows; row++) {
    if (isIdle[row]) continue;
    let value = 0;
    for (const state of chosen) value += table.numbers(`${state}_total_ns`)[row]!;
    if (!value) continue;
    const rows = stacks.rows(table.number("stack", row));
    const frames = rows.map((at) => stacks.method(at));
    if (stacks.isCut(rows)) frames.push(CUT);
    if (stacks.isLeftOut(table.number("stack", row))) frames.push(LEFT_OUT);
    if (!isInnermostFirst) frames.reverse();
    tree.add(frames.length ? frames : ["(no stack)"], value);
  }
  return tree.root;
}

const nameOf = ({ name }: Frame) => short(name);

export function FlameView({ run }: { run: Run }) {
  const stacks = useMemo(() => new Stacks(run.table("stacks")), [run]);
  const first = useMemo(() => atFirst(run), [run]);
  const chosen = states.value ?? first;
  const ofOwners = side.value === "owners";
  const idle = ofOwners ? 0 : timeIn(run, chosen, true);
  const isInnermostFirst = side.value === "innermost";
  const root = useMemo(
    () => (ofOwners ? buildOwners(run) : build(run, stacks, chosen, isInnermostFirst)),
    [run, stacks, chosen, ofOwners, isInnermostFirst],
  );
  const fill = colour(BY_NAME.get([...chosen][0]!)!);
  const paint = useCallback(
    ({ name }: Frame) => ([CUT, LEFT_OUT].includes(name) ? CUT_FILL : shade(fill, name)),
    [fill],
  );
  const turn = (state: BlockingState) => {
    const next = new Set(chosen);
    if (!next.delete(state)) next.add(state);
    states.value = next;
  };
  const table = run.table(ofOwners ? "blame" : "flame");
  return (
    <section class="flame" aria-labelledby="flame-title">
      <h2 id="flame-title">
        {ofOwners ? "Time blocked, by owner of the lock" : "Time blocked, by call stack"}{" "}
        <span class="aside">{duration(root.value)}</span>
      </h2>
      <div class="controls" role="group" aria-label="Sides">
        {SIDES.map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={side.value === name}
            onClick={() => {
              side.value = name;
            }}>
            {title}
          </button>
        ))}
      </div>
      {ofOwners ? (
        <p class="note">
          Below the class of a lock: where its owner acquired it while others were blocked, and
          the owner.
        </p>
      ) : (
        <div class="controls" role="group" aria-label="States">
          {BLOCKING_STATES.map((state) => (
            <button
              key={state}
              type="button"
              aria-pressed={chosen.has(state)}
              onClick={() => turn(state)}>
              <Swatch state={BY_NAME.get(state)!} /> {STATES[BY_NAME.get(state)!]!.label}
            </button>
          ))}
        </div>
      )}
      {root.value ? (
        <Flames root={root} fill={paint} name={nameOf} label="Call stacks, outermost first" />
      ) : (
        <p class="calm">No thread was in this state.</p>
      )}
      {idle ? (
        <p class="note">Without {duration(idle)} of idle workers, which waited for work.</p>
      ) : null}
      {table.total > table.rows ? (
        <p class="note">
          {count(table.total - table.rows, ofOwners ? "more owner" : "more stack")} not in this
          file.
        </p>
      ) : null}
    </section>
  );
}

/** The state's colour, a little lighter or darker by name, so that neighbours differ. */
function shade(fill: string, name: string): string {
  let hash = 0;
  for (let i = 0; i < Math.min(name.length, 200); i++)
    hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return `color-mix(in oklab, ${fill} ${62 + (Math.abs(hash) % 30)}%, #fff)`;
}
