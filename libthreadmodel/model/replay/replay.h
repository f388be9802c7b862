/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an event does to a model, and what each kind of event does, a function each.
 */
#ifndef TM_MODEL_REPLAY_H
#define TM_MODEL_REPLAY_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

/**
 * Take one event.
 * @param fact  what tm__fact_resolve() made of it; its time may be put in order
 * @return TM_OK, TM_ENOMEM, or what the callback for deadlocks said
 */
int tm__replay(tm_model *model, const tm_event *event, tm__fact *fact);

/** No time is so far out that differences overflow. @return it, moved if need be */
int64_t tm__settle_time(tm_model *model, int64_t time_ns);

/* monitor.c, wait.c, thread_life.c, park_permit.c: one function an event */
void tm__on_enter(tm_model *model, const tm__fact *fact);
void tm__on_entered(tm_model *model, const tm__fact *fact);
void tm__on_acquired(tm_model *model, const tm__fact *fact);
void tm__on_released(tm_model *model, const tm__fact *fact);
void tm__on_held(tm_model *model, const tm__fact *fact);
void tm__on_wait(tm_model *model, const tm__fact *fact);
void tm__on_waited(tm_model *model, const tm__fact *fact);
int tm__on_notify(tm_model *model, const tm__fact *fact);
void tm__on_start_called(tm_model *model, const tm__fact *fact);
void tm__on_start(tm_model *model, const tm__fact *fact);
int tm__on_end(tm_model *model, const tm__fact *fact);
void tm__on_join(tm_model *model, const tm__fact *fact);
void tm__on_joined(tm_model *model, const tm__fact *fact);
void tm__on_sleep(tm_model *model, const tm__fact *fact);
void tm__on_slept(tm_model *model, const tm__fact *fact);
void tm__on_park(tm_model *model, const tm__fact *fact);
void tm__on_unparked(tm_model *model, const tm__fact *fact);
/** A virtual thread is on a carrier, or ended on it. */
void tm__on_mount(tm_model *model, const tm__fact *fact);
void tm__on_unpark_called(tm_model *model, const tm__fact *fact);
void tm__on_interrupt_called(tm_model *model, const tm__fact *fact);
void tm__on_interrupted(tm_model *model, const tm__fact *fact);
void tm__on_snapshot(tm_model *model, const tm__fact *fact);
/** Nothing is reported from here on, of any thread. @return TM_OK or TM_ENOMEM */
int tm__on_pause(tm_model *model, int64_t time_ns);
/**
 * The row for a blocking interval that says it ended by time or interrupt.
 * @param provenance  how sure it is that nothing else ended it, enum tm_provenance
 * @return it, or TM__NONE where neither is said
 */
uint32_t tm__end_cause(tm_model *model, const tm__fact *fact, int provenance);

#endif
