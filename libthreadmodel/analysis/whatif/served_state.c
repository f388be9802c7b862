/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/whatif/served_state.h"

#include "base/error.h"

const tm__interaction *tm__served_row(const tm__served *served, uint32_t number)
{
    const tm_model *model = served->resources->model;

    if (number == TM__NONE || number < model->intervals.interactions_first ||
        number - model->intervals.interactions_first >=
            model->intervals.interactions_count)
        return NULL;
    return tm__row(model, number);
}

int tm__served_add_span(tm__served *served, tm__span span)
{
    if (tm__reserve(served->memory, &served->spans, &served->spans_capacity,
                    (size_t)served->spans_count + 1, sizeof(*served->spans)) < 0)
        return tm__failure();
    served->spans[served->spans_count++] = span;
    return TM_OK;
}
