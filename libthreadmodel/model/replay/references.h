/* SPDX-License-Identifier: Apache-2.0 */
/* Every place of a model that names a thread or an object by its index. */
#ifndef TM_MODEL_REFERENCES_H
#define TM_MODEL_REFERENCES_H

#include <threadmodel/model.h>

/** The requirement of a reference on the entity that it names. */
enum tm__reference {
    TM__REFERS_OBJECT,       ///< objects[], which must stay
    TM__REFERS_THREAD,       ///< threads[], which must stay
    TM__REFERS_PAST_THREAD,  ///< threads[] that did something once: it may be forgotten
    TM__REFERS_LOOSE_OBJECT, ///< objects[]: TM__NONE once it is forgotten
    TM__REFERS_LOOSE_THREAD  ///< threads[]: the same
};

/** Called with each reference that is not TM__NONE, which it may change. */
typedef void (*tm__refer_fn)(void *context, enum tm__reference kind,
                             uint32_t *reference);

/** The references of a thread. */
void tm__refer_of_thread(tm_model *model, uint32_t thread, tm__refer_fn fn,
                         void *context);
/** The references of an object. */
void tm__refer_of_object(tm_model *model, uint32_t object, tm__refer_fn fn,
                         void *context);
/** The references that belong to no single thread or object. Sums are left out:
 * forget_sums.c. */
void tm__refer_of_run(tm_model *model, tm__refer_fn fn, void *context);

#endif
