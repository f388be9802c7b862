/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that the events of a trace share: rows by their ids, names, and lives of
 * goroutines. */
#include "formats/go/go_step.h"

#include <string.h>

#include "base/error.h"

/* Find or add what is known of an id. */
#define ROW(self, what, type, row_id, index)                                           \
    row(&(self)->what##_map, &(self)->what##s, &(self)->what##_count,                  \
        &(self)->what##_capacity, sizeof(type), row_id, index)

static int row(tm__map *map, void *rows, uint32_t *count, uint32_t *capacity,
               size_t bytes, uint64_t id, uint32_t *index)
{
    char *all;

    *index = tm__map_find(map, id);
    if (*index != TM__NONE)
        return TM_MORE;
    if (tm__reserve(map->memory, rows, capacity, (size_t)*count + 1, bytes) < 0 ||
        tm__map_put(map, id, *count) < 0)
        return tm__failure();
    memcpy(&all, rows, sizeof(all));
    memset(all + *count * bytes, 0, bytes);
    *index = (*count)++;
    return TM_OK;
}

int tm__go_find_goroutine(tm__go_scheduler *self, uint64_t id, uint32_t *index)
{
    int rc;

    if (id == 0 || id >= TM__GO_LATER_LIVES)
        return TM_EDAMAGED;
    rc = ROW(self, goroutine, tm__go_goroutine, id, index);
    if (rc == TM_OK)
        self->goroutines[*index].id = id;
    return rc < 0 ? rc : TM_OK;
}

int tm__go_find_p(tm__go_scheduler *self, uint64_t id, uint32_t *index)
{
    int rc = ROW(self, p, tm__go_p, id, index);

    if (rc == TM_OK)
        self->ps[*index].id = id;
    return rc < 0 ? rc : TM_OK;
}

int tm__go_find_m(tm__go_scheduler *self, uint64_t id, uint32_t *index)
{
    int rc = ROW(self, m, tm__go_m, id, index);

    if (rc == TM_OK)
        self->ms[*index] = (tm__go_m){TM__NONE, TM__NONE};
    return rc;
}

int tm__go_stack_at(const tm__go_step *at, uint64_t number, uint32_t *id)
{
    return tm__go_define_stack(&at->self->names, at->generation,
                               tm__go_stack_of(at->generation, number), at->sink, id);
}

int tm__go_object_at(const tm__go_step *at, uint64_t stack, uint64_t reason,
                     const char *what, uint64_t *object)
{
    return tm__go_define_object(&at->self->names, at->generation,
                                tm__go_stack_of(at->generation, stack), reason, what,
                                at->sink, object);
}

void tm__go_note_io(const tm__go_step *at, tm__go_goroutine *it, uint64_t stack)
{
    const tm__go_stack *of = tm__go_stack_of(at->generation, stack);

    if (it->serves && of && !it->client)
        it->client = of->read_place;
    if (of && of->is_accept)
        it->accepts = 1;
    it->is_io = of && of->io_kind != TM_OBJECT_KIND_UNKNOWN;
    it->is_idle = of && of->is_idle;
    if (!it->is_io)
        return;
    if (it->client && it->client == of->read_place)
        it->is_idle = 1;
}

int tm__go_name_at(const tm__go_step *at, const tm__go_goroutine *it, uint64_t stack,
                   int innermost, int *is_named)
{
    tm__go_name_of name = {it->thread, it->id, it->lives, innermost};

    return tm__go_define_thread(at->generation, &name,
                                tm__go_stack_of(at->generation, stack), at->sink,
                                is_named);
}

int tm__go_define_life(const tm__go_step *at, const tm__go_goroutine *it,
                       uint64_t stack, int innermost, tm__go_goroutine *life)
{
    int is_named = 0, rc;

    *life = (tm__go_goroutine){
        .id = it->id,
        .thread = it->lives ? TM__GO_LATER_LIVES + at->self->later_lives : it->id,
        .lives = it->lives + 1,
        .generation = at->generation->number,
    };
    rc = tm__go_name_at(at, life, stack, innermost, &is_named);
    life->is_named = (uint8_t)is_named;
    return rc;
}

void tm__go_begin_life(const tm__go_step *at, tm__go_goroutine *it,
                       const tm__go_goroutine *life)
{
    at->self->later_lives += life->lives > 1;
    *it = *life;
}
