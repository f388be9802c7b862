// SPDX-License-Identifier: Apache-2.0
// The frame of the report: its title, its tabs, the view that is open.
import type { ComponentChild } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Pack } from "./data/pack";
import type { Run } from "./data/run";
import { LocksView } from "./locks/view";
import { PartNote, useShownPart } from "./part";
import { turnScheme, watchScheme } from "./scheme";
import { open, VIEWS, type View, view } from "./state";
import { StatisticsView } from "./statistics/view";
import { TimelineView } from "./timeline/view";
import { FlameView } from "./views/flame";
import { LicencesDialog } from "./views/licences";
import { OverviewView } from "./views/overview";
import { WhatIfView } from "./views/whatif";

interface Props {
  run: Run;
  timeline: Promise<Pack>;
}

export function App({ run, timeline }: Props) {
  useEffect(watchScheme, []);
  const part = useShownPart(run, timeline, view.value !== "timeline");
  const sources = useMemo(() => (part ? [part] : []), [part]);
  const content: Record<View, (part: Run) => ComponentChild> = {
    overview: (part) => <OverviewView run={part} timeline={timeline} />,
    timeline: () => <TimelineView run={run} pack={timeline} />,
    statistics: (part) => <StatisticsView run={part} />,
    locks: (part) => <LocksView run={part} />,
    whatif: (part) => <WhatIfView run={part} />,
    flame: (part) => <FlameView sources={sources} run={part} />,
  };
  const shown = view.value === "timeline" ? run : part;
  return (
    <>
      <header class="top">
        <h1 title={run.facts.title}>{run.facts.title}</h1>
        <Tabs />
        <Theme />
      </header>
      <main>
        <div id="view" role="tabpanel" aria-labelledby={`tab-${view.value}`} key={view.value}>
          {shown ? <PartNote run={shown} /> : null}
          {shown ? (
            content[view.value](shown)
          ) : (
            <p class="calm unpacking">Adding up the part that the timeline shows …</p>
          )}
        </div>
      </main>
      <footer class="foot">
        <span>threadmodel {run.facts.version}</span>
        <LicencesDialog run={run} />
      </footer>
    </>
  );
}

function Tabs() {
  const move = (event: KeyboardEvent) => {
    const at = VIEWS.findIndex(({ id }) => id === view.value);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const to =
      step !== undefined
        ? VIEWS[(at + step + VIEWS.length) % VIEWS.length]
        : { Home: VIEWS[0], End: VIEWS[VIEWS.length - 1] }[event.key];
    if (!to) return;
    event.preventDefault();
    open(to.id);
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
      {VIEWS.map(({ id, title }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={view.value === id}
          aria-controls="view"
          tabIndex={view.value === id ? 0 : -1}
          onClick={() => open(id)}>
          {title}
        </button>
      ))}
    </div>
  );
}

function Theme() {
  return (
    <button
      type="button"
      class="quiet"
      onClick={turnScheme}
      title="Light or dark"
      aria-label="Switch between light and dark">
      ◐
    </button>
  );
}
