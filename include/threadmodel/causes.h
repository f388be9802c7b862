/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/causes.h: why the time of requests went where it went, as a tree.
 *
 *     100 %  Shop.order
 *      72 %    blocked by Ledger in Shop.book
 *      72 %      owned by threads in Audit.write
 *      70 %        asleep in Audit.flush
 *       2 %        on a processor
 *      28 %    on a processor in Shop.price
 *
 * Each wait is divided among what the threads that held the lock, or ended the wait,
 * did during that time, and so on down to a final cause. The children of a row add up
 * to its time, to the nanosecond.
 */
#ifndef THREADMODEL_CAUSES_H
#define THREADMODEL_CAUSES_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Bits of tm_cause_options.flags. */
enum tm_cause_flag {
    TM_CAUSES_SLOWEST = 1, ///< units that took the 99th percentile of their kind, or
                           ///< longer
    TM_CAUSES_MAIN = 2,    ///< without `kind`: the kind of unit whose rate and latency
                           ///< measure the program, if there is one, else all
    TM_CAUSES_STATED_ONLY = 4, ///< infer no units
    TM_CAUSES_THREADS = 8      ///< the time of threads, also where there are units
};

/** Choices of tm_cause_list(); zero is the default of each. */
typedef struct tm_cause_options {
    size_t size;       ///< sizeof(tm_cause_options)
    const char *kind;  ///< of units, as in table `unit_kinds`; NULL: all kinds
    uint32_t unit;     ///< one unit, by its number in table `units`; 0: all that ended
    uint32_t flags;    ///< bits of enum tm_cause_flag
    uint32_t depth;    ///< rows below the root, at most 64 deep; 0: 32
    uint32_t reserved; ///< 0
} tm_cause_options;

/** A tm_cause_options with nothing in it but its size. */
#define TM_CAUSE_OPTIONS_INIT                                                          \
    {                                                                                  \
        sizeof(tm_cause_options), NULL, 0, 0, 0, 0                                     \
    }

/**
 * Divide the time of units, or of threads where there are no units, by cause. Rows are
 * in the order of the tree: a row, then its children with what is below them, the
 * longest first. Equal causes of one parent are one row. No row has a time of 0.
 *
 * Columns (table `causes`): id int32 (1, 2, ..., the root first), parent int32 (id of
 * the row that it is a part of; null: the root), depth int32 (0: the root), cause
 * string (units, threads, kind, lock, wait, join, owner, user, waker, joined,
 * processor, no_processor, asleep, io, native, collector, idle, handover, timeout,
 * deadlock, unknown, not_recorded, elsewhere, not_followed, other), text string (the
 * same in words), name string (of the kind of units, or of the endpoint of input or
 * output; null: another cause, or not known), class string (of what was waited for;
 * null: none, or not known), method string (where the thread was blocked, got the lock,
 * ended the wait, or ran), thread_id uint64 (one of its threads; null: none is known),
 * thread string (its name), time_ns int64, share double, count int64 (how often; of the
 * root and of kinds, units or threads), provenance string (enum tm_provenance; of the
 * units, or that these threads held or ended it: the least sure of them; null: another
 * cause).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; units of the threads, as for tm_unit_list(), or the
 * time of the threads in the window. Classes are not used
 * @param options     NULL: the defaults
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND (no such kind, unit or thread)
 * @since 0.1
 */
TM_API int tm_cause_list(tm_table **out, const tm_model *model,
                         const tm_selection *selection,
                         const tm_cause_options *options);

TM_END_DECLS

#endif
