// SPDX-License-Identifier: Apache-2.0
// Locks: deadlocks, the matrix of blocking, owners, waits for resources, lock order.
import { useMemo } from "preact/hooks";
import type { Run } from "../data/run";
import { Stacks } from "../data/stacks";
import { count } from "../format";
import { Elsewhere } from "../part";
import { Blame } from "./blame";
import { Deadlocks } from "./deadlocks";
import { Matrix } from "./matrix";
import { Order } from "./order";
import { Resources } from "./resources";

export function LocksView({ run }: { run: Run }) {
  const stacks = useMemo(() => new Stacks(run.table("stacks")), [run]);
  const deadlocks = new Set(run.table("deadlocks").numbers("deadlock")).size;
  return (
    <div class="locks">
      <section aria-labelledby="deadlocks-title">
        <h2 id="deadlocks-title">
          Deadlocks <span class="aside">{count(deadlocks, "cycle")}</span>
        </h2>
        <Deadlocks run={run} stacks={stacks} />
      </section>
      <section aria-labelledby="matrix-title">
        <h2 id="matrix-title">
          Blocked threads and owners <Elsewhere run={run} table="blockers" />
        </h2>
        <Matrix run={run} />
      </section>
      <section aria-labelledby="blame-title">
        <h2 id="blame-title">
          Owners of locks while others were blocked <Elsewhere run={run} table="blame" />
        </h2>
        <Blame run={run} />
      </section>
      <section aria-labelledby="resources-title">
        <h2 id="resources-title">
          What threads waited for and nobody owns <Elsewhere run={run} table="resources" />
        </h2>
        <Resources run={run} />
      </section>
      <section aria-labelledby="order-title">
        <h2 id="order-title">
          Lock order <Elsewhere run={run} table="lock_order" />
        </h2>
        <Order run={run} stacks={stacks} />
      </section>
    </div>
  );
}
