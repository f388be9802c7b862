// SPDX-License-Identifier: Apache-2.0
// Why the thread of the chosen interval did not run: a sentence for each thread, down to
// the root cause, each with a link to that thread at the same instant.
import { clean, count, instant } from "../format";
import { STOPPED } from "../states";
import type { Picked } from "./data";
import type { TimelineState } from "./state";

interface Props {
  state: TimelineState;
  picked: Picked;
  show: (lane: number, time: number) => void;
}

export function Why({ state: { data }, picked: { lane, level, row }, show }: Props) {
  const state = level.state[row]!;
  if (!STOPPED.has(state) || level.count[row] !== 1) return null;
  const [start, end] = [level.start[row]!, level.end[row]!];
  const middle = start + Math.floor((end - start) / 2);
  const chain = data.chains.of(lane, middle);
  return (
    <div class="why">
      <h2>Why?</h2>
      {chain ? (
        <ol data-at={chain.at}>
          {chain.steps.map(({ lane: of, text }, step) => (
            <li key={step}>
              {clean(text, 1000)}{" "}
              {of >= 0 && of !== lane ? (
                <button type="button" class="link" onClick={() => show(of, chain.at)}>
                  Show
                </button>
              ) : null}
            </li>
          ))}
        </ol>
      ) : (
        <p class="note">
          {data.chains.count
            ? `The answers for the ${count(data.chains.count, "longest interval")} are here. `
            : ""}
          For this one ask{" "}
          <code>
            threadmodel explain FILE --thread=#{String(data.threads[lane]!.id)} --at{" "}
            {(middle / 1e9).toFixed(9)}s
          </code>
        </p>
      )}
      {chain ? (
        <p class="note">
          At {instant(chain.at, Math.max((end - start) / 2, 1))}, its middle.
          {chain.isCut
            ? ` The chain goes on after ${count(chain.steps.length, "thread")}.`
            : ""}
        </p>
      ) : null}
    </div>
  );
}
