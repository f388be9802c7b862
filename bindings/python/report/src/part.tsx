// SPDX-License-Identifier: Apache-2.0
// What part of the run the tables are of, where the timeline shows another one. Their
// rows are the model's answers: of another part it has to be asked again.
import type { Run } from "./data/run";
import { clean, duration } from "./format";
import { goal, place } from "./state";

/** A time as options take it: exact, in ms. */
function option(ns: number): string {
  return `${(Math.round(ns) / 1e6).toFixed(6).replace(/\.?0+$/, "")}ms`;
}

/** A name as a shell takes it. */
function quoted(name: string): string {
  return /^[\w./@%+=:,-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

export function PartNote({ run }: { run: Run }) {
  const shown = place.value;
  if (!shown) return null;
  const length = run.facts.length_ns;
  const [from, to] = run.answers.value<[number, number] | undefined>("range") ?? [0, length];
  const [start, end] = [Math.round(shown.from), Math.round(shown.to)];
  if (start <= from && end >= to) return null;
  const whole = from === 0 && to === length;
  const file = quoted(clean(run.facts.source ?? "run.tmt", 1000));
  return (
    <p class="note part" role="note">
      {whole
        ? "This view is of the whole run"
        : `This view is of the part from ${duration(from)} to ${duration(to)}`}
      ; the timeline shows {duration(start)} to {duration(end)}. A page of that part:{" "}
      <code>
        threadmodel report {file} --from {option(start)} --to {option(end)} -o part.html
      </code>{" "}
      <button
        type="button"
        class="link"
        onClick={() => {
          place.value = null;
          goal.value = { thread: -1, from: 0, to: length, at: null };
        }}>
        Forget the part
      </button>
    </p>
  );
}
