/* SPDX-License-Identifier: Apache-2.0 */
/* The state of platform and virtual threads in a heap dump. */
#ifndef TM_FORMATS_HPROF_READ_THREADS_H
#define TM_FORMATS_HPROF_READ_THREADS_H

#include "formats/hprof/hprof_threads.h"

/** The id of a thread by its serial number. */
uint64_t tm__hprof_thread_id(const tm__hprof_threads *threads, uint32_t serial);

/** Define threads that started and are in no heap dump. */
int tm__hprof_define_started(tm__hprof_threads *threads);

/** Take all threads. @return TM_OK; TM_ENOMEM: call again */
int tm__hprof_read_threads(tm__hprof_threads *threads);

#endif
