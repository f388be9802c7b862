/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings/findings_scope.h"

#include "base/saturate.h"
#include "model/entities/reports.h"

int tm__findings_open_scope(tm__findings *findings, const tm_selection *given)
{
    const tm_model *model = findings->model;
    int64_t from_ns = tm__model_origin_ns(model), to_ns;
    int rc = tm__scope_open_window(&findings->scope, model, given, "findings");

    findings->is_part = rc > 0;
    to_ns = tm__sum(from_ns, tm_model_length_ns(model));
    if (rc >= 0)
        tm__scope_cut(&findings->scope, &from_ns, &to_ns);
    findings->run_ns = to_ns - from_ns;
    return rc < 0 ? rc : TM_OK;
}

int tm__in_scope(const tm__findings *findings, int64_t *from_ns, int64_t *to_ns)
{
    return tm__scope_cut(&findings->scope, from_ns, to_ns) || !findings->is_part;
}

const char *tm__period_name(const tm__findings *findings)
{
    return findings->is_part ? "part" : "run";
}

void tm__findings_put_part(const tm__findings *findings, tm__builder *builder)
{
    if (!findings->is_part)
        return;
    tm__scope_put_part(&findings->scope, findings->model, builder);
    tm__builder_caveat(builder,
                       "Uneven threads, processors, lock order and gains are examined "
                       "only for whole runs.");
}
