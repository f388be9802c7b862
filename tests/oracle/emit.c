/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer: which of the world's doings it sees, and with which fields. All that it
 * reports is true; the rest is left out, never made up.
 */
#include <stdio.h>

#include "world.h"

static void record(struct world *w, tm_event event)
{
    APPEND(w, event, event);
}

static bool peer_is_reported(const struct config *c, int kind)
{
    switch (kind) {
    case TM_EVENT_CONTENDED_ENTER: return c->owners;
    case TM_EVENT_CONTENDED_ENTERED: return c->releasers;
    case TM_EVENT_WAITED: return c->notifiers;
    case TM_EVENT_THREAD_START: return c->starters;
    case TM_EVENT_PARK: return c->park_owners;
    case TM_EVENT_UNPARKED: return c->unparkers;
    default: return true;
    }
}

/* The event states the present owner of the object. */
static void state_owner(struct world *w, int t, int kind, int object, int peer,
                        int flags)
{
    struct object *o;

    if (object == NONE)
        return;
    o = &w->objects[object];
    if (flags & TM_EVENT_OWNER_READ)
        o->stated = o->owner;
    switch (kind) {
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_PARK:
        if (peer != NONE)
            o->stated = peer;
        break;
    case TM_EVENT_CONTENDED_ENTERED:
    case TM_EVENT_ACQUIRED:
    case TM_EVENT_HELD:
    case TM_EVENT_NOTIFY:
    case TM_EVENT_NOTIFY_ALL: o->stated = t; break;
    case TM_EVENT_RELEASED:
    case TM_EVENT_WAIT:
    case TM_EVENT_WAITED: o->stated = NONE; break;
    default: break;
    }
}

/* Whether the producer gets it; a lost stretch is reported as soon as it is over. */
static bool is_seen(struct world *w, int kind)
{
    if (w->now_ns < w->attach_ns || !(w->config.kinds >> kind & 1))
        return false;
    if (w->now_ns >= w->loss_from_ns && w->now_ns < w->loss_to_ns) {
        if (w->lost_count++ == 0)
            w->lost_first_ns = w->now_ns;
        return false;
    }
    if (w->lost_count > 0 && w->now_ns >= w->loss_to_ns) {
        record(w, (tm_event){w->now_ns, 0, (uint64_t)w->lost_first_ns, 0, w->lost_count,
                             0, TM_EVENT_LOST, 0});
        w->lost_count = 0;
    }
    return true;
}

static void emit_mount(struct world *w, int t, int kind)
{
    if (!w->threads[t].is_virtual || !is_seen(w, kind))
        return;
    record(w, (tm_event){w->now_ns, w->threads[t].id, 0,
                         kind == TM_EVENT_VIRTUAL_MOUNT ? 500 + (uint64_t)t % 2 : 0, 0,
                         0, (uint16_t)kind, 0});
}

/* The monitors that it owns beside `except`; some producers state that these are all.
 */
static void emit_held(struct world *w, int t, int except)
{
    for (int i = 0; i < w->object_count; i++)
        if (i != except && w->objects[i].owner == t && !w->objects[i].is_synchronizer)
            emit(w, t, TM_EVENT_HELD, i, NONE, 0, TM_EVENT_CONFIRMED);
    if (w->config.held_sets)
        emit(w, t, TM_EVENT_HELD, NONE, NONE, 0, TM_EVENT_CONFIRMED);
}

bool emit(struct world *w, int t, int kind, int object, int peer, int64_t value,
          int flags)
{
    struct thread *th = &w->threads[t];
    bool begins = kind == TM_EVENT_CONTENDED_ENTER || kind == TM_EVENT_WAIT ||
                  kind == TM_EVENT_PARK || kind == TM_EVENT_SLEEP ||
                  kind == TM_EVENT_JOIN || kind == TM_EVENT_AWAIT;
    bool ends = kind == TM_EVENT_CONTENDED_ENTERED || kind == TM_EVENT_WAITED ||
                kind == TM_EVENT_UNPARKED || kind == TM_EVENT_SLEPT ||
                kind == TM_EVENT_JOINED || kind == TM_EVENT_AWAITED;
    tm_event event = {.time_ns = w->now_ns, .thread = th->id, .value = value};

    if (!is_seen(w, kind))
        return false;
    if (ends)
        emit_mount(w, t, TM_EVENT_VIRTUAL_MOUNT);
    event.kind = (uint16_t)kind;
    event.flags = (uint16_t)flags;
    if (object != NONE)
        event.object = w->objects[object].id;
    if (!peer_is_reported(&w->config, kind))
        peer = NONE;
    if (peer != NONE) {
        event.peer = w->threads[peer].id;
        event.flags |= TM_EVENT_PEER_REPORTED;
    }
    if (w->config.stacks && (begins || kind == TM_EVENT_NOTIFY ||
                             kind == TM_EVENT_ACQUIRED || kind == TM_EVENT_POST))
        event.stack = 1 + (uint32_t)(w->order % 5);
    if (w->config.stacks && w->place &&
        (kind == TM_EVENT_PARK || kind == TM_EVENT_AWAIT || kind == TM_EVENT_POST ||
         kind == TM_EVENT_UNPARK_CALLED))
        event.stack = (uint32_t)w->place;
    record(w, event);
    state_owner(w, t, kind, object, peer, flags);
    if (th->first_ns < 0)
        th->first_ns = w->now_ns;
    if (begins && kind != TM_EVENT_SLEEP)
        emit_held(w, t, object);
    if (begins)
        emit_mount(w, t, TM_EVENT_VIRTUAL_UNMOUNT);
    return true;
}

bool emit_enter(struct world *w, int t, int object)
{
    return emit(w, t, TM_EVENT_CONTENDED_ENTER, object, w->objects[object].owner, 0, 0);
}

bool emit_tenure(struct world *w, int t, int kind, int object)
{
    return emit(w, t, kind, object, NONE, 0,
                truth_reads(w, object, t) ? TM_EVENT_SHARED : 0);
}

int owner_read(const struct world *w, int object, int64_t *value)
{
    const struct object *o = object == NONE ? NULL : &w->objects[object];

    if (!w->config.owner_read || !o ||
        (o->kind != SYNCHRONIZER && o->kind != READ_WRITE))
        return 0;
    *value = o->owner == NONE ? 0 : (int64_t)w->threads[o->owner].id;
    if (w->config.shares_read && o->owner == NONE && o->reader_count > 0)
        return TM_EVENT_OWNER_READ | TM_EVENT_SHARED;
    return TM_EVENT_OWNER_READ;
}

void emit_snapshots(struct world *w)
{
    for (int t = 0; t < w->thread_count; t++) {
        struct thread *th = &w->threads[t];
        const struct hold *h = th->hold == NONE ? NULL : &w->holds[th->hold];

        if (th->state == TM_STATE_UNKNOWN || th->state == TM_STATE_NEW ||
            th->state == TM_STATE_DEAD)
            continue;
        emit(w, t, TM_EVENT_SNAPSHOT, h ? h->object : NONE, NONE,
             h && is_await(w, h->object) ? TM_STATE_WAITING : th->state, 0);
        emit_held(w, t, NONE);
    }
}

void emit_owner(struct world *w)
{
    int object = (int)(chance_next(&w->asking) % (uint64_t)w->object_count);
    const struct object *o = &w->objects[object];

    /* The state of a thread without any reported event cannot be judged.
     */
    if (!w->config.asks || chance_next(&w->asking) % 4 || o->queue_count == 0 ||
        o->owner == NONE || w->threads[o->owner].first_ns < 0 ||
        w->threads[o->owner].state == TM_STATE_DEAD ||
        w->threads[o->owner].state == TM_STATE_WAITING)
        return;
    if (emit(w, o->owner, TM_EVENT_HELD, object, NONE, 0,
             TM_EVENT_CONFIRMED | TM_EVENT_PEER_REPORTED))
        truth_stated(w);
}

/* The stacks at which programs call methods of semaphores. */
static void emit_stacks(const tm_sink *sink)
{
    static const char *const names[] = {"acquire", "take", "release", "give"};
    tm_class library = {
        .size = sizeof(library), .id = 1000, .name = "java.util.concurrent.Semaphore"};
    tm_class program = {.size = sizeof(program), .id = 1001, .name = "sim.Pool"};

    sink->define_class(sink->payload, &library);
    sink->define_class(sink->payload, &program);
    for (uint64_t i = 0; i < 4; i++) {
        tm_method method = {.size = sizeof(method),
                            .id = i + 1,
                            .class_id = i % 2 ? program.id : library.id,
                            .name = names[i]};

        sink->define_method(sink->payload, &method);
    }
    for (uint32_t i = 0; i < 2; i++) {
        tm_frame frames[] = {{.method = 2 * i + 1, .line = 1},
                             {.method = 2 * i + 2, .line = 1}};
        tm_stack stack = {
            .size = sizeof(stack), .id = TAKES + i, .frames = frames, .frame_count = 2};

        sink->define_stack(sink->payload, &stack);
    }
}

void emit_definitions(const struct world *w, const tm_sink *sink, int policy)
{
    tm_run run = {.size = sizeof(run),
                  .producer = "simulator",
                  .policy = policy,
                  .identity = TM_IDENTITY_EXACT,
                  .kinds = w->config.kinds_known ? w->config.kinds : 0};
    char name[32];

    if (w->config.loses && run.kinds)
        run.kinds |= UINT64_C(1) << TM_EVENT_LOST;
    sink->run(sink->payload, &run);
    if (w->config.locks)
        emit_stacks(sink);
    for (int i = 0; i < w->object_count; i++) {
        tm_class class = {.size = sizeof(class), .id = (uint64_t)i + 1, .name = name};
        tm_object object = {
            .size = sizeof(object),
            .id = w->objects[i].id,
            .class_id = (uint64_t)i + 1,
            .thread = w->config.names && w->objects[i].thread != NONE
                          ? w->threads[w->objects[i].thread].id
                          : 0,
            .flags = w->objects[i].is_synchronizer ? TM_OBJECT_SYNCHRONIZER : 0};

        /* To define it would be to say that it is nobody's thread object. */
        if (!w->config.names && w->objects[i].thread != NONE)
            continue;
        snprintf(name, sizeof(name), "sim.Lock%d", i);
        sink->define_class(sink->payload, &class);
        sink->define_object(sink->payload, &object);
    }
    for (int t = 0; w->config.names && t < w->thread_count; t++) {
        tm_thread definition = {.size = sizeof(definition),
                                .id = w->threads[t].id,
                                .object = w->objects[t].id,
                                .name = name,
                                .flags =
                                    w->threads[t].is_virtual ? TM_THREAD_VIRTUAL : 0};

        snprintf(name, sizeof(name), "T%d", t);
        sink->define_thread(sink->payload, &definition);
    }
}
