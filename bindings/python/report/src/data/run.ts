// SPDX-License-Identifier: Apache-2.0
// The run and its threads by index, the number that identifies a thread everywhere.
import { clean } from "../format";
import { BLOCKING_STATES } from "../states";
import type { Pack, Table } from "./pack";

export interface Facts {
  title: string;
  source: string | null;
  format: string | null;
  producer: string | null;
  vm: string | null;
  command: string | null;
  pid: number | null;
  start: string | null;
  length_ns: number;
  /** Time for which threads were blocked by locks of any kind. */
  locks_ns: number;
  calm: string;
  threshold_ns: number;
  events: number;
  caveats: string[];
  damage: string | null;
  version: string;
}

export interface Licence {
  name: string;
  version: string;
  license: string;
  text: string;
}

export interface Thread {
  index: number;
  id: bigint;
  /** The recorded name; show `label`. */
  name: string | null;
  label: string;
  group: string;
  virtual: boolean;
  daemon: boolean;
  state: string;
  start: number | null;
  end: number | null;
  /** Count and total of each kind of blocking interval and of sleeping, by state. */
  count: Record<string, number>;
  total: Record<string, number>;
  blocked: number;
}

const SUMMED = [...BLOCKING_STATES, "sleeping"] as const;

export function threadsOf(table: Table): Thread[] {
  const ids = table.rows ? table.ids("thread_id") : new BigUint64Array();
  return Array.from({ length: table.rows }, (_, row) => {
    const name = table.text("name", row);
    const count: Record<string, number> = {};
    const total: Record<string, number> = {};
    for (const state of SUMMED) {
      count[state] = table.numbers(`${state}_count`)[row]!;
      total[state] = table.numbers(`${state}_total_ns`)[row]!;
    }
    return {
      index: row,
      id: ids[row]!,
      name,
      label: clean(name, 200) || `thread ${ids[row]}`,
      group: clean(table.text("group", row), 200) || "(no group)",
      virtual: table.numbers("virtual")[row] === 1,
      daemon: table.numbers("daemon")[row] === 1,
      state: table.text("state", row) ?? "unknown",
      start: table.number("start_ns", row),
      end: table.number("end_ns", row),
      count,
      total,
      blocked: BLOCKING_STATES.reduce((sum, state) => sum + total[state]!, 0),
    };
  });
}

/** From ids of threads to indexes; rows of one thread mostly follow one another. */
export class ThreadIndex {
  private readonly byId: Map<bigint, number>;

  constructor(threads: readonly Thread[]) {
    this.byId = new Map(threads.map((thread) => [thread.id, thread.index]));
  }

  find(id: bigint | null): number {
    return id === null ? -1 : (this.byId.get(id) ?? -1);
  }

  /** The thread of each row of a table; -1 where it is null or not known. */
  column(table: Table, column: string): Int32Array {
    const found = new Int32Array(table.rows);
    if (!table.rows || !table.type(column)) return found.fill(-1);
    const ids = table.ids(column);
    let last: bigint | null = null;
    let index = -1;
    for (let row = 0; row < found.length; row++) {
      const id = ids[row]!;
      if (id !== last) {
        last = id;
        index = this.find(id);
      }
      found[row] = id === 0n && table.isNull(column, row) ? -1 : index;
    }
    return found;
  }
}

/** The part of the run that tables are about. */
export interface Part {
  from: number;
  to: number;
  /** Blocking time of the part in merged intervals, which is in no table. */
  merged: number;
  /** Time for which threads were blocked by locks in it; null: not in the page. */
  locksNs: number | null;
  /** Waits for a class at a place in the part; null: any class, or any place. */
  waits: (className: string | null, method: string | null) => { count: number; ns: number };
}

export class Run {
  readonly facts: Facts;
  readonly threads: Thread[];
  readonly index: ThreadIndex;
  readonly byThread: boolean;
  /** The part of the computed tables; null: all tables are the model's. */
  readonly part: Part | null;
  private readonly tables: ReadonlyMap<string, Table>;

  /** @param made tables in place of the model's, of a part of the run */
  constructor(
    readonly answers: Pack,
    made?: { part: Part; tables: ReadonlyMap<string, Table> },
  ) {
    this.part = made?.part ?? null;
    this.tables = made?.tables ?? new Map();
    this.facts = answers.value<Facts>("run");
    this.threads = threadsOf(this.table("threads"));
    this.index = new ThreadIndex(this.threads);
    this.byThread = answers.value<boolean>("by_thread");
  }

  table(name: string): Table {
    return this.tables.get(name) ?? this.answers.table(name);
  }

  has(name: string): boolean {
    return this.tables.has(name) || this.answers.has(name);
  }

  /** Whether a table is about another part than the one that is shown. */
  isElsewhere(name: string): boolean {
    return this.part !== null && !this.tables.has(name);
  }

  /** The part that the model's answers are about. */
  get asked(): readonly [from: number, to: number] {
    return (
      this.answers.value<[number, number] | undefined>("range") ?? [0, this.facts.length_ns]
    );
  }

  /** The row of the finding of a rank; -1: there is none. */
  findingAt(rank: number): number {
    const table = this.table("findings");
    return table.rows ? table.numbers("rank").indexOf(rank) : -1;
  }
}
