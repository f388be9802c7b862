/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permits that were given, in a list for each object: those that a waiter is thought to
 * have got, oldest first, and the last that nobody waited for.
 */
#include "model/wakeups/posts.h"

#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"
#include "model/wakeups/wait_set.h"

uint32_t *tm__post_of(tm_model *model, uint32_t thread)
{
    return &model->intervals.wakes[thread].post;
}

int tm__posts_reserve(tm_model *model, size_t more)
{
    return tm__reserve(
        &model->memory, &model->wakeups.posts, &model->wakeups.posts_capacity,
        model->wakeups.posts_count + more, sizeof(*model->wakeups.posts));
}

uint32_t tm__post_new(tm__wakeups *wakeups, tm__post post)
{
    uint32_t index = wakeups->free_post;

    if (index == TM__NONE)
        index = wakeups->posts_count++;
    else
        wakeups->free_post = wakeups->posts[index].next;
    wakeups->posts[index] = post;
    return index;
}

static void forget(tm_model *model, uint32_t index)
{
    model->wakeups.posts[index].next = model->wakeups.free_post;
    model->wakeups.free_post = index;
}

void tm__post_append(tm_model *model, uint32_t index)
{
    tm__post *post = &model->wakeups.posts[index];
    tm__object_detail *detail = &model->entities.details[post->object];

    post->next = TM__NONE;
    post->previous = detail->post_tail;
    if (detail->post_tail == TM__NONE)
        detail->post_head = index;
    else
        model->wakeups.posts[detail->post_tail].next = index;
    detail->post_tail = index;
}

static void unlink_entry(tm_model *model, uint32_t index)
{
    const tm__post *post = &model->wakeups.posts[index];
    tm__object_detail *detail = &model->entities.details[post->object];

    if (post->previous == TM__NONE)
        detail->post_head = post->next;
    else
        model->wakeups.posts[post->previous].next = post->next;
    if (post->next == TM__NONE)
        detail->post_tail = post->previous;
    else
        model->wakeups.posts[post->next].previous = post->previous;
}

void tm__post_drop(tm_model *model, uint32_t index)
{
    if (model->wakeups.posts[index].waiter != TM__NONE)
        *tm__post_of(model, model->wakeups.posts[index].waiter) = TM__NONE;
    unlink_entry(model, index);
    forget(model, index);
}

void tm__post_set_spare(tm_model *model, uint32_t object, uint32_t index)
{
    tm__object_detail *detail = &model->entities.details[object];

    if (detail->post_spare != TM__NONE)
        forget(model, detail->post_spare);
    detail->post_spare = index;
}

void tm__post_assign(tm_model *model, uint32_t index, uint32_t waiter)
{
    model->wakeups.posts[index].waiter = waiter;
    *tm__post_of(model, waiter) = index;
    if (model->entities.threads[waiter].waits_in == model->wakeups.posts[index].object)
        tm__wait_set_remove(&model->entities, waiter);
}

void tm__post_pass_on(tm_model *model, uint32_t index)
{
    tm__post *post = &model->wakeups.posts[index];
    uint32_t next = model->entities.objects[post->object].waiter_head;

    *tm__post_of(model, post->waiter) = TM__NONE;
    post->is_named = 0;
    post->candidates = 2;
    if (next != TM__NONE) {
        tm__post_assign(model, index, next);
        return;
    }
    post->waiter = TM__NONE;
    unlink_entry(model, index);
    tm__post_set_spare(model, post->object, index);
}

void tm__await_left(tm_model *model, uint32_t thread)
{
    uint32_t post =
        thread < model->intervals.wakes_count ? *tm__post_of(model, thread) : TM__NONE;

    if (post != TM__NONE && model->wakeups.posts[post].object ==
                                tm__now(&model->entities.threads[thread])->object)
        tm__post_drop(model, post);
}
