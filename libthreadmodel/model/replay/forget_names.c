/* SPDX-License-Identifier: Apache-2.0 */
/* Names that nothing has any more go, and those that are kept get new numbers. */
#include "model/replay/forget_names.h"

#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

typedef void (*string_fn)(uint32_t *numbers, uint32_t *string);

static void mark_string(uint32_t *numbers, uint32_t *string)
{
    if (*string != TM__NONE)
        numbers[*string] = 1;
}

static void renumber_string(uint32_t *numbers, uint32_t *string)
{
    if (*string != TM__NONE)
        *string = numbers[*string];
}

/* Every place that names a string by its number. */
static void each_string(tm_model *model, string_fn fn, uint32_t *numbers)
{
    tm__entities *all = &model->entities;

    for (uint32_t i = 0; i < all->threads_count; i++) {
        fn(numbers, &all->threads[i].name);
        fn(numbers, &all->threads[i].group);
    }
    for (uint32_t i = 0; i < all->objects_count; i++)
        fn(numbers, &all->details[i].name);
    for (uint32_t i = 0; i < all->classes_count; i++) {
        fn(numbers, &all->classes[i].name);
        fn(numbers, &all->classes[i].source);
        fn(numbers, &all->classes[i].build_id);
    }
    for (uint32_t i = 0; i < all->methods_count; i++) {
        fn(numbers, &all->methods[i].name);
        fn(numbers, &all->methods[i].full_name);
    }
    for (uint32_t i = 0; i < model->replay.caveats_count; i++)
        fn(numbers, &model->replay.caveats[i]);
}

/* The run has addresses of strings, which are found and stay. */
static void mark_strings_of_run(tm_model *model, uint32_t *numbers)
{
    const char *const texts[] = {model->run.source, model->run.format,
                                 model->run.producer, model->run.vm,
                                 model->run.command};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        uint32_t string = TM__NONE;

        if (texts[i] &&
            tm__strings_intern(&model->entities.strings, &string, texts[i]) == TM_OK)
            mark_string(numbers, &string);
    }
}

void tm__names_sweep(tm_model *model)
{
    size_t bytes = model->entities.strings.count * sizeof(uint32_t);
    uint32_t *numbers = tm__zalloc(&model->memory, bytes);

    if (!numbers)
        return;
    each_string(model, mark_string, numbers);
    mark_strings_of_run(model, numbers);
    tm__strings_sweep(&model->entities.strings, numbers);
    each_string(model, renumber_string, numbers);
    tm__free(&model->memory, numbers, bytes);
}
