// SPDX-License-Identifier: Apache-2.0
// How many there were of something in each part of the run, as a filled line.
import type { ComponentChildren } from "preact";

const WIDTH = 300;
const HEIGHT = 64;

interface Props {
  /** On average, one a part. */
  values: ArrayLike<number>;
  /** What the picture is high. */
  whole: number;
  fill: string;
  /** For those who do not see it. */
  words: string;
  /** What stands below: the begin, what it is, the end. */
  children: ComponentChildren;
}

export function Steps({ values, whole, fill, words, children }: Props) {
  const y = (value: number) => HEIGHT - (Math.min(value, whole) / whole) * HEIGHT;
  const steps = Array.from(values, (value, at) => {
    const [x1, x2] = [at, at + 1].map((edge) => ((edge / values.length) * WIDTH).toFixed(1));
    return `L${x1} ${y(value).toFixed(1)}L${x2} ${y(value).toFixed(1)}`;
  });
  return (
    <figure class="picture">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
        data-most={Math.max(...Array.from(values))}>
        <path d={`M0 ${HEIGHT}${steps.join("")}L${WIDTH} ${HEIGHT}z`} fill={fill} />
      </svg>
      <figcaption>{children}</figcaption>
    </figure>
  );
}
