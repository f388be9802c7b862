/* SPDX-License-Identifier: Apache-2.0 */
/* A script while it is written: what threads do at which instants, and their pauses. */
#ifndef TM_ANALYSIS_WHATIF_SCRIPT_MARKS_H
#define TM_ANALYSIS_WHATIF_SCRIPT_MARKS_H

#include "analysis/whatif/script_state.h"
#include "base/sort.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/** The known facts of an interaction: its row is a signal if both. */
enum { TM__ROW_AWAITED = 1, TM__ROW_IN_TIME = 2, TM__ROW_PERMIT = 4 };

/** Something that a thread does at an instant of its timeline. */
typedef struct tm__mark {
    int64_t time_ns;
    uint32_t what; ///< a signal, items[] of the holds, or places[]; TM__NONE: the
                   ///< resource
    uint8_t kind;  ///< enum tm__step_kind
    uint8_t rank;  ///< of one instant, the lowest first
} tm__mark;

/** Room for the marks of a run, and for the order of those of one thread. */
typedef struct tm__script_room {
    tm__mark *marks;
    size_t capacity;
    tm__sortable *order; ///< marks of the thread at hand, by time
    tm__sortable *spare;
    size_t order_capacity;
    uint32_t *first; ///< of each thread in marks[], one more than threads
} tm__script_room;

typedef struct tm__script_writer {
    tm__script *script;
    const tm_model *model;
    tm__mark *marks; ///< of one thread after the other
    tm__sortable *order;
    uint32_t mark_count;
    uint32_t most_marks; ///< of one thread
    uint32_t *first;
    uint32_t at; ///< in order[]
    uint32_t end;
    uint32_t wait;                    ///< the next of served->resources->waits
    uint32_t ender;                   ///< the next of signals->enders
    const tm__processors *processors; ///< that the thread shares; NULL: it need not
    uint32_t pace;                    ///< processors->paces: one near now_ns
    int64_t now_ns; ///< up to where the thread's time has become steps
    int64_t work_ns;
    double method_ns; ///< of that, in the method asked about
    uint16_t part;    ///< of the running time at hand
    int is_counting;  ///< marks are counted, and not written yet
    int rc;           ///< TM_OK; TM_ENOMEM; 1: too many steps
} tm__script_writer;

/** A stretch in which a thread does nothing: the intervals [first, end). */
typedef struct tm__pause {
    const tm__interval *it;
    uint32_t first;
    uint32_t end;
    int64_t end_ns;
    int is_over;
} tm__pause;

/** The pause that begins with an interval. */
tm__pause tm__pause_at(const tm_model *model, const tm__thread *thread, uint32_t first);

/** The interval with which a thread begins to do something. */
uint32_t tm__begin_of(const tm__thread *thread);

/** Whether a signal, which may be TM__NONE, lets a thread of the script go on. */
int tm__is_signal(const tm__script *script, uint32_t signal);

/** The thread that gave a signal, or that had ended before it was joined. */
uint32_t tm__signal_thread(const tm__script *script, uint32_t signal);

/** The place of uses and services: one after those of the holds. */
uint32_t tm__span_place(const tm__script *script);

/** Gather the marks of all threads. @return TM_OK or TM_ENOMEM */
int tm__marks_gather(tm__script_writer *w);

/** Put those of a thread in order, from order[at] up to order[end]. */
void tm__marks_sort(tm__script_writer *w, uint32_t thread);

/** Whether a block ends because its thread has the lock then. */
int tm__ends_in_hold(const tm__script_writer *w, const tm__pause *p);

/** Whether it parks again for the same lock: it was overtaken. */
int tm__parks_again(const tm__thread *thread, const tm__pause *p);

void tm__marks_free(tm__script *script);

#endif
