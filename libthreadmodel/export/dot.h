/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs for Graphviz: who waits for whom at the end, and the lock order. */
#ifndef TM_EXPORT_DOT_H
#define TM_EXPORT_DOT_H

#include "export/export_state.h"

int tm__export_dot(const tm__export *to);

#endif
