/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of events that a run's producer reports, and the time from which answers
 * count. */
#ifndef TM_MODEL_REPORTS_H
#define TM_MODEL_REPORTS_H

#include <threadmodel/model.h>

/** Whether the producer reports events of a kind, as far as is known. */
int tm__model_reports(const tm_model *model, int kind);

/** @return 1: the run is made of thread dumps alone, which tell of no event */
int tm__model_is_of_dumps(const tm_model *model);

/** Whether the producer tells of every acquisition and every release. */
int tm__owners_are_reported(const tm_model *model);

/** The policy in force, enum tm_policy. */
int tm__policy(const tm_model *model);

/** Whether waits and their ends, all that binding goes by, are in the events. */
int tm__sees_waits(const tm_model *model);

/** The same, and the notifies themselves. */
int tm__sees_notifies(const tm_model *model);

/** The time from which answers count. */
int64_t tm__model_origin_ns(const tm_model *model);

#endif
