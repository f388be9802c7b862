/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that serves a connection is idle until its client sends the next request.
 * Then no other thread gives it the unit, and the run is as long as clients like;
 * unless they are threads of the same program, which have connections to a port of its
 * own.
 *
 *     server   idle read [ unit ] idle read [ unit ] idle read
 */
#include "analysis/whatif/throughput_clients.h"

#include "model/entities/object.h"
#include "model/entities/own_ports.h"
#include "model/intervals/interval.h"

/* So many of four units begin so. */
enum { UNITS_OF_4 = 3 };

static int has_own_clients(const tm_model *model)
{
    const tm__entities *entities = &model->entities;
    tm__own_ports own;

    tm__own_ports_find(&own, entities);
    for (uint32_t i = 0; own.count && !own.left_out && i < entities->objects_count; i++)
        if (tm__is_own_connection(&own, entities, i))
            return 1;
    /* The users of more ports are not looked for. */
    return own.left_out != 0;
}

static int begins_with_request(const tm_model *model, const tm__unit *unit)
{
    const tm__thread *thread = &model->entities.threads[unit->thread];
    uint32_t index = tm__interval_at(thread, unit->start_ns - 1);
    const tm__interval *it;

    if (index == TM__NONE || index >= thread->interval_count)
        return 0;
    it = &thread->intervals[index];
    /* It may have wanted a processor before it went on. */
    if (index && it->state == TM_STATE_RUNNABLE)
        it--;
    return it->state == TM_STATE_IO && tm__interval_is_idle(it) &&
           it->object != TM__NONE &&
           model->entities.objects[it->object].kind == TM_OBJECT_KIND_SOCKET;
}

int tm__units_are_of_clients(const tm_model *model, const tm__units *units,
                             const tm__unit_kind *kind)
{
    uint64_t count = 0, of_clients = 0;

    for (uint32_t i = 0; i < units->items_count; i++) {
        if (!tm__unit_is_of(units, &units->items[i], kind))
            continue;
        count++;
        of_clients += begins_with_request(model, &units->items[i]) != 0;
    }
    return count && of_clients * 4 >= count * UNITS_OF_4 && !has_own_clients(model);
}
