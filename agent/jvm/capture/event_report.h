/* SPDX-License-Identifier: Apache-2.0 */
/* One event on its way from a callback into the calling thread's ring. */
#ifndef TM_AGENT_CAPTURE_EVENT_REPORT_H
#define TM_AGENT_CAPTURE_EVENT_REPORT_H

#include "capture/event_in_work.h"

/**
 * Begin an event that the VM reports; end it by tm__event_report_finish() or _drop().
 * @param thread  the calling one, as the VM names it
 * @return 0: there is nothing to report, or nowhere
 */
int tm__event_report_begin(tm__event_report *report, JNIEnv *jni, jthread thread);

/**
 * Ask before an event is begun that a budget may leave out: all but the ends of threads
 * and of the program. A thread's first event is not left out, for that says who it is,
 * nor the end of a blocking interval that was begun.
 * @return 1: it is left out, and counted
 */
int tm__event_report_is_left_out(void);

/** The calling thread, a local reference; NULL: nothing is recorded. */
jthread tm__event_report_thread(void);

/** The same as tm__event_report_begin() in a native method, which does not receive its
 * thread as an argument. */
int tm__event_report_begin_native(tm__event_report *report, JNIEnv *jni);

/** The same in a stand-in for a native method of the JDK: it reports nothing where
 * another recording has put it. */
int tm__event_report_begin_here(tm__event_report *report, JNIEnv *jni);

/**
 * Begin another event of the same thread, without asking who that is.
 * @return 0: recording has stopped since, though it may have begun anew
 */
int tm__event_report_again(tm__event_report *report);

/**
 * Begin an event that began earlier: since then no later one has got into the trace,
 * and from here on this holds them up. The report has a buffer, a thread and a session.
 * @return 0: recording has stopped since
 */
int tm__event_report_since(tm__event_report *report, int64_t since_ns);

/**
 * Put the event into the ring.
 * @param depth  frames of the calling thread's stack to add, at most
 * @param event  without time and thread
 * @return 0; -1: there was no room, and it was counted
 */
int tm__event_report_finish(tm__event_report *report, uint32_t depth, tm_event event);

/**
 * The same for what begins when this returns: its time is that after the walk of the
 * stack, which would else count as a part of it.
 * @param settle  NULL, or called with the event once it has its time
 */
int tm__event_report_finish_now(tm__event_report *report, uint32_t depth,
                                tm_event event, tm__event_settle_fn settle,
                                void *payload);

/** As tm__event_report_finish(), but more of the same time is to follow. */
int tm__event_report_add(tm__event_report *report, uint32_t depth, tm_event event);

/** Nothing happened after all, or nothing more. */
void tm__event_report_drop(tm__event_report *report);

/**
 * Keep the event in work back until it is known what flags it gets. No event of
 * any thread that is later gets into the trace before that.
 */
void tm__event_report_defer(tm__event_report *report, tm_event event);

/** Put the event that was kept back into the ring, with these flags. */
void tm__event_report_deferred(tm__buffer *buffer, uint16_t flags);

#endif
