/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for what no thread owns, where they stand, and who released the waiter. */
#ifndef TM_ANALYSIS_RESOURCES_RESOURCE_RELEASE_H
#define TM_ANALYSIS_RESOURCES_RESOURCE_RELEASE_H

#include "analysis/resources/resource_state.h"

/** Whether an interval begins a wait for what no thread owns. */
int tm__is_resource_wait(const tm_model *model, const tm__interval *it);

/** @return strings of the caller's method of a stack, which may be TM__NONE */
uint32_t tm__resource_place(const tm__resources *all, uint32_t stack);

/** The interaction that released a waiter. @return its number: `row`, or that of the
 * one at the root of a chain of wake-ups; TM__NONE: not known */
uint32_t tm__release_of(const tm__resources *all, uint32_t row, uint32_t waiting_stack);

/** Whether a thread woke the next one from within the call in which it had waited
 * itself: it released nothing. */
int tm__is_passed_on(const tm__resources *all, const tm__interaction *row);

/** The object of an interaction, or that which its to-thread waited for. */
uint32_t tm__release_object(const tm_model *model, const tm__interaction *row);

#endif
