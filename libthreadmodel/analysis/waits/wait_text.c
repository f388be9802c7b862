/* SPDX-License-Identifier: Apache-2.0 */
/* Names of threads, places, objects and instants, in sentences about waits. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <threadmodel/definition.h>

#include "analysis/waits/wait_text.h"
#include "analysis/waits/wait_wants.h"
#include "base/duration.h"
#include "model/entities/caller_frame.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"

void tm__write_words(tm__words *words, const char *format, ...)
{
    size_t room = sizeof(words->bytes) - words->length;
    va_list arguments;
    int wanted;

    va_start(arguments, format);
    wanted = vsnprintf(words->bytes + words->length, room, format, arguments);
    va_end(arguments);
    if (wanted > 0)
        words->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

void tm__write_thread(tm__words *words, const tm_model *model, uint32_t thread)
{
    const char *name = tm__thread_name(&model->entities, thread);

    if (name && *name)
        tm__write_words(words, "%.100s", name);
    else
        tm__write_words(words, "thread %" PRIu64, model->entities.threads[thread].id);
}

void tm__write_place(tm__words *words, const tm__wait_case *it, uint32_t stack)
{
    uint32_t caller = tm__stack_caller(it->model, stack);
    const tm__frame *frame =
        caller == TM__NONE ? NULL : &it->model->entities.frames[caller];
    const char *name =
        frame ? tm__method_name(&it->model->entities, frame->method) : NULL;
    int32_t line = frame ? tm__frame_line(&it->model->entities, frame) : 0;

    tm__write_words(words, "%.150s", name ? tm__short_name(name) : "an unknown method");
    if (name && line)
        tm__write_words(words, ":%d", line);
}

void tm__write_count(tm__words *words, uint32_t count)
{
    tm__write_words(words, "%u thread%s", count, count == 1 ? "" : "s");
}

void tm__write_instant(tm__words *words, const tm__wait_case *it, int64_t time_ns)
{
    tm__write_words(words, "%s",
                    tm__duration_of(time_ns - tm__model_origin_ns(it->model)).text);
}

int tm__wait_is_dated(const tm__wait_case *it, int64_t since_ns)
{
    return since_ns > it->model->first_ns || !tm__model_is_of_dumps(it->model);
}

int tm__is_endpoint(const tm_model *model, uint32_t object)
{
    int kind = object == TM__NONE ? TM_OBJECT_KIND_UNKNOWN
                                  : model->entities.objects[object].kind;

    return kind >= TM_OBJECT_KIND_SOCKET && kind <= TM_OBJECT_KIND_PROCESS;
}

/* "ReentrantLock$NonfairSync@1b2c" of the same with its packages. */
void tm__write_object(tm__words *words, tm__wait_case *it, uint32_t object)
{
    const char *label = tm__label(it->labels, it->model, object);
    const char *dot =
        label && !tm__is_endpoint(it->model, object) ? strrchr(label, '.') : NULL;

    if (tm__wait_want(it->model, object) != TM__WANT_UNKNOWN) {
        tm__write_words(
            words, "%s",
            tm__class_name(&it->model->entities,
                           it->model->entities.objects[object].class_index));
        return;
    }
    tm__write_words(words, "%.150s",
                    !label || !*label ? "something unknown"
                    : dot             ? dot + 1
                                      : label);
}
