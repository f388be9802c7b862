// SPDX-License-Identifier: Apache-2.0
// Caveats on an answer, without those on the whole run.
import type { Table } from "./data/pack";
import type { Run } from "./data/run";
import { clean } from "./format";

export function Caveats({ run, table }: { run: Run; table: Table }) {
  const known = new Set(run.facts.caveats);
  return (
    <>
      {table.caveats
        .filter((caveat) => !known.has(caveat))
        .map((caveat) => (
          <p class="note" key={caveat}>
            {clean(caveat, 500)}
          </p>
        ))}
    </>
  );
}
