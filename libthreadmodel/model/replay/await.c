/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for objects that no thread owns: semaphores, channels, barriers, futures. A
 * post gives permits to the waiters, first come first served, unless the producer
 * reports the thread that got one.
 *
 *     await A ───────────────────────▶ awaited A      A waited first: the first post
 *        await B ───────────────────────▶ awaited B   is its own, the second B's
 *                 post      post
 *
 * A wait for a socket, file or other object of I/O has neither permits nor a queue:
 * its end comes from outside, unless the producer names a thread.
 *
 * A thread that comes back without a permit was admitted before its turn: it takes the
 * permit of the first waiter that has one, and that one waits on. A post without a
 * waiter is spare, for the next one to wait. Only the last such post is kept: a thread
 * that takes a permit without a block is not seen, so a longer memory would be wrong.
 * Hence there are never more posts than threads and objects.
 */
#include "base/error.h"
#include "model/entities/fact.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"
#include "model/replay/await.h"
#include "model/replay/block_end.h"
#include "model/replay/end_cause.h"
#include "model/state/model.h"
#include "model/wakeups/posts.h"
#include "model/wakeups/wait_set.h"

/** How many posts of an object are looked at for one by the thread that is named. */
enum { POSTS_LOOKED_AT = 32 };

int tm__on_post(tm_model *model, const tm__fact *fact)
{
    tm__post post = {.time_ns = fact->time_ns,
                     .thread = fact->thread,
                     .stack = fact->stack,
                     .object = fact->object,
                     .waiter = TM__NONE,
                     .group = TM__NONE,
                     .candidates = 1,
                     .permits = 1};
    int64_t permits = fact->value > 0 ? fact->value : 1, woken = 0;
    uint32_t index, waiter;

    tm__must_run(model, fact);
    if (fact->object == TM__NONE)
        return TM_OK;
    for (uint32_t i = model->entities.objects[fact->object].waiter_head;
         i != TM__NONE && woken < permits; i = model->entities.threads[i].next)
        woken++;
    if (tm__posts_reserve(model, (size_t)woken + 2) < 0)
        return tm__failure();
    if (woken > 1)
        post.group = model->intervals.group_count++;
    /* Somebody waits in spite of what is spare, so another took it; or is about to. */
    if (woken > 0 && model->entities.details[fact->object].post_spare != TM__NONE) {
        tm__post_set_spare(model, fact->object, TM__NONE);
        post.candidates = 2;
    }
    waiter = fact->peer;
    if (waiter != TM__NONE && *tm__post_of(model, waiter) == TM__NONE)
        post.is_named = 1;
    else
        waiter = model->entities.objects[fact->object].waiter_head;
    for (; permits > 0 && waiter != TM__NONE; permits--) {
        index = tm__post_new(&model->wakeups, post);
        tm__post_append(model, index);
        tm__post_assign(model, index, waiter);
        post.is_named = 0;
        waiter = model->entities.objects[fact->object].waiter_head;
    }
    if (permits > 0) {
        post.permits = permits;
        tm__post_set_spare(model, fact->object, tm__post_new(&model->wakeups, post));
    }
    return TM_OK;
}

/* Nobody does anything about a wait for the next connection or event: it is idle. */
static int is_idle(const tm_model *model, const tm__fact *fact)
{
    int kind = fact->object == TM__NONE ? TM_OBJECT_KIND_UNKNOWN
                                        : model->entities.objects[fact->object].kind;

    return fact->flags & TM_EVENT_IDLE || kind == TM_OBJECT_KIND_ACCEPT ||
           kind == TM_OBJECT_KIND_POLL;
}

void tm__on_await(tm_model *model, const tm__fact *fact)
{
    tm__interval wait = tm__interval_of(TM_STATE_WAITING, fact);
    int is_io = fact->object != TM__NONE &&
                tm__object_is_io(model->entities.objects[fact->object].kind);

    tm__must_run(model, fact);
    wait.traits = tm__timeout_trait(fact);
    tm__set_deadline(model, fact);
    model->entities.threads[fact->thread].fickle = 0;
    if (is_io) {
        wait.state = TM_STATE_IO;
        if (is_idle(model, fact))
            wait.traits |= TM__TRAIT_IDLE;
        tm__begin(model, fact->thread, fact->time_ns, wait);
        return;
    }
    wait.flags |= TM__INTERVAL_NOT_OWNED;
    tm__begin(model, fact->thread, fact->time_ns, wait);
    /* One that was posted to already needs no other permit. */
    if (fact->object != TM__NONE && *tm__post_of(model, fact->thread) == TM__NONE)
        tm__wait_set_add(&model->entities, fact->object, fact->thread);
}

/* The first post that is not for one alone, given since then; or the first of a
 * thread. */
static uint32_t find_post(const tm_model *model, uint32_t object, uint32_t poster,
                          int64_t since_ns)
{
    uint32_t index = model->entities.details[object].post_head;

    for (int i = 0; index != TM__NONE && i < POSTS_LOOKED_AT; i++) {
        const tm__post *post = &model->wakeups.posts[index];

        if (poster == TM__NONE ? !post->is_named && post->time_ns >= since_ns
                               : post->thread == poster)
            return index;
        index = post->next;
    }
    index = model->entities.details[object].post_spare;
    return index != TM__NONE && poster != TM__NONE &&
                   model->wakeups.posts[index].thread != poster
               ? TM__NONE
               : index;
}

/* The thread takes a post that is thought to be another's, who gets its own for it,
 * or waits on. */
static void exchange(tm_model *model, uint32_t index, uint32_t thread)
{
    uint32_t other = model->wakeups.posts[index].waiter,
             mine = *tm__post_of(model, thread);

    if (mine != TM__NONE) {
        *tm__post_of(model, thread) = TM__NONE;
        model->wakeups.posts[mine].waiter = TM__NONE;
    }
    if (other != TM__NONE) {
        const tm__thread *it = &model->entities.threads[other];

        *tm__post_of(model, other) = TM__NONE;
        model->wakeups.posts[index].waiter = TM__NONE;
        if (mine != TM__NONE &&
            model->wakeups.posts[mine].object == model->wakeups.posts[index].object)
            tm__post_assign(model, mine, other);
        else if (it->blocking_state == TM_STATE_WAITING && it->waits_in == TM__NONE &&
                 it->bound == TM__NONE)
            tm__wait_set_put_first(&model->entities, model->wakeups.posts[index].object,
                                   other);
    }
    if (mine != TM__NONE && model->wakeups.posts[mine].waiter == TM__NONE)
        tm__post_drop(model, mine);
}

/* The post that a thread consumed whose wait did not time out; TM__NONE where no post
 * was seen. */
static uint32_t find_used(tm_model *model, const tm__fact *fact, int64_t since_ns)
{
    uint32_t index = *tm__post_of(model, fact->thread);

    if (fact->object == TM__NONE)
        return TM__NONE;
    if (index != TM__NONE && model->wakeups.posts[index].object == fact->object &&
        (fact->peer == TM__NONE || model->wakeups.posts[index].thread == fact->peer))
        return index;
    index = find_post(model, fact->object, fact->peer, since_ns);
    /* A post from before a loss may have been consumed during the loss. */
    if (index != TM__NONE && fact->peer == TM__NONE &&
        tm__lost_since(&model->intervals, model->wakeups.posts[index].time_ns))
        return TM__NONE;
    if (index != TM__NONE)
        exchange(model, index, fact->thread);
    return index;
}

static int peer_provenance(const tm__fact *fact)
{
    return fact->flags & TM_EVENT_PEER_INFERRED ? TM_PROVENANCE_INFERRED
                                                : TM_PROVENANCE_REPORTED;
}

static uint32_t row_of(tm_model *model, const tm__fact *fact, int64_t since_ns)
{
    uint32_t index = find_used(model, fact, since_ns), row;
    int provenance = TM_PROVENANCE_INFERRED;
    tm__interaction *it;
    const tm__post *post;

    if (index == TM__NONE && fact->peer != TM__NONE)
        return tm__interaction_unseen(model, TM_INTERACTION_POST, fact->peer,
                                      peer_provenance(fact), fact);
    if (index == TM__NONE && tm__waker(model, fact->thread) != TM__NONE)
        return tm__interaction_unseen(model, TM_INTERACTION_POST,
                                      tm__waker(model, fact->thread),
                                      TM_PROVENANCE_INFERRED, fact);
    if (index == TM__NONE)
        return TM__NONE;
    post = &model->wakeups.posts[index];
    if (fact->peer != TM__NONE)
        provenance = peer_provenance(fact);
    else if (post->is_named && !tm__lost_since(&model->intervals, post->time_ns))
        provenance = TM_PROVENANCE_EXACT;
    row = tm__interaction_unseen(model, TM_INTERACTION_POST, post->thread, provenance,
                                 fact);
    it = tm__row(model, row);
    it->from_ns = post->time_ns;
    it->from_stack = post->stack;
    it->group = post->group;
    it->candidates =
        provenance == TM_PROVENANCE_INFERRED ? (uint32_t)post->candidates : 1;
    if (post->time_ns < since_ns)
        it->effect = TM__EFFECT_PERMIT;
    if (index != model->entities.details[fact->object].post_spare)
        tm__post_drop(model, index);
    else if (--model->wakeups.posts[index].permits == 0)
        tm__post_set_spare(model, fact->object, TM__NONE);
    return row;
}

/* For a call that goes on, only its caller may be known: its whole stack replaces that.
 */
static void replace_part(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    const tm__stack *all = model->entities.stacks;

    for (uint32_t i = tm__blocking_index(thread);
         fact->stack != TM__NONE && i < thread->interval_count; i++) {
        tm__interval *part = &thread->intervals[i];

        if (part->stack != TM__NONE && all[part->stack].flags & TM_STACK_TRUNCATED &&
            all[fact->stack].frame_count > all[part->stack].frame_count)
            part->stack = fact->stack;
    }
}

/* A wait that neither a timeout nor an interrupt nor a named thread ended was ended
 * from outside of the run. */
static void end_io(tm_model *model, const tm__fact *fact)
{
    tm__thread *thread = &model->entities.threads[fact->thread];
    uint32_t row;

    replace_part(model, fact);
    tm__blocking_stack(model, fact);
    for (uint32_t i = tm__blocking_index(thread); i < thread->interval_count; i++) {
        tm__interval *part = &thread->intervals[i];

        /* A connection has its peer, and a look-up its name, when it is over. */
        if (fact->object != TM__NONE)
            part->object = fact->object;
        if (is_idle(model, fact))
            part->traits |= TM__TRAIT_IDLE;
        if (fact->flags & TM_EVENT_TIMED_OUT)
            part->flags |= TM__INTERVAL_TIMED_OUT;
        if (fact->flags & TM_EVENT_BY_INTERRUPT)
            part->flags |= TM__INTERVAL_INTERRUPTED;
    }
    row = tm__end_cause(model, fact, TM_PROVENANCE_EXACT);
    if (row == TM__NONE && fact->peer != TM__NONE)
        row = tm__interaction_unseen(model, TM_INTERACTION_POST, fact->peer,
                                     peer_provenance(fact), fact);
    tm__blocking_end(model, fact->thread, fact->time_ns);
    tm__run(model, fact->thread, fact->time_ns, row);
}

void tm__on_awaited(tm_model *model, const tm__fact *original)
{
    tm__fact fact = *original;
    tm__thread *thread = &model->entities.threads[fact.thread];
    uint32_t *own = tm__post_of(model, fact.thread), row;
    tm__interval *wait;

    if (thread->blocking_state == TM_STATE_IO) {
        end_io(model, original);
        return;
    }
    if (thread->blocking_state != TM_STATE_WAITING || thread->bound != TM__NONE) {
        model->diagnostics[TM_DIAGNOSTIC_END_WITHOUT_BEGIN]++;
        tm__must_run(model, &fact);
        if (*own != TM__NONE)
            tm__post_drop(model, *own);
        return;
    }
    wait = &thread->intervals[tm__blocking_index(thread)];
    fact.object = wait->object;
    tm__blocking_stack(model, &fact);
    if (fact.flags & TM_EVENT_TIMED_OUT)
        wait->flags |= TM__INTERVAL_TIMED_OUT;
    if (fact.flags & TM_EVENT_BY_INTERRUPT)
        wait->flags |= TM__INTERVAL_INTERRUPTED;
    row = tm__end_cause(model, &fact, TM_PROVENANCE_EXACT);
    if (row == TM__NONE)
        row = row_of(model, &fact, wait->start_ns);
    else if (*own != TM__NONE)
        tm__post_pass_on(model, *own);
    tm__blocking_object(model, original);
    tm__blocking_end(model, fact.thread, fact.time_ns);
    tm__run(model, fact.thread, fact.time_ns, row);
}
