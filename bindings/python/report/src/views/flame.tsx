// SPDX-License-Identifier: Apache-2.0
// A flame graph of the time for which threads were blocked, by call stack.
import { signal } from "@preact/signals";
import { useCallback, useMemo } from "preact/hooks";
import type { Table } from "../data/pack";
import type { Run } from "../data/run";
import { CUT, LEFT_OUT, Stacks } from "../data/stacks";
import { count, duration, percent, short } from "../format";
import { Elsewhere } from "../part";
import { BLOCKING_STATES, type BlockingState, BY_NAME, colour, STATES } from "../states";
import { Swatch } from "../timeline/swatch";
import { Flames, type Frame } from "./flames";

/** The stacks that are shown, and the frames on top of them. */
type Side = "outermost" | "innermost" | "owners";

const SIDES: readonly (readonly [Side, string])[] = [
  ["outermost", "Callers first"],
  ["innermost", "Where it blocked first"],
  ["owners", "Owners of the locks"],
];
const side = signal<Side>("outermost");

/** The states that the user chose; null: none yet. */
const states = signal<ReadonlySet<BlockingState> | null>(null);
/** The choices at first: the one with the most time is shown. */
const FIRST: readonly (readonly BlockingState[])[] = [
  ["blocked", "reentering"],
  ["waiting"],
  ["parked"],
  ["io"],
];
/** Grey: the frame below was not called by the frame above. */
const CUT_FILL = "#9aa3b2";

/** The tables of one run that hold its stacks and owners. */
export interface Source {
  table(name: string): Table;
}

interface Props {
  sources: readonly Source[];
  /** The run whose part is shown; undefined for two runs. */
  run?: Run;
}

/** A frame, with the share of each run in its time. */
interface Stack extends Frame {
  shares: number[];
  children: Stack[];
}

/** Time of all stacks in these states, but that of workers without work. */
function timeIn(source: Source, chosen: Iterable<BlockingState>, ofIdle = false): number {
  const table = source.table("flame");
  if (!table.rows) return 0;
  const isIdle = table.numbers("idle");
  let sum = 0;
  for (const state of chosen)
    table.numbers(`${state}_total_ns`).forEach((time, row) => {
      if ((isIdle[row] === 1) === ofIdle) sum += time;
    });
  return sum;
}

function timeInAll(
  sources: readonly Source[],
  chosen: Iterable<BlockingState>,
  ofIdle = false,
): number {
  return sources.reduce((sum, source) => sum + timeIn(source, chosen, ofIdle), 0);
}

function atFirst(sources: readonly Source[]): ReadonlySet<BlockingState> {
  const sums = FIRST.map((of) => timeInAll(sources, of));
  return new Set(FIRST[sums.indexOf(Math.max(...sums))]);
}

/** Frames that are the same and have the same frames above them are one. */
class Tree {
  readonly root: Stack;
  private readonly below = new Map<Stack, Map<string, Stack>>();

  constructor(private readonly runs: number) {
    this.root = this.frame("all stacks");
  }

  add(names: readonly string[], value: number, run: number): void {
    let at = this.root;
    this.count(at, value, run);
    for (const name of names) {
      const children = this.below.get(at) ?? new Map<string, Stack>();
      this.below.set(at, children);
      let child = children.get(name);
      if (!child) {
        child = this.frame(name);
        children.set(name, child);
        at.children.push(child);
      }
      this.count(child, value, run);
      at = child;
    }
  }

  private frame(name: string): Stack {
    return { name, value: 0, shares: new Array<number>(this.runs).fill(0), children: [] };
  }

  private count(frame: Stack, value: number, run: number): void {
    frame.value += value;
    frame.shares[run]! += value;
  }
}

/** Owners of locks that blocked others, and the places where they acquired them. */
function buildOwners(sources: readonly Source[]): Stack {
  const tree = new Tree(sources.length);
  sources.forEach((source, run) => {
    const table = source.table("blame");
    const totals = table.rows ? table.numbers("total_ns") : [];
    for (let row = 0; row < table.rows; row++) {
      const owner = table.text("owner", row);
      const method = table.text("owner_method", row);
      const names = [
        table.text("class", row) ?? "(class not known)",
        method ?? (owner === null ? "(nobody, or not known)" : "(place not known)"),
        ...(owner === null ? [] : [owner]),
      ];
      if (totals[row]! > 0) tree.add(names, totals[row]!, run);
    }
  });
  return tree.root;
}

function build(
  sources: readonly Source[],
  chosen: ReadonlySet<BlockingState>,
  isInnermostFirst: boolean,
): Stack {
  const tree = new Tree(sources.length);
  sources.forEach((source, run) => {
    const stacks = new Stacks(source.table("stacks"));
    const table = source.table("flame");
    const isIdle = table.rows ? table.numbers("idle") : [];
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
      tree.add(frames.length ? frames : ["(no stack)"], value, run);
    }
  });
  return tree.root;
}

const nameOf = ({ name }: Frame) => short(name);

/** The flame graph of one run, or of two, before and after, as their difference. */
export function FlameView({ sources, run }: Props) {
  const first = useMemo(() => atFirst(sources), [sources]);
  const chosen = states.value ?? first;
  const ofOwners = side.value === "owners";
  const idle = ofOwners ? 0 : timeInAll(sources, chosen, true);
  const isInnermostFirst = side.value === "innermost";
  const isDifference = sources.length > 1;
  const root = useMemo(
    () => (ofOwners ? buildOwners(sources) : build(sources, chosen, isInnermostFirst)),
    [sources, chosen, ofOwners, isInnermostFirst],
  );
  const fill = colour(BY_NAME.get([...chosen][0]!)!);
  const paint = useCallback(
    (frame: Frame) => {
      if ([CUT, LEFT_OUT].includes(frame.name)) return CUT_FILL;
      return isDifference ? changed((frame as Stack).shares) : shade(fill, frame.name);
    },
    [fill, isDifference],
  );
  const figures = useCallback(
    (frame: Frame) => {
      if (isDifference) return change((frame as Stack).shares);
      return `${duration(frame.value)}, ${percent(frame.value / root.value)}`;
    },
    [root, isDifference],
  );
  const turn = (state: BlockingState) => {
    const next = new Set(chosen);
    if (!next.delete(state)) next.add(state);
    states.value = next;
  };
  const tables = sources.map((source) => source.table(ofOwners ? "blame" : "flame"));
  const left = tables.reduce((sum, { total, rows }) => sum + total - rows, 0);
  return (
    <section class="flame" aria-labelledby="flame-title">
      <h2 id="flame-title">
        {ofOwners ? "Time blocked, by owner of the lock" : "Time blocked, by call stack"}{" "}
        <span class="aside">{isDifference ? change(root.shares) : duration(root.value)}</span>{" "}
        {run ? <Elsewhere run={run} table={ofOwners ? "blame" : "flame"} /> : null}
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
      {isDifference ? (
        <p class="note">
          A frame is as wide as its time in both runs together.{" "}
          <span class="swatch" style={{ background: changed([1, 0]) }} /> less than before,{" "}
          <span class="swatch" style={{ background: changed([0, 1]) }} /> more,{" "}
          <span class="swatch" style={{ background: changed([1, 1]) }} /> the same.
        </p>
      ) : null}
      {root.value ? (
        <Flames
          root={root}
          fill={paint}
          name={nameOf}
          figures={figures}
          label={
            isInnermostFirst ? "Call stacks, innermost first" : "Call stacks, outermost first"
          }
        />
      ) : (
        <p class="calm">No thread was in this state.</p>
      )}
      {idle ? (
        <p class="note">Without {duration(idle)} of idle workers, which waited for work.</p>
      ) : null}
      {left ? (
        <p class="note">
          {count(left, ofOwners ? "more owner" : "more stack")} not in this file.
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

/** "2.66 s before, 0 ns after, -100 %". */
export function change([before, after]: number[]): string {
  const said = `${duration(before)} before, ${duration(after)} after`;
  if (!before) return said;
  const share = percent((after! - before) / before);
  return `${said}, ${after! > before ? "+" : ""}${share}`;
}

/** Blue where there is less than before, vermilion where there is more: as those of
 * Okabe and Ito, which colour-blind people can distinguish. */
export function changed([before, after]: number[]): string {
  const share = (after! - before!) / Math.max(before! + after!, 1);
  const hue = share < 0 ? "#56b4e9" : "#e69f00";
  return `color-mix(in oklab, ${hue} ${Math.round(Math.abs(share) * 100)}%, #d4d8e0)`;
}
