/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that the package lends to a model. */
#ifndef THREADMODEL_PYTHON_THREADS_H
#define THREADMODEL_PYTHON_THREADS_H

#include <threadmodel/executor.h>

/** Fill an executor: a thread for each task but one, for as long as the task takes.
 * Signals go to the threads that were there before. */
void threadmodel_threads_executor(tm_executor *executor, uint32_t workers);

#endif
