/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/blame.h: the owners of locks while other threads were blocked by them.
 *
 * A is blocked by a lock for 10 ms. B owned it for the first 6, C for the next 3, and
 * for the last one nobody: A was being woken. These are three shares of one block.
 *
 * A block here is the time in which a thread is blocked, re-enters after a wait, or is
 * parked on a synchronizer that threads own. Its shares tile it. `share` is the kind of
 * each: an owner had the lock, or it had been released and the next owner was being
 * woken (latency), or no event shows the owner (unknown). Shares follow from the holds
 * of tm_hold_list().
 *
 * `provenance` is that of a share over its whole length. It is reported or exact only
 * where the owner cannot have released the lock, since it was itself blocked when it
 * was named, or where the producer reports every acquisition and release. The rest is
 * inferred. Of a block with more than 256 owners the first 256 are listed.
 *
 * Nobody owns a pool of three connections, but a thread that waits for one gets it from
 * another. TM_BLAME_OF_RESOURCES asks of these waits, which tm_resource_list() sums up.
 * C waits for 10 ms. B had the connection that C got for the last 6 of them, and A,
 * from whom B got it, for the first 4. A use is known where tm_resource_list() counts
 * it; and a thread that releases what others wait for, and did not wait itself
 * meanwhile, had it all the time. All owners are inferred. Where no uses are known, as
 * of a latch, the share is unknown. A wait that timed out is blamed on the permit that
 * was released next. A worker that waits for work is left out: nobody had that. Waits
 * that a memory limit has evicted into sums are missing, and of more than 256 users
 * the last 256 are listed.
 */
#ifndef THREADMODEL_BLAME_H
#define THREADMODEL_BLAME_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Keys to group shares of blame by; any combination. */
enum tm_blame_key {
    TM_BLAME_BY_THREAD = 1,        ///< the blocked thread
    TM_BLAME_BY_CALLER = 2,        ///< where it was blocked
    TM_BLAME_BY_CLASS = 4,         ///< of the lock
    TM_BLAME_BY_OBJECT = 8,        ///< the single lock
    TM_BLAME_BY_OWNER = 16,        ///< the owner
    TM_BLAME_BY_OWNER_METHOD = 32, ///< where the owner acquired it
    TM_BLAME_BY_OWNER_STACK = 64   ///< the same as a whole stack
};

/** The kind of objects that blocked threads. */
enum tm_blame_of {
    TM_BLAME_OF_LOCKS = 0,    ///< locks: threads own them
    TM_BLAME_OF_RESOURCES = 1 ///< pools, semaphores, queues: threads use them
};

/** Choices of a question of blame; zero is the default of each. */
typedef struct tm_blame_options {
    size_t size;                   ///< sizeof(tm_blame_options)
    uint32_t keys;                 ///< bits of enum tm_blame_key; 0: single shares
    uint32_t states;               ///< bit s: blocks of enum tm_state s; 0: all
    const tm_selection *selection; ///< blocked threads, and classes of their locks
    const char *const *libraries;  ///< as in tm_statistics_options
    uint32_t library_count;        ///< entries of libraries
    uint32_t of;                   ///< enum tm_blame_of
} tm_blame_options;

/** A tm_blame_options with nothing in it but its size. */
#define TM_BLAME_OPTIONS_INIT                                                          \
    {                                                                                  \
        sizeof(tm_blame_options), 0, 0, NULL, NULL, 0, 0                               \
    }

/**
 * List blame: without keys a row for each share of each block, by start of the block;
 * with keys a row a group, the longest total first. A share is the part of a block in
 * which one owner had the lock, or none did.
 *
 * Columns (table `blame`): thread_id uint64, thread string, block_start_ns int64 and
 * block_end_ns int64 (since the run began), state string (blocked, reentering, parked,
 * waiting; as it began), object string, class string, method string (where it blocked),
 * source string, line int32, start_ns int64 (of the share; those of one block tile it),
 * end_ns int64, share string (owner, latency, unknown; owner: `owner` had it; latency:
 * it had been released, and the next owner was being woken), owner_id uint64 and owner
 * string (null: nobody, or not known), owner_method string (where the owner acquired
 * it), owner_source string, owner_line int32, fraction double (of the block's time; of
 * one without length 1), provenance string (enum tm_provenance).
 *
 * Columns (table `blamed`): by TM_BLAME_BY_THREAD: thread_id uint64, thread string (who
 * was blocked); by TM_BLAME_BY_CALLER: method string (where it blocked), source string,
 * line int32; by TM_BLAME_BY_CLASS without TM_BLAME_BY_OBJECT: class string (of the
 * lock or resource); by TM_BLAME_BY_OBJECT: object string, class string; by
 * TM_BLAME_BY_OWNER: owner_id uint64 and owner string (null: nobody, or not known); by
 * TM_BLAME_BY_OWNER_METHOD: owner_method string (where the owner acquired it),
 * owner_source string, owner_line int32; by TM_BLAME_BY_OWNER_STACK: owner_stack int32
 * (the whole stack, by its number in table `stacks`); always: count int64 (blocks with
 * a share in the group), total_ns int64 (all shares), max_ns int64 (the longest that
 * one block owes to it), latency_ns int64 (of total_ns: nobody had it), share double
 * (of all blocked time that was asked about; in table `blockers` of the time that this
 * thread was blocked), reported_share double, exact_share double and inferred_share
 * double (of total_ns).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: single shares
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_blame_list(tm_table **out, const tm_model *model,
                         const tm_blame_options *options);

/**
 * List who blocks whom, the longest total first: tm_blame_list() by thread and owner,
 * as table `blockers`, but for `share`.
 *
 * Columns (table `blockers`): thread_id uint64, thread string (who was blocked),
 * owner_id uint64 and owner string (null: nobody, or not known); those of table
 * `blamed` that are always there.
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; the threads are those that were blocked
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_blocker_list(tm_table **out, const tm_model *model,
                           const tm_selection *selection);

TM_END_DECLS

#endif
