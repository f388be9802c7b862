/* SPDX-License-Identifier: Apache-2.0 */
/* One verdict with what it rests on, and the words for it. */
#ifndef TM_ANALYSIS_VERDICT_JUDGE_H
#define TM_ANALYSIS_VERDICT_JUDGE_H

#include <threadmodel/verdict.h>

#include "analysis/waits/graph_of_waits.h"
#include "base/printf.h"
#include "model/entities/entity_names.h"

/** How the program's threads spent their lives, in ns of all threads together. */
typedef struct tm__time_spent {
    int64_t lived_ns;
    int64_t ran_ns;    ///< and what was not recorded
    int64_t queued_ns; ///< for locks
    int64_t waited_ns; ///< otherwise
    int64_t slept_ns;
    int64_t idle_ns; ///< waited for work
} tm__time_spent;

typedef struct tm__judgement {
    const tm_model *model;
    tm__memory memory;
    tm__wait_graph graph;
    tm__standstill found;
    tm__time_spent spent;
    tm__labels labels;
    uint32_t *order; ///< threads[] of the members, as they wait for one another
    uint32_t count;
    int verdict; ///< enum tm_verdict
    int suspected;
    int64_t since_ns; ///< INT64_MIN: not known
} tm__judgement;

/** @return TM_OK or TM_ENOMEM, and then nothing is to be closed */
int tm__judgement_open(tm__judgement *it, const tm_model *model);
void tm__judgement_close(tm__judgement *it);

enum { TM__VERDICT_BYTES = 2000 };

/** A text that grows up to what it has room for. */
typedef struct tm__words {
    size_t length;
    char bytes[TM__VERDICT_BYTES];
} tm__words;

void tm__write_words(tm__words *words, const char *format, ...) TM__PRINTF(2, 3);
void tm__write_thread(tm__words *words, const tm_model *model, uint32_t thread);
/** "Account.transfer:42", or "an unknown method". */
void tm__write_place(tm__words *words, const tm__judgement *it, uint32_t stack);
/** Why a member cannot go on, a sentence without its end. */
void tm__write_why(tm__words *words, tm__judgement *it, uint32_t thread);

/** The columns `title`, `text`, `advice`, `examined` and `remedy`. The last and the
 * advice may be left empty. */
void tm__write_title(tm__words *words, tm__judgement *it);
void tm__write_text(tm__words *words, tm__judgement *it);
void tm__write_advice(tm__words *words, const tm__judgement *it);
void tm__write_examined(tm__words *words, const tm__judgement *it);
void tm__write_remedy(tm__words *words, const tm__judgement *it);

#endif
