/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function of Go is known by its package, its receiver and its name:
 *
 *     example.com/bank.(*Account).move.func1
 *     package─────────  method──────────────
 *
 * The package is a class, the rest of it a method.
 */
#include "formats/go/go_names.h"
#include "formats/go/go_frames.h"
#include "formats/go/go_io.h"
#include "formats/go/go_packages.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"

enum { NAME_BYTES = TM__GO_STRING_BYTES };

void tm__go_names_init(tm__go_names *names, tm__memory *memory)
{
    *names = (tm__go_names){0};
    tm__strings_init(&names->classes, memory);
    tm__strings_init(&names->functions, memory);
    tm__strings_init(&names->places, memory);
}

/* Intern two texts with a zero byte between them. */
static int intern(tm__strings *strings, tm__go_text first, tm__go_text second,
                  uint32_t *index)
{
    char both[2 * NAME_BYTES + 2];

    memcpy(both, first.bytes, first.length);
    both[first.length] = '\0';
    memcpy(both + first.length + 1, second.bytes, second.length);
    both[first.length + 1 + second.length] = '\0';
    return tm__strings_intern_bytes(strings, index, both,
                                    (size_t)first.length + 1 + second.length);
}

static int define_class(tm__go_names *names, tm__go_text name, tm__go_text source,
                        const tm_sink *sink, uint32_t *index)
{
    int rc = intern(&names->classes, name, source, index);
    const char *text;
    tm_class definition = TM_CLASS_INIT;

    if (rc < 0 || *index < names->classes_defined)
        return rc;
    text = tm__strings_get(&names->classes, *index);
    definition.id = (uint64_t)*index + 1;
    definition.name = text;
    if (source.length)
        definition.source = text + name.length + 1;
    if (source.length && tm__go_is_own_package(name))
        definition.flags = TM_CLASS_LIBRARY;
    rc = sink->define_class(sink->payload, &definition);
    if (rc >= 0)
        names->classes_defined = *index + 1;
    return rc;
}

static int define_function(tm__go_names *names, const tm__go_frame *it,
                           const tm_sink *sink, uint32_t *index)
{
    uint32_t length = tm__go_package_length(it->function), class_index;
    tm__go_text package = {length ? it->function.bytes : "?", length ? length : 1};
    int rc = intern(&names->functions, it->function, it->file, index);
    tm_method definition = TM_METHOD_INIT;

    if (rc < 0 || *index < names->functions_defined)
        return rc;
    rc = define_class(names, package, it->file, sink, &class_index);
    if (rc < 0)
        return rc;
    definition.id = (uint64_t)*index + 1;
    definition.class_id = (uint64_t)class_index + 1;
    definition.name =
        tm__strings_get(&names->functions, *index) + (length ? length + 1 : 0);
    rc = sink->define_method(sink->payload, &definition);
    if (rc >= 0)
        names->functions_defined = *index + 1;
    return rc;
}

int tm__go_define_stack(tm__go_names *names, const tm__go_generation *generation,
                        tm__go_stack *stack, const tm_sink *sink, uint32_t *id)
{
    tm_frame frames[TM__GO_STACK_FRAMES];
    tm_stack definition = TM_STACK_INIT;
    tm__cursor cursor;
    int rc = TM_OK;

    *id = 0;
    if (!stack || stack->frame_count == 0 || names->keeps_no_stacks ||
        names->stack_count == UINT32_MAX)
        return TM_OK;
    *id = stack->id;
    if (*id)
        return TM_OK;
    cursor = stack->frames;
    for (uint32_t i = 0; i < stack->frame_count && rc >= 0; i++) {
        tm__go_frame it = tm__go_next_frame(generation, &cursor);
        uint32_t index = 0;

        rc = define_function(names, &it, sink, &index);
        frames[i] =
            (tm_frame){.method = (uint64_t)index + 1, .location = -1, .line = it.line};
    }
    if (rc < 0)
        return rc;
    definition.id = names->stack_count + 1;
    definition.frames = frames;
    definition.frame_count = stack->frame_count;
    if (stack->frame_count == TM__GO_STACK_FRAMES)
        definition.flags = TM_STACK_TRUNCATED;
    rc = sink->define_stack(sink->payload, &definition);
    if (rc >= 0)
        *id = stack->id = ++names->stack_count;
    return rc;
}

/* Frames of the runtime and of locks stand within those that wait by them. */
static int is_of_runtime(tm__go_text function)
{
    return tm__go_begins_with(function, "runtime.") ||
           tm__go_begins_with(function, "sync.") ||
           tm__go_begins_with(function, "internal/") ||
           tm__go_begins_with(function, "runtime/");
}

/* The type of the lock, of the outermost of sync's frames: "sync.Mutex". */
static void lock_type(tm__go_text function, char *type, size_t bytes)
{
    static const char receiver[] = "sync.(*";
    const char *start, *end;

    if (!tm__go_begins_with(function, receiver))
        return;
    start = function.bytes + sizeof(receiver) - 1;
    end = memchr(start, ')', function.length - (sizeof(receiver) - 1));
    if (end)
        snprintf(type, bytes, "sync.%.*s", (int)(end - start), start);
}

/* The kind of object that goroutines wait for: sync's locks by their type, others by
 * the reason that the runtime gives. */
static uint64_t kind_of(const char *what)
{
    static const struct {
        const char *begin;
        uint64_t kind;
    } kinds[] = {
        {"sync.Mutex", TM_OBJECT_KIND_MUTEX}, {"sync.RWMutex", TM_OBJECT_KIND_RWLOCK},
        {"sync.Once", TM_OBJECT_KIND_ONCE},   {"sync.Cond", TM_OBJECT_KIND_CONDITION},
        {"chan ", TM_OBJECT_KIND_CHANNEL},    {"select", TM_OBJECT_KIND_CHANNEL},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strncmp(what, kinds[i].begin, strlen(kinds[i].begin)) == 0)
            return kinds[i].kind;
    return TM_OBJECT_KIND_UNKNOWN;
}

/* The runtime gives no reason for a goroutine that waited before the trace began: the
 * runtime's frames in which it waits show one. */
const char *tm__go_reason_of(const tm__go_generation *generation,
                             const tm__go_stack *stack)
{
    static const struct {
        const char *begin, *reason;
    } reasons[] = {
        {"time.Sleep", "sleep"},           {"internal/poll.", "network"},
        {"runtime.netpoll", "network"},    {"runtime.chanrecv", "chan receive"},
        {"runtime.chansend", "chan send"}, {"runtime.selectgo", "select"},
        {"runtime.block", "forever"},      {"sync.", "sync"},
    };
    tm__cursor cursor = stack ? stack->frames : (tm__cursor){0};

    for (uint32_t i = 0; stack && i < stack->frame_count; i++) {
        tm__go_frame it = tm__go_next_frame(generation, &cursor);

        for (size_t r = 0; r < sizeof(reasons) / sizeof(*reasons); r++)
            if (tm__go_begins_with(it.function, reasons[r].begin))
                return reasons[r].reason;
        if (!is_of_runtime(it.function))
            break;
    }
    return "unknown";
}

static int define_place(tm__go_names *names, const char *what, const tm__go_io *io,
                        const tm__go_frame *place, const tm_sink *sink, uint32_t *index)
{
    char text[2 * NAME_BYTES + 64];
    tm_object definition = TM_OBJECT_INIT;
    uint32_t class_index;
    int rc;

    if (place->function.length)
        snprintf(text, sizeof(text), "%s %.*s:%d", io->kind ? io->name : what,
                 (int)place->function.length, place->function.bytes, place->line);
    else
        snprintf(text, sizeof(text), "%s", io->kind ? io->name : what);
    rc = tm__strings_intern(&names->places, index, text);
    if (rc < 0 || *index < names->places_defined)
        return rc;
    rc = define_class(names, (tm__go_text){what, (uint32_t)strlen(what)},
                      (tm__go_text){"", 0}, sink, &class_index);
    if (rc < 0)
        return rc;
    definition.id = (uint64_t)*index + 1;
    definition.class_id = (uint64_t)class_index + 1;
    definition.flags = TM_OBJECT_MAYBE_MANY;
    definition.kind = io->kind ? io->kind : kind_of(what);
    definition.name = text;
    rc = sink->define_object(sink->payload, &definition);
    if (rc >= 0)
        names->places_defined = *index + 1;
    return rc;
}

int tm__go_define_object(tm__go_names *names, const tm__go_generation *generation,
                         tm__go_stack *stack, uint64_t reason, const char *what,
                         const tm_sink *sink, uint64_t *object)
{
    char name[NAME_BYTES + 16];
    tm__go_text text = tm__go_text_of(generation, reason);
    tm__go_frame place = {{"", 0}, {"", 0}, 0};
    uint32_t index;
    int rc;

    tm__go_io io;

    if (stack && stack->reason_plus1 == reason + 1) {
        *object = (uint64_t)stack->object + 1;
        return TM_OK;
    }
    if (text.length == 0)
        text = (tm__go_text){what, (uint32_t)strlen(what)};
    if (tm__go_begins_with(text, "sync.(*Cond)"))
        text = (tm__go_text){"sync", 4};
    io = tm__go_io_of(generation, stack, text);
    text = io.kind ? (tm__go_text){io.reason, (uint32_t)strlen(io.reason)} : text;
    snprintf(name, sizeof(name), "%.*s", (int)text.length, text.bytes);
    if (io.kind) {
        place = io.place;
    } else if (stack) {
        tm__cursor cursor = stack->frames;

        for (uint32_t i = 0; i < stack->frame_count; i++) {
            place = tm__go_next_frame(generation, &cursor);
            if (!is_of_runtime(place.function))
                break;
            if (strncmp(name, "sync", 4) == 0)
                lock_type(place.function, name, sizeof(name));
        }
    }
    rc = define_place(names, name, &io, &place, sink, &index);
    if (rc < 0)
        return rc;
    if (stack) {
        stack->object = index;
        stack->reason_plus1 = reason + 1;
        stack->io_kind = (uint8_t)io.kind;
        stack->is_idle = (uint8_t)io.is_idle;
        stack->read_place = io.read_place;
        stack->is_accept = (uint8_t)io.is_accept;
    }
    *object = (uint64_t)index + 1;
    return TM_OK;
}

int tm__go_define_unit(tm__go_names *names, const tm__go_generation *generation,
                       uint64_t name, const tm_sink *sink, uint64_t *object)
{
    tm__go_text text = tm__go_text_of(generation, name);
    tm_object definition = TM_OBJECT_INIT;
    uint32_t index, class_index;
    int rc;

    if (text.length == 0)
        text = (tm__go_text){"a task without a name", 21};
    /* No place begins with a zero byte. */
    rc = intern(&names->places, (tm__go_text){"", 0}, text, &index);
    if (rc >= 0 && index >= names->places_defined) {
        rc = define_class(names, text, (tm__go_text){"", 0}, sink, &class_index);
        if (rc < 0)
            return rc;
        definition.id = (uint64_t)index + 1;
        definition.class_id = (uint64_t)class_index + 1;
        rc = sink->define_object(sink->payload, &definition);
        if (rc >= 0)
            names->places_defined = index + 1;
    }
    *object = (uint64_t)index + 1;
    return rc < 0 ? rc : TM_OK;
}

int tm__go_define_thread(const tm__go_generation *generation, const tm__go_name_of *of,
                         const tm__go_stack *stack, const tm_sink *sink, int *is_named)
{
    char name[NAME_BYTES + 64], group[NAME_BYTES + 1] = "", life[24] = "";
    tm_thread definition = TM_THREAD_INIT;
    tm__go_frame it = {{"", 0}, {"", 0}, 0};

    if (stack && (of->innermost || stack->frame_count < TM__GO_STACK_FRAMES)) {
        tm__cursor cursor = stack->frames;

        for (uint32_t i = 0; i < stack->frame_count && (i == 0 || !of->innermost); i++)
            it = tm__go_next_frame(generation, &cursor);
    }
    *is_named = it.function.length > 0;
    definition.id = of->thread;
    if (of->life > 1)
        snprintf(life, sizeof(life), ", life %u", (unsigned)of->life);
    if (*is_named) {
        int is_main =
            it.function.length == 12 && tm__go_begins_with(it.function, "runtime.main");

        snprintf(group, sizeof(group), "%.*s", (int)it.function.length,
                 it.function.bytes);
        if (is_main)
            snprintf(group, sizeof(group), "main.main");
        else if (tm__go_begins_with(it.function, "runtime.") ||
                 tm__go_begins_with(it.function, "runtime/trace."))
            definition.flags = TM_THREAD_AGENT;
        snprintf(name, sizeof(name), "%s #%llu%s", group,
                 (unsigned long long)of->goroutine, life);
        definition.group = group;
    } else {
        snprintf(name, sizeof(name), "goroutine #%llu%s",
                 (unsigned long long)of->goroutine, life);
    }
    definition.name = name;
    return sink->define_thread(sink->payload, &definition);
}

void tm__go_names_free(tm__go_names *names)
{
    if (!names->classes.memory)
        return;
    tm__strings_clear(&names->classes);
    tm__strings_clear(&names->functions);
    tm__strings_clear(&names->places);
}
