/* SPDX-License-Identifier: Apache-2.0 */
/* The part of their running time in which threads are in the method that is asked
 * about. */
#ifndef TM_ANALYSIS_WHATIF_METHOD_SAMPLES_H
#define TM_ANALYSIS_WHATIF_METHOD_SAMPLES_H

#include "base/memory.h"
#include "model/state/model.h"

/** A CPU sample with a stack. */
typedef struct tm__method_sample {
    int64_t time_ns;
    uint64_t inside; ///< samples in the method up to this one, of all items[]
} tm__method_sample;

/** Zero is an empty one. */
typedef struct tm__method_samples {
    tm__memory *memory;
    tm__method_sample *items; ///< of one thread after the other, as they came
    uint32_t *first;          ///< of each thread in items[], one more than threads
    uint32_t count;
    uint32_t threads;
} tm__method_samples;

/** The part of a stretch of running time that is in the method: 0 to TM__WHOLE. */
enum { TM__WHOLE = UINT16_MAX };

/**
 * Gather the samples of a run.
 * @param stacks  which are in the method
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__method_samples_gather(tm__method_samples *it, const tm_model *model,
                              tm__memory *memory, const uint8_t *stacks);

/**
 * The part of a thread's running time in the method.
 * @param bound  enum tm__holds_bound: few samples tell little
 * @return 0 to TM__WHOLE; 0 where no sample of the thread is in the method
 */
uint16_t tm__method_part(const tm__method_samples *it, uint32_t thread, int64_t from_ns,
                         int64_t to_ns, int bound);

void tm__method_samples_free(tm__method_samples *it);

#endif
