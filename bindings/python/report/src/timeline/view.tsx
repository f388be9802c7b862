// SPDX-License-Identifier: Apache-2.0
// The timeline of the report: it waits for its data, then shows lanes and what belongs to
// them, and keeps what was chosen while other views are open.
import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Pack } from "../data/pack";
import type { Run } from "../data/run";
import { Stacks } from "../data/stacks";
import {
  brightClass,
  chosenClasses,
  chosenThreads,
  goal,
  open,
  place,
  shownThreads,
} from "../state";
import { choose } from "./canvas";
import { TimelineData } from "./data";
import { pickWithin } from "./pick";
import { TimelineState } from "./state";
import { Timeline } from "./timeline";

let kept: TimelineState | null = null;

export async function timelineState(run: Run, pack: Promise<Pack>): Promise<TimelineState> {
  const unpacked = await pack;
  kept ??= new TimelineState(
    new TimelineData(unpacked, {
      threads: run.threads,
      index: run.index,
      stacks: new Stacks(run.table("stacks")),
    }),
    shownThreads,
    brightClass,
  );
  return kept;
}

/** Follow and report the place of other views. @returns a function that ends it */
function follow(state: TimelineState): () => void {
  const { data, window, lane, picked } = state;
  const stops = [
    goal.subscribe((to) => {
      if (!to) return;
      goal.value = null;
      if (to.thread >= 0) {
        if (shownThreads.value && !shownThreads.value.has(to.thread)) shownThreads.value = null;
        state.reveal(to.thread);
        choose(state, to.at === null ? null : pickWithin(data.lanes, to.thread, to.at, to.at));
      }
      state.look(to.from, to.to);
    }),
    effect(() => {
      const { from, to } = window.value;
      const thread = lane.value ?? -1;
      const row = picked.value;
      const at = row && (row.level.start[row.row]! + row.level.end[row.row]!) / 2;
      const isAll = thread < 0 && to - from >= data.length;
      place.value = isAll ? null : { thread, from, to, at };
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

export function TimelineView({ run, pack }: { run: Run; pack: Promise<Pack> }) {
  const [state, setState] = useState<TimelineState | null>(kept);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    timelineState(run, pack).then(setState, (error: unknown) => setFailure(String(error)));
  }, [run, pack]);
  useEffect(() => (state ? follow(state) : undefined), [state]);
  if (failure)
    return (
      <p class="failure" role="alert">
        The timeline cannot be shown: {failure}
      </p>
    );
  if (!state) return <p class="calm unpacking">Unpacking the timeline …</p>;
  if (!state.data.threads.length)
    return <p class="calm">This run has no threads: there is nothing to draw.</p>;
  return (
    <Timeline
      state={state}
      shown={shownThreads}
      bright={brightClass}
      {...(run.byThread && {
        onStatistics: (lane: number, className: string | null) => {
          chosenThreads.value = new Set([lane]);
          chosenClasses.value = className === null ? new Set() : new Set([className]);
          open("statistics");
        },
        onShownStatistics: () => {
          chosenThreads.value = new Set(state.rows.value.lanes);
          open("statistics");
        },
      })}
    />
  );
}
