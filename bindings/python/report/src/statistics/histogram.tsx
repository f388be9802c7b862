// SPDX-License-Identifier: Apache-2.0
// Lengths of the blocking intervals of one row: bars over a logarithmic scale of time.
import { scaleLog } from "d3-scale";
import { duration, number } from "../format";
import { type BlockingState, BY_NAME, colour, STATES } from "../states";
import type { Bucket } from "./cells";

const WIDTH = 720;
const HEIGHT = 180;
const MARGIN = { left: 54, right: 16, top: 12, bottom: 30 };

/** Buckets of a twelfth of a decade: the model's own are narrower than a bar. */
function bars(buckets: readonly Bucket[]): Bucket[] {
  const found = new Map<number, Bucket>();
  for (const { low, high, count } of buckets) {
    const at = Math.floor(Math.log10(Math.max(low, 1)) * 12);
    const bar = found.get(at);
    if (bar) {
      bar.count += count;
      bar.high = Math.max(bar.high, high);
    } else {
      found.set(at, { low: 10 ** (at / 12), high: 10 ** ((at + 1) / 12), count });
    }
  }
  return [...found.values()];
}

interface Props {
  title: string;
  state: BlockingState;
  buckets: readonly Bucket[] | null;
  onClose: () => void;
}

export function Histogram({ title, state, buckets, onClose }: Props) {
  const index = BY_NAME.get(state)!;
  const label = STATES[index]!.label;
  return (
    <figure class="histogram" data-state={state}>
      <figcaption>
        <strong>{title}</strong>: how long it was {label}
        <button type="button" class="quiet" onClick={onClose} aria-label="Close the histogram">
          ✕
        </button>
      </figcaption>
      {buckets === null ? (
        <p class="note">The report has no room for this histogram.</p>
      ) : buckets.length === 0 ? (
        <p class="note">It never was.</p>
      ) : (
        <Chart buckets={buckets} fill={colour(index)} />
      )}
    </figure>
  );
}

function Chart({ buckets, fill }: { buckets: readonly Bucket[]; fill: string }) {
  const drawn = bars(buckets);
  const low = Math.min(...drawn.map((bar) => bar.low));
  const high = Math.max(...drawn.map((bar) => bar.high), low * 1.5);
  const most = Math.max(...drawn.map((bar) => bar.count));
  const x = scaleLog([low, high], [MARGIN.left, WIDTH - MARGIN.right]);
  const y = (count: number) =>
    HEIGHT - MARGIN.bottom - (count / most) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const decades = x.ticks(6).filter((tick) => Number.isInteger(Math.log10(tick)));
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      data-count={total}
      aria-label={`${number(total)} times, from ${duration(low)} to ${duration(high)}`}>
      {drawn.map((bar) => (
        <rect
          key={bar.low}
          x={x(bar.low)}
          width={Math.max(1, x(bar.high) - x(bar.low) - 1)}
          y={y(bar.count)}
          height={HEIGHT - MARGIN.bottom - y(bar.count)}
          fill={fill}>
          <title>
            {`${duration(bar.low)} to ${duration(bar.high)}: ${number(bar.count)} times`}
          </title>
        </rect>
      ))}
      <line
        class="axis"
        x1={MARGIN.left}
        x2={WIDTH - MARGIN.right}
        y1={HEIGHT - MARGIN.bottom}
        y2={HEIGHT - MARGIN.bottom}
      />
      {(decades.length > 1 ? decades : x.ticks(4).slice(0, 6)).map((tick) => (
        <text key={tick} x={x(tick)} y={HEIGHT - 10} text-anchor="middle">
          {duration(tick)}
        </text>
      ))}
      <text x={MARGIN.left - 6} y={MARGIN.top + 6} text-anchor="end">
        {number(most)}
      </text>
      <text x={MARGIN.left - 6} y={HEIGHT - MARGIN.bottom} text-anchor="end">
        0
      </text>
    </svg>
  );
}
