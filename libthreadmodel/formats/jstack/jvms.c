/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's number says nothing about its JVM: all begin at 1. But with the address
 * of the JVM's own structure, its tid, it hardly ever repeats elsewhere.
 */
#include "formats/jstack/jvms.h"

#include "base/error.h"

/* How many threads are the same in both, less those that differ. */
static int64_t compare(const tm__jvm *jvm, const tm__jstack_dump *dump)
{
    int64_t same = 0, different = 0;

    for (uint32_t i = 0; i < jvm->count; i++) {
        uint32_t at = tm__map_find(&dump->ids, jvm->threads[i].id);

        if (at == TM__NONE || !dump->threads[at].address || !jvm->threads[i].address)
            continue;
        same += dump->threads[at].address == jvm->threads[i].address;
        different += dump->threads[at].address != jvm->threads[i].address;
    }
    return same - different;
}

static int may_be(const tm__jvm *jvm, const tm__jstack_dump *dump)
{
    if (jvm->vm.length && dump->vm.length && !tm__slice_same(jvm->vm, dump->vm))
        return 0;
    return !jvm->process || !dump->process || jvm->process == dump->process;
}

uint32_t tm__jvms_find(tm__jvms *jvms, const tm__jstack_dump *dump)
{
    uint32_t found = TM__NONE;
    int64_t most = -1;

    for (uint32_t i = jvms->count; i-- > 0;) {
        int64_t score =
            may_be(&jvms->list[i], dump) ? compare(&jvms->list[i], dump) : INT64_MIN;

        if (score > most) {
            most = score;
            found = i;
        }
    }
    if (found != TM__NONE)
        return found;
    if (jvms->count == TM__JVMS)
        return TM__JVMS - 1;
    jvms->list[jvms->count] = (tm__jvm){.time_ns = INT64_MIN};
    return jvms->count++;
}

int64_t tm__jvms_elapsed(const tm__jvms *jvms, uint32_t jvm,
                         const tm__jstack_dump *dump)
{
    const tm__jvm *it = &jvms->list[jvm];

    for (uint32_t i = 0; i < it->count; i++) {
        uint32_t at = tm__map_find(&dump->ids, it->threads[i].id);
        int64_t now = at == TM__NONE ? -1 : dump->threads[at].elapsed_ns;

        if (now >= 0 && it->threads[i].elapsed_ns >= 0 &&
            dump->threads[at].address == it->threads[i].address)
            return now > it->threads[i].elapsed_ns ? now - it->threads[i].elapsed_ns
                                                   : 0;
    }
    return 0;
}

int tm__jvms_note(tm__jvms *jvms, uint32_t jvm, const tm__jstack_dump *dump,
                  int64_t time_ns)
{
    tm__jvm *it = &jvms->list[jvm];

    if (tm__reserve(jvms->memory, &it->threads, &it->capacity, dump->thread_count,
                    sizeof(*it->threads)) < 0)
        return tm__failure();
    it->count = dump->thread_count;
    for (uint32_t i = 0; i < dump->thread_count; i++)
        it->threads[i] = (tm__jvm_thread){dump->threads[i].id, dump->threads[i].address,
                                          dump->threads[i].elapsed_ns};
    if (dump->vm.length)
        it->vm = dump->vm;
    if (dump->process)
        it->process = dump->process;
    it->time_ns = time_ns;
    return TM_OK;
}

void tm__jvms_free(tm__jvms *jvms)
{
    for (uint32_t i = 0; i < jvms->count; i++)
        tm__free(jvms->memory, jvms->list[i].threads,
                 jvms->list[i].capacity * sizeof(*jvms->list[i].threads));
}
