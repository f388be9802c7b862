/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/unit.h: requests, tasks and messages, and where their time went.
 *
 * A unit of work has a kind, a begin and an end. A producer states units by the events
 * Unit begin and Unit end (event.h). On threads where it states none they are inferred,
 * and labelled so:
 *
 *     worker   idle ··[ task ······· ]·· idle ··[ task ]··· idle
 *     loop     ·[ iteration ···· ]·[ iteration ··· ]·
 *     short    [ the life of one of many threads that begin and end ]
 *
 * A worker is known by the place where it waits for work. The kind of its task is the
 * program's first method above the frames that it shares with that place and above
 * those of servers and frameworks: each endpoint of a service is a kind, and all of
 * them are what the service is measured by. A worker that finds work at once does not
 * wait: where the same wait occurs again, a new task has begun. A thread without a
 * place where it waits for work is a loop if it waits again and again at one place.
 */
#ifndef THREADMODEL_UNIT_H
#define THREADMODEL_UNIT_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Choices for questions about units; zero is the default of each. */
typedef struct tm_unit_options {
    size_t size;          ///< sizeof(tm_unit_options)
    uint32_t stated_only; ///< 1: infer none
    uint32_t reserved;    ///< 0
} tm_unit_options;

/** A tm_unit_options with nothing in it but its size. */
#define TM_UNIT_OPTIONS_INIT                                                           \
    {                                                                                  \
        sizeof(tm_unit_options), 0, 0                                                  \
    }

/**
 * List the units, by rising start.
 *
 * Columns (table `units`): unit int32 (its number, from 1), kind string (as the
 * producer names it; of an inferred one a method), label string (as the producer states
 * it; null: none), id uint64 (the producer's; null: none), parent int32 (number of the
 * unit that submitted it, or in which it began; null: none, or not known), thread_id
 * uint64 (on which it began), thread string, start_ns int64, end_ns int64 (since the
 * run began; of one that has not ended the last event), duration_ns int64, finished
 * bool (it was seen to end), provenance string (reported, inferred; stated by the
 * producer, or inferred), queued_ns int64 (before a worker took it, which is not in its
 * duration); for each of enum tm_state: <state>_ns int64 (its threads' time in this
 * state); elsewhere_ns int64 (no thread that is known worked on it).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; units of the threads, which end in the window, or have
 *                    not ended and begin before its end; uncut. Classes are not used
 * @param options     NULL: the defaults
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_unit_list(tm_table **out, const tm_model *model,
                        const tm_selection *selection, const tm_unit_options *options);

/**
 * Sum the units up by kind, the most time first. Units that have not ended are counted
 * apart, and are in no other number.
 *
 * Columns (table `unit_kinds`): kind string (as in table `units`), thread_id uint64
 * (one on which they begin), thread string (its name), main bool (the kind whose rate
 * and latency measure the program, if there is one, and the other kinds of its group of
 * threads), provenance string (reported, inferred), threads int32 (on which they
 * begin), count int64 (that ended), unfinished int64 (that have not ended), rate double
 * (units that end, from steady_from_ns to steady_to_ns; null: too few for a rate),
 * in_flight double (units at once, on average over the same time; null: too few for a
 * rate), steady_from_ns int64 (when the rate has settled, since the run began; null:
 * too few for a rate), steady_to_ns int64 (until when it lasts; null: too few for a
 * rate), total_ns int64 (of all durations), mean_ns int64 (null: none ended), p50_ns
 * int64 (the median; null: none ended), p95_ns int64, p99_ns int64 and max_ns int64
 * (null: none ended), queued_mean_ns int64 (before a worker took them, of those where
 * it is known; null: not known of any), queued_count int64 (how many it is known of),
 * submitted_by string (kind of the unit that submitted most of them).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   as for tm_unit_list()
 * @param options     NULL: the defaults
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_unit_kind_list(tm_table **out, const tm_model *model,
                             const tm_selection *selection,
                             const tm_unit_options *options);

/**
 * Divide the time of each kind's units by what their threads did: the rows of a kind
 * add up to its total_ns, to the nanosecond. By kind as above, then the most time
 * first. The slowest hundredth is the units that took the 99th percentile or longer.
 *
 * Columns (table `unit_parts`): kind string and thread_id uint64 (as in table
 * `unit_kinds`), thread string (its name), state string (enum tm_state; of the unit's
 * threads; null: no thread that is known worked on it), class string (of what was
 * waited for; null: none, or not known), method string (where the thread was blocked;
 * null: it was not, or that is not known), units int64 (with such a part), count int64
 * (how often), total_ns int64, share double, mean_ns int64 (of total_ns, for each unit
 * of the kind), slow_ns int64 (of total_ns, in the slowest hundredth), slow_share
 * double.
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   as for tm_unit_list()
 * @param options     NULL: the defaults
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_unit_part_list(tm_table **out, const tm_model *model,
                             const tm_selection *selection,
                             const tm_unit_options *options);

TM_END_DECLS

#endif
