/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that all replays of a run need, whatever they change: who ended which wait, and
 * how far processors limited the run. It is gathered once and kept by the model.
 */
#ifndef TM_ANALYSIS_WHATIF_REPLAY_FACTS_H
#define TM_ANALYSIS_WHATIF_REPLAY_FACTS_H

#include "analysis/whatif/script_state.h"

/** The outcome of a replay. */
typedef struct tm__replay_outcome {
    int64_t length_ns;
    int64_t until_ns; ///< as in tm__simulation
    uint64_t forced;
} tm__replay_outcome;

/** A replay of the whole run in which nothing changes. */
typedef struct tm__unchanged {
    tm__replay_outcome outcome;
    int64_t *finished_ns; ///< a thread; NULL: it has not been replayed
} tm__unchanged;

typedef struct tm__replay_facts {
    tm__memory *memory;
    tm__processors processors;
    tm__signals signals;
    tm__unchanged *unchanged; ///< at each bound, for all that the facts are lent to
    size_t threads_bytes;     ///< of its finished_ns
    int is_lent;              ///< the model keeps them
    int is_alone;             ///< no other thread reads them meanwhile
} tm__replay_facts;

/**
 * Find them, or take those that the model keeps.
 * @param path      of the whole run
 * @param is_alone  no other thread asks the model meanwhile, so that it may keep them
 * @return TM_OK or TM_ENOMEM; to be closed whatever is returned
 */
int tm__replay_facts_open(tm__replay_facts *facts, const tm_model *model,
                          const tm__path *path, tm__memory *memory, int is_alone);

/** Have the model keep them, before threads that share out questions need them.
 * @return TM_OK or TM_ENOMEM */
int tm__replay_facts_prepare(const tm_model *model);

/** Note the outcome of a replay at a bound, for those that come later; without memory
 * they replay it themselves. */
void tm__replay_facts_note(tm__replay_facts *facts, int bound,
                           const tm__replay_outcome *outcome,
                           const int64_t *finished_ns);

void tm__replay_facts_close(tm__replay_facts *facts);

#endif
