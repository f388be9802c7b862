// SPDX-License-Identifier: Apache-2.0
// The filter dialog: which threads the timeline shows. Rules narrow the table down; what
// is ticked in it is shown.
import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Thread } from "../data/run";
import { count, number } from "../format";
import { type Column, Grid } from "../grid";
import { STATES } from "../states";

interface Rules {
  pattern: string;
  group: string;
  state: string;
  /** Least time blocked, in ms. */
  least: number;
}

const ANY: Rules = { pattern: "", group: "", state: "", least: 0 };

const COLUMNS: Column<Thread>[] = [
  { id: "name", title: "Thread", kind: "text", value: ({ label }) => label, width: 260 },
  { id: "group", title: "Group", kind: "text", value: ({ group }) => group, width: 180 },
  { id: "state", title: "At the end", kind: "text", value: ({ state }) => state, width: 120 },
  { id: "held", title: "Blocked", kind: "ns", value: ({ blocked }) => blocked, sort: "desc" },
  {
    id: "activity",
    title: "Blocking intervals",
    kind: "count",
    value: ({ count: of }) => Object.values(of).reduce((sum, some) => sum + some, 0),
  },
  { id: "start", title: "Began", kind: "instant", value: ({ start }) => start },
  { id: "end", title: "Ended", kind: "instant", value: ({ end }) => end },
];

/** Return a function that matches a thread's name; null: the pattern is invalid. */
export function matcher(pattern: string): ((name: string) => boolean) | null {
  const regular = /^\/(.*)\/$/s.exec(pattern);
  if (regular) {
    try {
      const expression = new RegExp(regular[1]!, "iu");
      return (name) => expression.test(name.slice(0, 1000));
    } catch {
      return null;
    }
  }
  const parts = pattern.toLowerCase().split("*");
  if (parts.length === 1) return (name) => name.toLowerCase().includes(parts[0]!);
  return (name) => matchesParts(name.toLowerCase(), parts);
}

/** Each star stands for any text, the whole pattern for the whole name. */
function matchesParts(name: string, parts: readonly string[]): boolean {
  const [first, last] = [parts[0]!, parts[parts.length - 1]!];
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  if (name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}

interface Props {
  threads: readonly Thread[];
  shown: Signal<ReadonlySet<number> | null>;
  dialog: RefObject<HTMLDialogElement | null>;
}

export function FilterDialog(props: Props) {
  const [opened, setOpened] = useState(0);
  return (
    <dialog
      ref={props.dialog}
      class="filter"
      aria-label="Filter threads"
      onToggle={(event) => {
        if (event.newState === "open") setOpened((times) => times + 1);
      }}>
      {opened ? <Choice key={opened} {...props} /> : null}
    </dialog>
  );
}

function Choice({ threads, shown, dialog }: Props) {
  const [rules, setRules] = useState(ANY);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(
    () =>
      new Set((shown.value ? [...shown.value] : threads.map(({ index }) => index)).map(String)),
  );
  const match = useMemo(() => matcher(rules.pattern), [rules.pattern]);
  const rows = useMemo(
    () =>
      threads.filter(
        ({ label, group, state, blocked }) =>
          (match?.(label) ?? true) &&
          (!rules.group || group === rules.group) &&
          (!rules.state || state === rules.state) &&
          blocked >= rules.least * 1e6,
      ),
    [threads, match, rules],
  );
  const groups = useMemo(
    () => [...new Set(threads.map(({ group }) => group))].sort(),
    [threads],
  );
  const change = (part: Partial<Rules>) => setRules({ ...rules, ...part });
  const keys = useMemo(() => new Set(rows.map(({ index }) => String(index))), [rows]);
  const wanted = useMemo(
    () => new Set([...ticked].filter((key) => keys.has(key))),
    [ticked, keys],
  );
  const apply = () => {
    const chosen = new Set([...wanted].map(Number));
    shown.value = chosen.size === threads.length ? null : chosen;
    dialog.current?.close();
  };
  return (
    <>
      <h2>Filter threads</h2>
      <div class="controls">
        <label>
          Name
          <input
            type="search"
            value={rules.pattern}
            placeholder="pool-*, or /regex/"
            aria-invalid={match === null}
            onInput={(event) => change({ pattern: event.currentTarget.value })}
          />
        </label>
        <label>
          Group
          <select
            value={rules.group}
            onChange={(event) => change({ group: event.currentTarget.value })}>
            <option value="">any</option>
            {groups.map((group) => (
              <option key={group} value={group}>
                {group.slice(0, 80)}
              </option>
            ))}
          </select>
        </label>
        <label>
          At the end
          <select
            value={rules.state}
            onChange={(event) => change({ state: event.currentTarget.value })}>
            <option value="">any</option>
            {[...STATES.map(({ name }) => name).filter((name) => name !== "idle"), "dead"].map(
              (name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ),
            )}
          </select>
        </label>
        <label>
          Blocked for at least
          <input
            type="number"
            min={0}
            step="any"
            value={rules.least}
            onInput={(event) => change({ least: Number(event.currentTarget.value) || 0 })}
          />
          ms
        </label>
        <button type="button" onClick={() => setRules(ANY)}>
          Any
        </button>
      </div>
      {match === null ? (
        <p role="alert" class="note">
          This is not a valid regular expression.
        </p>
      ) : null}
      <Grid
        label="Threads to show"
        rows={rows}
        columns={COLUMNS}
        rowKey={({ index }) => String(index)}
        select="many"
        selected={wanted}
        onSelect={(chosen) =>
          setTicked(new Set([...[...ticked].filter((key) => !keys.has(key)), ...chosen]))
        }
        lines={11}
      />
      <p class="note" aria-live="polite">
        {number(wanted.size)} of {count(rows.length, "thread")} that fit ticked,{" "}
        {number(threads.length)} in all.
      </p>
      <div class="buttons">
        <button type="button" class="primary" disabled={!wanted.size} onClick={apply}>
          Show {count(wanted.size, "thread")}
        </button>
        <button
          type="button"
          onClick={() => {
            shown.value = null;
            dialog.current?.close();
          }}>
          Show all
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </div>
    </>
  );
}
