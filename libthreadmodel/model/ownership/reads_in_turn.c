/* SPDX-License-Identifier: Apache-2.0 */
/* One look at the first tenures of a lock: readers that overlap have it thousands of
 * times. */
#include "model/ownership/reads_in_turn.h"

#include "base/saturate.h"
#include "model/entities/object.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_record.h"

/* A wait is so many times as long as any read. */
enum { TIMES_A_READ = 10, READS_LEAST = 10, READS_LOOKED_AT = 10000 };

tm__reads tm__reads_in_turn(const tm_model *model, uint32_t object, int64_t wait_ns)
{
    const tm__tenure *it =
        tm__tenure_at(model, model->entities.details[object].first_tenure);
    uint32_t first = TM__NONE, second = TM__NONE;
    tm__reads reads = {.count = 0};
    int64_t other_ns = 0;

    for (int i = 0; it && i < READS_LOOKED_AT;
         i++, it = tm__tenure_at(model, it->next)) {
        int64_t length_ns = it->had_ns - it->got_ns;

        if (!(it->flags & TM__TENURE_SHARED)) {
            other_ns = length_ns > other_ns ? length_ns : other_ns;
            continue;
        }
        reads.count++;
        if (length_ns > reads.longest_ns)
            reads.longest_ns = length_ns;
        if (first == TM__NONE)
            first = it->owner;
        else if (it->owner != first)
            second = it->owner;
    }
    if (second == TM__NONE || reads.count < READS_LEAST ||
        other_ns > reads.longest_ns ||
        wait_ns < tm__product(reads.longest_ns, TIMES_A_READ))
        reads.count = 0;
    return reads;
}
