/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model against the truth. The bytes decide what the threads of a world do and what
 * of it is reported (tests/oracle), two for each choice; the world knows what happened,
 * and no answer of the model may be wrong.
 *
 * The first byte chooses the kind of world, and whether the model's memory is limited;
 * the second the seed of what the bytes do not decide.
 */
#include "fuzz.h"
#include "judging.h"

enum { HEAD = 2 };
enum { HOTSPOT, LOCKS, TERSE, TPTP, KINDS };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct score score = {.all = true};
    struct config config;
    struct world w;

    if (count < HEAD)
        return 0;
    int kind = bytes[0] % KINDS;
    bool is_limited = bytes[0] / KINDS % 4 == 1 && (kind == HOTSPOT || kind == TPTP);
    int policy = kind == TPTP ? TM_POLICY_TPTP : TM_POLICY_HOTSPOT;
    chance_decide(bytes + HEAD, count - HEAD);
    switch (kind) {
    case LOCKS: config = config_locks(bytes[1]); break;
    case TERSE: config = config_terse(bytes[1]); break;
    default: config = config_random(bytes[1]); break;
    }
    world_run(&w, config);
    chance_decide(NULL, 0);
    if (w.event_count > 0) {
        if (is_limited) {
            /* Evicted facts are missing, but none that is there may be wrong. */
            w.config.loses = true;
            w.config.full = false;
        }
        tm_model *model = model_of(&w, policy, is_limited);
        judge(&w, model, &score, policy);
        tm_model_free(model);
    }
    world_free(&w);
    FUZZ_CHECK(score.failures == 0);
    return 0;
}
