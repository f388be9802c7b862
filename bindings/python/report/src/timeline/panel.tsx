// SPDX-License-Identifier: Apache-2.0
// Facts of the chosen interval: state, owner, object, cause, outcome, stack.
import { clean, count, duration, number, percent } from "../format";
import { StackList } from "../stack";
import { NO_STATE, STATES } from "../states";
import type { Arrow } from "./arrows";
import { choose } from "./canvas";
import { HoldPanel } from "./hold";
import { pickWithin } from "./pick";
import type { TimelineState } from "./state";
import { Swatch } from "./swatch";
import { Why } from "./why";
import { describe, peerOf, sayArrow } from "./words";

interface Props {
  state: TimelineState;
  /** Show the statistics of a thread; undefined if there are none. */
  onStatistics?: (lane: number, className: string | null) => void;
}

export function Panel({ state, onStatistics }: Props) {
  const picked = state.picked.value;
  const { data } = state;
  const hold = state.hold.value;
  if (hold) return <HoldPanel state={state} hold={hold} />;
  if (!picked) return <RunPanel state={state} />;
  const { level, row, table, lane } = picked;
  const source = level.source[row]!;
  const [start, end] = [level.start[row]!, level.end[row]!];
  const peer = peerOf(data, picked);
  const cause = data.arrows.waking(lane, start);
  const outcome = level.state[row] === NO_STATE ? null : data.arrows.waking(lane, end);
  const className = source < 0 ? null : table.text("class", source);
  const show = (to: number, time: number) => {
    state.bring(time);
    state.reveal(to);
    choose(state, pickWithin(data.lanes, to, time, time));
  };
  return (
    <aside
      class="panel"
      aria-label={data.label("The chosen interval")}
      data-lane={lane}
      data-start={start}>
      <dl class="facts">
        {describe(data, picked).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {peer !== null ? (
          <div>
            <dt>{className === null ? "joins" : "owner"}</dt>
            <dd>
              <button type="button" class="link" onClick={() => show(peer, start)}>
                {data.threads[peer]!.label}
              </button>{" "}
              <span class="badge">{table.text("provenance", source) ?? "unknown"}</span>
            </dd>
          </div>
        ) : null}
        <Act name="began by" arrow={cause} state={state} show={show} />
        <Act name="ended by" arrow={outcome} state={state} show={show} />
      </dl>
      <Why state={state} picked={picked} show={show} />
      {level.count[row]! > 1 ? (
        <p class="note">
          These {count(level.count[row]!, "interval")} are shorter than this file resolves;
          their stacks are not in it.
        </p>
      ) : (
        <>
          <h2>Stack</h2>
          <StackList
            lines={source < 0 ? [] : data.source.stacks.lines(table.number("stack", source))}
          />
        </>
      )}
      <div class="buttons">
        <button type="button" onClick={() => state.frame(start, end)}>
          Zoom to it
        </button>
        {onStatistics ? (
          <button type="button" onClick={() => onStatistics(lane, className)}>
            Statistics of {className === null ? "this thread" : clean(className, 40)}
          </button>
        ) : null}
      </div>
    </aside>
  );
}

/** The run as a whole, shown until a choice is made. */
function RunPanel({ state }: { state: TimelineState }) {
  const { data } = state;
  const lived = data.sums.reduce((sum, time) => sum + time, 0);
  const states = [...data.sums.keys()]
    .filter((index) => data.sums[index]! > 0)
    .sort((a, b) => data.sums[b]! - data.sums[a]!);
  const stopped = data.pauses.reduce((sum, { start, end }) => sum + end - start, 0);
  const lines: [string, string][] = [
    ["length", data.isInstant ? "one instant" : duration(data.own)],
    ["threads", number(data.threads.length)],
    ["intervals", number(data.intervals)],
  ];
  if (data.idle.size)
    lines.push(["collapsed", `${count(data.idle.size, "lane")}, idle or silent`]);
  if (data.pauses.length)
    lines.push(["collector", `${count(data.pauses.length, "pause")}, ${duration(stopped)}`]);
  return (
    <aside class="panel" aria-label={data.label("The run")}>
      <h2>The run</h2>
      <dl class="facts">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {lived && !data.isInstant ? (
        <>
          <h2>Time of all threads</h2>
          <dl class="facts">
            {states.map((index) => (
              <div key={index}>
                <dt>
                  <Swatch state={index} /> {STATES[index]!.label}
                </dt>
                <dd>
                  {percent(data.sums[index]! / lived)}, {duration(data.sums[index]!)}
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : null}
      <p class="note">
        A click, or the arrow keys, choose an interval: its stack, owner, object and cause are
        shown here, and its arrows in the lanes.
      </p>
    </aside>
  );
}

interface ActProps {
  name: string;
  arrow: Arrow | null;
  state: TimelineState;
  show: (lane: number, time: number) => void;
}

function Act({ name, arrow, state, show }: ActProps) {
  if (!arrow) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <button type="button" class="link" onClick={() => show(arrow.from, arrow.time)}>
          {sayArrow(state.data, arrow)}
        </button>
      </dd>
    </div>
  );
}
