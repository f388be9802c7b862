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

#include <string.h>

#include "model/entities/object.h"
#include "model/intervals/interval.h"

/* Most of the units begin so; and of more ports it is not looked who uses them. */
enum { UNITS_OF_4 = 3, PORTS_AT_MOST = 16 };

static const char CLIENTS[] = "clients of ";

static const char *name_of(const tm_model *model, uint32_t object)
{
    uint32_t name = model->entities.details[object].name;

    return model->entities.objects[object].kind == TM_OBJECT_KIND_SOCKET &&
                   name != TM__NONE
               ? tm__strings_get(&model->entities.strings, name)
               : NULL;
}

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), bytes = strlen(end);

    return length >= bytes && strcmp(text + length - bytes, end) == 0;
}

static int is_connection_to(const tm_model *model, const char *port)
{
    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        const char *name = name_of(model, i);

        if (name && strncmp(name, CLIENTS, sizeof(CLIENTS) - 1) != 0 &&
            ends_with(name, port))
            return 1;
    }
    return 0;
}

static int has_own_clients(const tm_model *model)
{
    uint32_t ports = 0;

    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        const char *name = name_of(model, i);

        if (!name || strncmp(name, CLIENTS, sizeof(CLIENTS) - 1) != 0)
            continue;
        if (++ports > PORTS_AT_MOST ||
            is_connection_to(model, name + sizeof(CLIENTS) - 1))
            return 1;
    }
    return 0;
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
