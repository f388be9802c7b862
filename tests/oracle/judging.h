/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a world, and its answers against the truth. */
#ifndef ORACLE_JUDGING_H
#define ORACLE_JUDGING_H

#include "world.h"

/* ingest.c: the model */
/** A model of a world's events, under a policy and a limit of memory, 0: none. Freed by
 * the caller. */
tm_model *model_of(const struct world *w, int policy, size_t limit_bytes);
/** End the program: what could not be done, and the library's error. */
void fail(const char *what);

struct score {
    uint64_t runs, events;
    uint64_t waits_notified;           ///< waits that a notify really ended
    uint64_t exact, inferred, unbound; ///< what the model said of them
    uint64_t inferred_right;
    uint64_t evident; ///< blocking intervals whose cause is reported, as all of it is
    uint64_t unsure;  ///< of those: answered right, and not called exact
    uint64_t handoffs, handoffs_right;
    uint64_t deadlocks, deadlocks_found, deadlocks_false;
    uint64_t blame_ns, blame_sure_ns; ///< blocked time, and that of sure owners
    uint64_t blame_inferred_ns;       ///< that of others
    uint64_t blame_inferred_right_ns; ///< who owned it for all of that time
    uint64_t blame_latency_ns;        ///< said to be free
    uint64_t blame_free_ns;           ///< when nobody had the lock
    uint64_t blame_sure_free_ns;      ///< of that, with an owner that is sure
    uint64_t uses_ns,
        uses_named_ns;      ///< time waited for permits, and said to be by whom
    uint64_t uses_right_ns; ///< of that: who had one
    uint64_t uses_free_ns;  ///< or none, and there was one that nobody had yet
    uint64_t hold_sure_ns, hold_inferred_ns;
    uint64_t hold_inferred_right_ns;    ///< the thread had it all the time
    uint64_t nexts, nexts_right;        ///< who a hold says had the lock next
    uint64_t path_ns, path_compared_ns; ///< of critical paths, and of that compared
    uint64_t path_unexplained_ns;       ///< said to be, where a cause was not reported
    uint64_t replays, replays_right;    ///< unchanged; those as long as the run was
    uint64_t replays_limited, replays_limited_right; ///< on fewer processors
    uint64_t failures;
    bool all; ///< say each of them
};

/* The subject of one judgement. */
struct trial {
    struct world *w;
    struct score *score;
    int policy;
    int64_t origin_ns;
    int64_t end_ns; ///< of the last event
    bool failed;
};

/* judge.c: states and owners */

/** Compare the answers of a model that took the world's events with the truth; of a
 * terse producer's, the critical paths alone. */
void judge(struct world *w, const tm_model *model, struct score *score, int policy);
/** Note what the model got wrong. */
void wrong(struct trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int thread_of(const struct world *w, uint64_t id);
int object_of(const struct world *w, const char *class_name);
bool is_sure(const char *provenance);

/* judge_deadlocks.c: cycles of threads that wait for one another */
void judge_deadlocks(struct trial *trial, const tm_model *model);

/* judge_interactions.c: who woke whom */
void judge_interactions(struct trial *trial, const tm_model *model);

/* judge_blame.c: owners while others were blocked */
void judge_blame(struct trial *trial, const tm_model *model);
/** The same of semaphores, by who had their permits. */
void judge_uses(struct trial *trial, const tm_model *model);

/* judge_holds.c: who had which lock */
/** Whether every tenure is reported, and the run says so. */
bool reports_tenures(const struct world *w);
void judge_holds(struct trial *trial, const tm_model *model);

/* judge_whatif.c: the run replayed unchanged */
void judge_whatif(struct trial *trial, const tm_model *model);

/* judge_path.c: critical paths */
void judge_paths(struct trial *trial, const tm_model *model);

#endif
