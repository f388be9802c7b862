/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlocks as a table: a row a member, in the order in which they wait. */
#include "analysis/listing/caveats.h"
#include "analysis/listing/listing.h"
#include "base/error.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/state/model.h"

/* The producer's name of the lock, where it states one; else what the state shows. */
static const char *kind_of(const tm_model *model, const tm__deadlock_member *member)
{
    int is_lock = member->state == TM_STATE_BLOCKED || member->state == TM_STATE_PARKED;
    int kind = is_lock && member->object != TM__NONE
                   ? model->entities.objects[member->object].kind
                   : TM_OBJECT_KIND_UNKNOWN;

    if (kind != TM_OBJECT_KIND_UNKNOWN)
        return tm_object_kind_name(kind);
    switch (member->state) {
    case TM_STATE_BLOCKED: return "monitor";
    case TM_STATE_REENTERING: return "reenter";
    case TM_STATE_PARKED: return "synchronizer";
    case TM_STATE_JOINING: return "join";
    default: return NULL;
    }
}

static void put_site(tm__builder *builder, const tm_model *model, uint32_t stack)
{
    tm__put_frame(builder, model, tm__stack_caller(model, stack));
    if (stack == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_int32(builder, (int32_t)stack);
}

static void put_member(tm__builder *builder, const tm_model *model, uint32_t deadlock,
                       uint32_t position)
{
    const tm__deadlock *it = &model->deadlocks.cycles[deadlock];
    const tm__deadlock_member *members = &model->deadlocks.members[it->member_first];
    const tm__deadlock_member *member = &members[position];
    uint32_t owner = members[(position + 1) % it->member_count].thread;
    int64_t origin_ns = tm__model_origin_ns(model);
    char label[1024];

    tm__put_int32(builder, (int32_t)deadlock);
    tm__put_int32(builder, (int32_t)position);
    tm__put_int64(builder, it->time_ns - origin_ns);
    if (it->resolved_ns == INT64_MIN)
        tm__put_null(builder);
    else
        tm__put_int64(builder, it->resolved_ns - origin_ns);
    tm__put_thread(builder, model, member->thread);
    if (member->object == TM__NONE) {
        tm__put_null(builder);
        tm__put_null(builder);
    } else {
        tm__object_label(model, member->object, label, sizeof(label));
        tm__put_text(builder, label);
        tm__put_string(
            builder,
            tm__class_name(&model->entities,
                           model->entities.objects[member->object].class_index));
    }
    tm__put_thread(builder, model, owner);
    tm__put_string(builder, kind_of(model, member));
    put_site(builder, model, member->stack);
    if (member->deadline_ns == INT64_MAX || member->deadline_ns == INT64_MIN)
        tm__put_null(builder);
    else
        tm__put_int64(builder, member->deadline_ns - origin_ns);
    tm__put_string(builder, tm_provenance_name(member->provenance));
}

int tm_deadlock_list(tm_table **out, const tm_model *model)
{
    tm__builder builder;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    tm__builder_start(&builder, &tm__deadlocks_table, 0, &model->memory.hook);
    tm__model_put_caveats(model, &builder);
    for (uint32_t d = 0; d < model->deadlocks.cycles_count; d++)
        for (uint32_t i = 0; !model->deadlocks.cycles[d].withdrawn &&
                             i < model->deadlocks.cycles[d].member_count;
             i++)
            put_member(&builder, model, d, i);
    return tm__builder_finish(&builder, out);
}
