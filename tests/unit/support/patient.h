/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink before a sink, that asks again when there was no memory: what is not kept at
 * the second call was lost at the first.
 */
#ifndef TEST_PATIENT_H
#define TEST_PATIENT_H

#include <threadmodel/error.h>
#include <threadmodel/sink.h>

static const tm_sink *patient_next;

#define PATIENT(name, type)                                                            \
    static inline int patient_##name(void *payload, const type *given)                 \
    {                                                                                  \
        int rc = patient_next->name(patient_next->payload, given);                     \
                                                                                       \
        (void)payload;                                                                 \
        return rc == TM_ENOMEM ? patient_next->name(patient_next->payload, given)      \
                               : rc;                                                   \
    }
PATIENT(run, tm_run)
PATIENT(caveat, char)
PATIENT(define_class, tm_class)
PATIENT(define_method, tm_method)
PATIENT(define_stack, tm_stack)
PATIENT(define_thread, tm_thread)
PATIENT(define_object, tm_object)
#undef PATIENT

static inline int patient_events(void *payload, const tm_event *events, size_t count)
{
    int rc = patient_next->events(patient_next->payload, events, count);

    (void)payload;
    return rc == TM_ENOMEM ? patient_next->events(patient_next->payload, events, count)
                           : rc;
}

static inline int patient_event(void *payload, const tm_event *events, size_t count)
{
    int rc = TM_OK;

    for (size_t i = 0; rc == TM_OK && i < count; i++)
        rc = patient_events(payload, &events[i], 1);
    return rc;
}

/** @param one_by_one  for a sink that keeps some events of a call that fails */
static inline tm_sink patient_sink(int one_by_one)
{
    return (tm_sink){
        sizeof(tm_sink),       NULL,
        patient_run,           patient_caveat,
        patient_define_class,  patient_define_method,
        patient_define_stack,  patient_define_thread,
        patient_define_object, one_by_one ? patient_event : patient_events};
}

#endif
