/* SPDX-License-Identifier: Apache-2.0 */
/* A failure's text is its thread's own, so the first part that fails leaves a copy. */
#include "base/parallel.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"

typedef struct job {
    tm__part_fn part;
    void *context;
    atomic_flag is_failed;
    int code; ///< of the first that failed
    char text[256];
} job;

size_t tm__parts_of(const tm_executor *executor)
{
    if (!executor->parallel_for || executor->workers < 2)
        return 1;
    return executor->workers < TM__PARTS_MAX ? executor->workers : TM__PARTS_MAX;
}

static void do_part(void *context, size_t number)
{
    job *it = context;
    int rc = it->part(it->context, number);

    if (rc < 0 && !atomic_flag_test_and_set(&it->is_failed)) {
        it->code = rc;
        snprintf(it->text, sizeof(it->text), "%s", tm_error_text());
    }
}

int tm__do_parts(const tm_executor *executor, size_t count, tm__part_fn part,
                 void *context)
{
    job it = {.part = part, .context = context, .is_failed = ATOMIC_FLAG_INIT};

    if (count == 1)
        return part(context, 0);
    executor->parallel_for(executor->payload, count, do_part, &it);
    return it.code < 0 ? tm__fail(it.code, "%s", it.text) : TM_OK;
}
