/* SPDX-License-Identifier: Apache-2.0 */
/* Units of work that a program states by our class, as events `threadmodel.Unit`. */
#include "formats/jfr/jfr_units.h"

#include "base/error.h"
#include "formats/jfr/actors.h"
#include "formats/jfr/code.h"
#include "formats/jfr/jfr_clock.h"

static void add(tm__jfr_events *events, tm__jfr_fact fact)
{
    events->facts[events->fact_count] = fact;
    tm__jfr_fact_keep(events);
}

/* The object whose class names a unit's kind, and whose name is its label. */
static int find_unit_object(tm__jfr_events *events, uint64_t *object)
{
    const uint64_t *values = events->kinds[TM__JFR_UNIT].values;
    uint32_t kind, label, class_ = 0;
    int rc = tm__jfr_optional_text(events->entities, values[TM__JFR_SLOT_TEXT], &kind);

    if (rc == TM_OK)
        rc =
            tm__jfr_optional_text(events->entities, values[TM__JFR_SLOT_LABEL], &label);
    if (rc == TM_OK && kind != TM__NONE)
        rc = tm__jfr_class_intern(events->entities, kind, &class_);
    if (rc < 0)
        return rc;
    return tm__jfr_object_id(events->entities, TM__JFR_OBJECT_UNIT,
                             label == TM__NONE ? 0 : (uint64_t)label + 1, class_,
                             object);
}

/* A unit may end on another thread than it began on, so it is two facts. */
int tm__jfr_unit_read(tm__jfr_events *events)
{
    const tm__jfr_event_kind *kind = &events->kinds[TM__JFR_UNIT];
    const uint64_t *values = kind->values;
    size_t left = events->index.entry_count - events->decoded;
    tm__jfr_fact begin = {
        .start_ns = tm__jfr_instant_ns(&events->clock, values[TM__JFR_SLOT_START]),
        .value = (int64_t)values[TM__JFR_SLOT_ID],
        .peer = values[TM__JFR_SLOT_PARENT],
        .start_kind = TM_EVENT_UNIT_BEGIN};
    tm__jfr_fact end = {.start_ns = tm__jfr_end_ns(events, kind, begin.start_ns),
                        .value = begin.value,
                        .start_kind = TM_EVENT_UNIT_END};
    int rc =
        tm__jfr_thread_id(events->entities, values[TM__JFR_SLOT_THREAD], &end.thread);

    begin.thread = end.thread;
    if (rc == TM_OK && values[TM__JFR_SLOT_PEER])
        rc = tm__jfr_thread_id(events->entities, values[TM__JFR_SLOT_PEER],
                               &begin.thread);
    if (rc == TM_OK)
        rc = find_unit_object(events, &begin.object);
    if (rc == TM_OK)
        rc = tm__reserve(events->memory, &events->facts, &events->fact_capacity,
                         events->fact_count + left + 2, sizeof(*events->facts));
    if (rc == TM_OK) {
        add(events, begin);
        add(events, end);
    }
    return rc;
}

int tm__jfr_unit_move_read(tm__jfr_events *events)
{
    const uint64_t *values = events->kinds[TM__JFR_UNIT_MOVE].values;
    tm__jfr_fact fact = {
        .start_ns = tm__jfr_instant_ns(&events->clock, values[TM__JFR_SLOT_START]),
        .value = (int64_t)values[TM__JFR_SLOT_ID],
        .start_kind =
            values[TM__JFR_SLOT_RESUMED] ? TM_EVENT_UNIT_RESUME : TM_EVENT_UNIT_LEAVE};
    int rc =
        tm__jfr_thread_id(events->entities, values[TM__JFR_SLOT_THREAD], &fact.thread);

    if (rc == TM_OK)
        add(events, fact);
    return rc;
}
