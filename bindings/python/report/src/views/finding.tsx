// SPDX-License-Identifier: Apache-2.0
// A finding as a card: what, where, who, for how long, what would be gained, what to try.
import type { Pack } from "../data/pack";
import type { Run } from "../data/run";
import { clean, count, duration, place } from "../format";
import { evidence } from "../state";
import { Evidence } from "./evidence";
import { Picture } from "./picture";

interface Props {
  run: Run;
  row: number;
  timeline: Promise<Pack>;
}

export function Finding({ run, row, timeline }: Props) {
  const table = run.table("findings");
  const kind = table.text("kind", row) ?? "";
  const rank = table.numbers("rank")[row]!;
  const method = table.text("method", row);
  const isOpen = evidence.value === rank;
  const text = (column: string) => {
    const found = table.text(column, row);
    return found === null ? null : clean(found, 2000);
  };
  const parts: [name: string, text: string | null][] = [
    ["Waits", text("waits")],
    ["Holds", text("holds")],
    ["Gain", text("gain")],
    ["Try", text("advice")],
    ["Not known", text("caveat")],
    ["In this part", inPart(run, row)],
  ];
  return (
    <li class={`finding ${kind}`} data-rank={rank}>
      <div class="finding-head">
        <h3>{clean(table.text("title", row), 400)}</h3>
        <span class="kind">{kind.replaceAll("_", " ")}</span>
        {table.numbers("suspected")[row] === 1 ? <span class="badge">suspected</span> : null}
      </div>
      <div class="finding-body">
        <dl>
          {parts.map(([name, said]) =>
            said === null ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{said}</dd>
              </div>
            ),
          )}
        </dl>
        <Picture run={run} row={row} timeline={timeline} />
      </div>
      <div class="finding-foot">
        {method !== null ? <code>{place(method, table.number("line", row))}</code> : null}
        <button
          type="button"
          class="link"
          aria-expanded={isOpen}
          onClick={() => {
            evidence.value = isOpen ? null : rank;
          }}>
          {isOpen ? "Hide the evidence" : "Show the evidence"}
        </button>
        {isOpen ? <CopyLink /> : null}
      </div>
      {isOpen ? <Evidence run={run} rank={rank} /> : null}
    </li>
  );
}

/** The time of its waits in the part that is shown; null: it is not about waits. */
function inPart(run: Run, row: number): string | null {
  const table = run.table("findings");
  const className = table.text("class", row);
  const method = table.text("method", row);
  if (!run.part || (className === null && method === null)) return null;
  let waits = run.part.waits(className, method);
  if (!waits.count && className !== null) waits = run.part.waits(className, null);
  if (!waits.count) return "none of its waits";
  return `${count(waits.count, "wait")}, ${duration(waits.ns)}`;
}

function CopyLink() {
  return (
    <button
      type="button"
      class="link"
      title="The address of this page shows this evidence"
      onClick={() => void navigator.clipboard?.writeText(location.href).catch(() => {})}>
      Copy a link to it
    </button>
  );
}
