/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings/findings_scope.h"

#include <stdio.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/sized.h"
#include "model/entities/reports.h"

/* A window over all of the run does not limit it. */
static int covers_run(const tm__findings *findings)
{
    const tm_model *model = findings->model;

    return !model->event_count ||
           (findings->scope.from_ns <= tm__model_origin_ns(model) &&
            findings->scope.to_ns >= model->last_ns);
}

int tm__findings_open_scope(tm__findings *findings, const tm_selection *given)
{
    const tm_model *model = findings->model;
    int64_t from_ns = tm__model_origin_ns(model), to_ns;
    tm_selection selection;
    int rc = TM__READ(&selection, given, tm_selection, threads);

    if (rc < 0)
        return rc;
    if (selection.threads || selection.classes)
        return tm__fail(TM_EINVAL, "findings are of all threads and classes: a "
                                   "selection of these is not possible");
    rc = tm__scope_open(&findings->scope, model, given);
    if (rc < 0)
        return rc;
    findings->is_part = !covers_run(findings);
    if (!findings->is_part)
        rc = tm__scope_open(&findings->scope, model, NULL);
    to_ns = tm__sum(from_ns, tm_model_length_ns(model));
    tm__in_scope(findings, &from_ns, &to_ns);
    findings->run_ns = to_ns - from_ns;
    return rc;
}

int tm__in_scope(const tm__findings *findings, int64_t *from_ns, int64_t *to_ns)
{
    const tm__scope *scope = &findings->scope;

    if (*from_ns >= scope->to_ns || *to_ns <= scope->from_ns)
        return !findings->is_part;
    if (*from_ns < scope->from_ns)
        *from_ns = scope->from_ns;
    if (*to_ns > scope->to_ns)
        *to_ns = scope->to_ns;
    return 1;
}

const char *tm__period_name(const tm__findings *findings)
{
    return findings->is_part ? "part" : "run";
}

void tm__findings_put_part(const tm__findings *findings, tm__builder *builder)
{
    int64_t origin_ns = tm__model_origin_ns(findings->model), from_ns = origin_ns;
    char text[300];

    if (!findings->is_part)
        return;
    if (findings->scope.from_ns > from_ns)
        from_ns = findings->scope.from_ns;
    snprintf(
        text, sizeof(text),
        "Only the part from %s to %s was examined. Threads that cannot go on, uneven "
        "threads, processors, lock order and gains are examined only for whole runs.",
        tm__duration_of(from_ns - origin_ns).text,
        tm__duration_of(from_ns - origin_ns + findings->run_ns).text);
    tm__builder_caveat(builder, text);
}
