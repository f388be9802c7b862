/* SPDX-License-Identifier: Apache-2.0 */
/* Replays the run as a question asks, and predicts its units of work. */
#include "analysis/whatif/gain_ask.h"

#include "analysis/whatif/candidates_replay.h"
#include "analysis/whatif/throughput.h"
#include "base/error.h"

static int choose_endpoint(tm__candidates *all, uint32_t object)
{
    uint32_t *groups = tm__candidates_choose_objects(all);

    if (!groups)
        return tm__failure();
    groups[object] = 0;
    tm__candidates_choose_endpoint(all);
    return TM_OK;
}

static int choose(tm__candidates *all, const tm__gain_question *question)
{
    int rc;

    if (question->change == TM_WHATIF_IO)
        return choose_endpoint(all, question->object);
    if (question->change == TM_WHATIF_METHOD)
        return tm__candidates_choose_caller(all, question->method);
    rc = tm__candidates_choose_method(all, question->method);
    return rc == TM_OK ? tm__candidates_choose_waits(all, question->class_name) : rc;
}

static int replay(tm__candidates *all, const tm__load *load, tm__gain *gains)
{
    int is_load = load->is_service || load->is_timed;
    int rc =
        is_load ? tm__candidates_put_off(all, load) : tm__candidates_replay(all, load);

    for (uint32_t i = 0; rc == TM_OK && i < all->items_count; i++) {
        tm__throughput to;

        rc = tm__throughput_of(&to, load, all, &all->items[i]);
        gains[i] = tm__gain_of(all, &all->items[i]);
        gains[i].requests =
            (tm__gain_requests){.are_units = load->kind != NULL,
                                .is_service = load->is_service,
                                .is_load = load->is_service || load->is_timed,
                                .is_known = to.is_known,
                                .now = load->rate,
                                .low = to.low,
                                .middle = to.middle,
                                .high = to.high,
                                .share = to.share,
                                .lost = to.lost,
                                .p99_now_ns = to.p99_now_ns,
                                .p99_ns = to.p99_ns};
    }
    return rc;
}

int tm__gain_ask(tm__gain *gain, const tm__load *load,
                 const tm__gain_question *question, const tm__replays_needed *needed,
                 int is_alone)
{
    const tm_model *model = load->model;
    tm_whatif_options options = TM_WHATIF_OPTIONS_INIT;
    tm__candidates all;
    int rc;

    options.change = question->change;
    options.permits = model->entities.threads_count;
    tm__candidates_open(&all, model, &options);
    all.needed = needed;
    all.is_alone = is_alone;
    rc = tm__candidates_open_model(&all);
    if (rc == TM_OK)
        rc = choose(&all, question);
    if (rc == TM_OK)
        rc = tm__candidates_gather(&all);
    if (rc == TM_OK)
        rc = tm__candidates_add(&all, TM__NONE, TM__NONE, 0);
    if (rc == TM_OK)
        rc = replay(&all, load, gain);
    tm__candidates_close(&all);
    return rc;
}

int tm__gain_ask_locks(tm__gain *gains, const tm__load *load, const uint32_t *of_object,
                       const uint32_t *groups, uint32_t count,
                       const tm__replays_needed *needed)
{
    const tm_model *model = load->model;
    tm_whatif_options options = TM_WHATIF_OPTIONS_INIT;
    tm__candidates all;
    int rc;

    options.change = TM_WHATIF_PERMITS;
    options.permits = model->entities.threads_count;
    tm__candidates_open(&all, model, &options);
    all.groups = of_object;
    all.needed = needed;
    rc = tm__candidates_open_model(&all);
    if (rc == TM_OK)
        rc = tm__candidates_gather(&all);
    for (uint32_t i = 0; rc == TM_OK && i < count; i++)
        rc = tm__candidates_add(&all, TM__NONE, TM__NONE, groups[i]);
    if (rc == TM_OK)
        rc = replay(&all, load, gains);
    tm__candidates_close(&all);
    return rc;
}
