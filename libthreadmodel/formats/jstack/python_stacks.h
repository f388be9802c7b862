/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of the grammars of Python's stacks. */
#ifndef TM_FORMATS_JSTACK_PYTHON_STACKS_H
#define TM_FORMATS_JSTACK_PYTHON_STACKS_H

#include "formats/jstack/parse_state.h"

/** @return the name of a module by its file: "stock" of "/srv/app/stock.py" */
tm__slice tm__python_module(tm__slice file);

/** @return the name of a file without its folders */
tm__slice tm__python_base(tm__slice file);

/** Set what a thread does in a function of the standard library. @return 1: it is one
 */
int tm__python_infer(tm__jstack_thread *thread, tm__slice module, tm__slice function);

/** Whether a module is of the standard library and calls the rest. */
int tm__python_is_library(const char *name);

#endif
