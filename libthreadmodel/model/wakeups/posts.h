/* SPDX-License-Identifier: Apache-2.0 */
/* Permits that were given for what no thread owns. */
#ifndef TM_MODEL_POSTS_H
#define TM_MODEL_POSTS_H

#include <stdint.h>

#include <threadmodel/model.h>

#include "model/state/wakeup_state.h"

/** Permits of an object that were given and not yet seen to be taken. */
typedef struct tm__post {
    int64_t time_ns;
    int64_t permits; ///< that are left, where nobody waited for them; else 1
    uint32_t thread; ///< threads[]: the poster
    uint32_t stack;  ///< stacks[] or TM__NONE
    uint32_t object;
    uint32_t waiter; ///< threads[] that is thought to have got it, or TM__NONE
    uint32_t next;   ///< in the object's list, or the list of free ones
    uint32_t previous;
    uint32_t group; ///< of the rows of one post, or TM__NONE
    uint8_t is_named;
    uint8_t candidates; ///< posts that may have let the waiter go, as far as is known
    uint8_t reserved[2];
} tm__post;

/** The post that a thread was given, posts[] or TM__NONE; wakes[] has the thread. */
uint32_t *tm__post_of(tm_model *model, uint32_t thread);
/** Room for `more` posts. @return TM_OK or TM_ENOMEM */
int tm__posts_reserve(tm_model *model, size_t more);
/** A post, for which room was reserved. @return posts[] */
uint32_t tm__post_new(tm__wakeups *wakeups, tm__post post);
/** Append to the posts of the object that somebody is thought to have got. */
void tm__post_append(tm_model *model, uint32_t index);
/** A post that somebody was thought to have got is used up. */
void tm__post_drop(tm_model *model, uint32_t index);
/** The post whose permits nobody waited for becomes another, or TM__NONE. */
void tm__post_set_spare(tm_model *model, uint32_t object, uint32_t index);
/** The permit of a listed post is the waiter's, which leaves the wait set for it. */
void tm__post_assign(tm_model *model, uint32_t index, uint32_t waiter);
/** A permit that its waiter did not take goes to the next, or is kept as spare. */
void tm__post_pass_on(tm_model *model, uint32_t index);
/** A wait is over: the permit that the thread got for it belongs to no other thread. */
void tm__await_left(tm_model *model, uint32_t thread);

#endif
