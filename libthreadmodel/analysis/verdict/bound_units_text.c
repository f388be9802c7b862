/* SPDX-License-Identifier: Apache-2.0 */
/* The bound of units of work, in words. */
#include <string.h>

#include "analysis/grouping/condition_name.h"
#include "analysis/verdict/bound_units_text.h"
#include "analysis/verdict/judge_state.h"
#include "model/entities/entity_names.h"
#include "model/entities/object.h"
#include "roles/method_roles.h"

static int is_state(const tm_table *parts, const char *state)
{
    return strcmp(tm_table_string(parts, "state", 0), state) == 0;
}

static int is_lock(const tm_table *parts)
{
    const char *class_name = tm_table_string(parts, "class", 0);

    return is_state(parts, "blocked") || is_state(parts, "reentering") ||
           (is_state(parts, "parked") && class_name && strstr(class_name, "Lock$"));
}

static uint32_t kind_of_endpoint(const tm__judgement *it)
{
    return it->endpoint == TM__NONE ? TM_OBJECT_KIND_UNKNOWN
                                    : it->model->entities.objects[it->endpoint].kind;
}

/* "I/O with 10.0.0.7:5432", with "80 files", or with what is known of it. */
static void write_io(tm__words *words, const tm__judgement *it, const char *class_name)
{
    const char *name =
        it->endpoint == TM__NONE
            ? NULL
            : tm__strings_get(&it->model->entities.strings,
                              it->model->entities.details[it->endpoint].name);

    if (it->endpoints > 1) {
        tm__write_words(words, "I/O with %u %s", it->endpoints,
                        tm__endpoints_of_kind(kind_of_endpoint(it)));
        return;
    }
    name = name ? name : class_name;
    tm__write_words(words, "I/O%s%.150s", name ? " with " : "", name ? name : "");
}

void tm__write_bound_of_units(tm__words *words, const tm__judgement *it)
{
    const tm_table *parts = it->unit_parts;
    const char *method = tm_table_string(parts, "method", 0);
    const char *class_name =
        tm__condition_class(it->model, tm_table_string(parts, "class", 0), method);
    const char *dot = class_name ? strrchr(class_name, '.') : NULL;
    const char *kind = tm_table_string(parts, "kind", 0);

    class_name = dot ? dot + 1 : class_name;
    tm__write_words(words, "Bound by ");
    if (is_state(parts, "sleeping"))
        tm__write_words(words, "sleeps");
    else if (is_state(parts, "joining"))
        tm__write_words(words, "waits for the ends of threads");
    else if (is_state(parts, "io"))
        write_io(words, it, class_name);
    else
        tm__write_words(words, "waits%s%.150s", class_name ? " for " : "",
                        class_name ? class_name : "");
    if (method)
        tm__write_words(words, " in %.150s", tm__short_name(method));
    if (kind)
        tm__write_words(words, ": the units of work of %.150s spend",
                        tm__short_name(kind));
    else
        tm__write_words(words, ": requests spend");
    tm__write_words(words, " %.0f %% of their time there.",
                    100 * tm_table_double(parts, "share")[0]);
}

static const char *advice_of_io(const tm__judgement *it)
{
    switch (kind_of_endpoint(it)) {
    case TM_OBJECT_KIND_FILE:
        return "Read or write more at once, make the disk or the other end faster, or "
               "do it where no unit of work waits for it.";
    case TM_OBJECT_KIND_NAME:
        return "Keep the addresses of names, or make the name server faster.";
    case TM_OBJECT_KIND_PROCESS:
        return "Do something else until the process ends, or give it less to do.";
    default:
        return "Make the other side faster, ask it less often, or wait for several "
               "answers at once.";
    }
}

void tm__write_advice_of_units(tm__words *words, const tm__judgement *it)
{
    const tm_table *parts = it->unit_parts;

    if (tm__is_interpreter_lock(tm_table_string(parts, "class", 0),
                                tm_table_string(parts, "method", 0)))
        tm__write_words(words, "One thread at a time runs the interpreter: use "
                               "processes, or libraries that release its lock while "
                               "they work.");
    else if (is_lock(parts))
        tm__write_words(words, "Hold the lock for less time, acquire it less often, or "
                               "divide what it protects.");
    else if (is_state(parts, "sleeping"))
        tm__write_words(words, "Wait for an event instead of sleeping. If the sleep "
                               "stands for other work, let more units do it at once.");
    else if (is_state(parts, "io"))
        tm__write_words(words, "%s", advice_of_io(it));
    else
        tm__write_words(words, "Make what ends these waits faster, or have more of it: "
                               "connections, permits or workers.");
}
