/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of a scenario file. */
#include <string.h>

#include "scenario.h"

static uint64_t class_id(scenario *s, const char *name, int line)
{
    uint64_t id = scenario_id_of(&s->classes, name);

    if (id == 0 && (id = scenario_add_name(s, &s->classes, name, line)) != 0)
        s->class_list[id - 1] =
            (tm_class){.size = sizeof(tm_class), .id = id, .name = name};
    return id;
}

/* "package.Class.method:line" */
static tm_frame frame_of(scenario *s, char *text, int line)
{
    tm_frame frame = {.location = -1};
    char *colon = strrchr(text, ':'), *dot;

    if (colon) {
        frame.line = (int32_t)scenario_number_of(s, colon + 1, line);
        *colon = '\0';
    }
    frame.method = scenario_id_of(&s->methods, text);
    if (frame.method == 0 &&
        (frame.method = scenario_add_name(s, &s->methods, text, line)) != 0) {
        dot = strrchr(text, '.');
        if (!dot) {
            scenario_fail(s, line, "'%s' is not class.method", text);
            return frame;
        }
        text = strdup(text);
        dot = strrchr(text, '.');
        *dot = '\0';
        s->method_list[frame.method - 1] =
            (tm_method){.size = sizeof(tm_method),
                        .id = frame.method,
                        .class_id = class_id(s, text, line),
                        .name = dot + 1};
    }
    return frame;
}

static void define_thread(scenario *s, const scenario_line *line)
{
    const char *name = line->words[1];
    uint64_t id = scenario_add_name(s, &s->threads, name, line->number);
    tm_thread *thread = &s->thread_list[id - 1];

    *thread = (tm_thread){.size = sizeof(tm_thread), .id = id, .name = name};
    for (size_t i = 2; i < line->count; i++) {
        const char *word = line->words[i], *value;

        if ((value = scenario_value(word, "name")) != NULL)
            thread->name = value;
        else if ((value = scenario_value(word, "group")) != NULL)
            thread->group = value;
        else if ((value = scenario_value(word, "id")) != NULL)
            s->threads.items[s->threads.count - 1].id = thread->id =
                scenario_number_of(s, value, line->number);
        else if (!strcmp(word, "virtual"))
            thread->flags |= TM_THREAD_VIRTUAL;
        else if (!strcmp(word, "daemon"))
            thread->flags |= TM_THREAD_DAEMON;
        else if (!strcmp(word, "agent"))
            thread->flags |= TM_THREAD_AGENT;
        else
            scenario_fail(s, line->number, "what is '%s'?", word);
    }
}

static void define_object(scenario *s, const scenario_line *line)
{
    uint64_t id = scenario_add_name(s, &s->objects, line->words[1], line->number);
    tm_object *object = &s->object_list[id - 1];

    *object = (tm_object){.size = sizeof(tm_object), .id = id};
    for (size_t i = 2; i < line->count; i++) {
        const char *word = line->words[i], *value;

        if ((value = scenario_value(word, "class")) != NULL)
            object->class_id = class_id(s, value, line->number);
        else if ((value = scenario_value(word, "name")) != NULL)
            object->name = value;
        else if ((value = scenario_value(word, "thread")) != NULL)
            object->thread = scenario_thing(s, &s->threads, value, line->number);
        else if ((value = scenario_value(word, "id")) != NULL)
            s->objects.items[s->objects.count - 1].id = object->id =
                scenario_number_of(s, value, line->number);
        else if ((value = scenario_value(word, "hash")) != NULL) {
            object->hash = (uint32_t)scenario_number_of(s, value, line->number);
            object->flags |= TM_OBJECT_HAS_HASH;
        } else if ((value = scenario_value(word, "kind")) != NULL) {
            int number = scenario_named(value, tm_object_kind_name, TM_OBJECT_KIND_END);

            if (number < 0)
                scenario_fail(s, line->number, "'%s' is not a kind of object", value);
            object->kind = number < 0 ? 0 : (uint64_t)number;
        } else if (!strcmp(word, "synchronizer"))
            object->flags |= TM_OBJECT_SYNCHRONIZER;
        else if (!strcmp(word, "maybe_many"))
            object->flags |= TM_OBJECT_MAYBE_MANY;
        else
            scenario_fail(s, line->number, "what is '%s'?", word);
    }
    for (size_t i = 0; i < s->threads.count; i++)
        if (object->thread != 0 && s->thread_list[i].id == object->thread)
            s->thread_list[i].object = object->id;
}

void scenario_define(scenario *s, const scenario_line *line)
{
    const char *kind = line->words[0];
    uint64_t id;

    if (line->count < 2) {
        scenario_fail(s, line->number, "%s of what name?", kind);
    } else if (!strcmp(kind, "thread")) {
        define_thread(s, line);
    } else if (!strcmp(kind, "object")) {
        define_object(s, line);
    } else if (!strcmp(kind, "class")) {
        id = class_id(s, line->words[1], line->number);
        if (line->count > 2)
            s->class_list[id - 1].source = scenario_value(line->words[2], "source");
    } else if (!strcmp(kind, "stack")) {
        id = scenario_add_name(s, &s->stacks, line->words[1], line->number);
        for (size_t i = 2; i < line->count && i < SCENARIO_FRAMES; i++)
            s->frames[id - 1][i - 2] =
                frame_of(s, (char *)line->words[i], line->number);
        s->stack_list[id - 1] = (tm_stack){.size = sizeof(tm_stack),
                                           .id = (uint32_t)id,
                                           .frames = s->frames[id - 1],
                                           .frame_count = line->count - 2};
    } else {
        scenario_fail(s, line->number, "what is a '%s'?", kind);
    }
}
