/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/stack_definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names/c_library.h"
#include "names/routine_name.h"
#include "recorder/lookup.h"

/* An address, with a frame for each function that was inlined there. */
typedef struct tm__known_code {
    uint64_t address;
    UT_hash_handle hh;
    struct tm__known_code *next_gone;
    tm__lookup *lookup; /* NULL: its frames are defined */
    int has_file;
    size_t count;
    tm_frame *frames;
    char function[64]; /* see tm__stack_function() */
    int is_routine;    /* that may be called after it, where it is the outermost */
} tm__known_code;

struct tm__native_stack {
    uint32_t id;
    UT_hash_handle hh;
    tm__native_stack *next_gone;
    int is_defined;
    size_t count;
    tm__known_code *code[TM__FRAMES_MOST];
    uint64_t frames[];
};

static tm_frame define_frame(tm__image *image, const tm__symbol *symbol)
{
    tm_frame frame = {0, -1, 0, 0};
    char offset[32];

    snprintf(offset, sizeof(offset), "0x%llx", (unsigned long long)symbol->offset + 1);
    frame.method = tm__method_define(
        image,
        tm__class_define(image, *symbol->module ? symbol->module : "?", symbol->source,
                         symbol->build_id),
        *symbol->function ? symbol->function : offset);
    frame.line = symbol->line;
    return frame;
}

/* A return address is the next call's; the call is the byte before.
 * @return NULL: there is no memory */
static tm__known_code *code_at(tm__image *image, uint64_t address)
{
    tm__definitions *all = image->definitions;
    tm__known_code *it;

    HASH_FIND(hh, all->code, &address, sizeof(address), it);
    if (it)
        return it;
    it = calloc(1, sizeof(*it));
    if (!it)
        return NULL;
    it->address = address;
    it->lookup = tm__lookup_code(image->symbols, address - 1);
    HASH_ADD(hh, all->code, address, sizeof(it->address), it);
    return it;
}

/* @return whether its names were found */
static int define_code(tm__image *image, tm__known_code *it)
{
    const tm__symbol *chain;
    size_t count;

    if (!it->lookup)
        return 1;
    if (!tm__lookup_is_done(it->lookup))
        return 0;
    count = tm__lookup_result(it->lookup, &chain);
    it->frames = calloc(count, sizeof(*it->frames));
    it->has_file = count && *chain->module;
    it->count = it->frames ? count : 0;
    for (size_t i = 0; i < it->count; i++)
        it->frames[i] = define_frame(image, &chain[i]);
    for (size_t i = count; i-- > 0 && !*it->function;)
        tm__routine_name(&chain[i], it->function, sizeof(it->function));
    it->is_routine = count && *it->function &&
                     tm__routine_is_known(&chain[count - 1]) &&
                     !tm__is_c_library(chain[count - 1].module);
    tm__lookup_free(it->lookup);
    it->lookup = NULL;
    return 1;
}

/* Whether it would have another name if it was asked for again. */
static int is_stale(const tm__known_code *it)
{
    return it && (it->lookup || !it->has_file);
}

/* Forget the addresses that a new module changes. A stack that refers to one is emitted
 * with the names that it had. */
static void forget_code(tm__definitions *all, int all_of_it)
{
    tm__native_stack *stack, *next_stack;
    tm__known_code *code, *next_code;

    HASH_ITER(hh, all->stacks, stack, next_stack)
    {
        int is_gone = all_of_it;

        for (size_t i = 0; i < stack->count; i++)
            is_gone |= is_stale(stack->code[i]);
        if (!is_gone)
            continue;
        HASH_DEL(all->stacks, stack);
        stack->next_gone = all->gone_stacks;
        all->gone_stacks = stack;
    }
    HASH_ITER(hh, all->code, code, next_code)
    {
        if (!all_of_it && !is_stale(code))
            continue;
        HASH_DEL(all->code, code);
        code->next_gone = all->gone_code;
        all->gone_code = code;
    }
}

static int is_same(const tm__module *one, const tm__module *other)
{
    return one->bias == other->bias && one->id_bytes == other->id_bytes &&
           memcmp(one->id, other->id, one->id_bytes) == 0 &&
           (one->id_bytes || strcmp(one->path, other->path) == 0);
}

int tm__module_is_new(const tm__image *image, const tm__module *module)
{
    const tm__definitions *all = image->definitions;

    for (const tm__module *it = all ? all->modules : NULL; it; it = it->next)
        if (is_same(it, module))
            return 0;
    return 1;
}

int tm__module_overlaps(const tm__image *image, const tm__module *module)
{
    const tm__definitions *all = image->definitions;

    for (const tm__module *it = all ? all->modules : NULL; it; it = it->next)
        if (tm__modules_overlap(it, module))
            return 1;
    return 0;
}

void tm__module_add(tm__image *image, tm__module *module)
{
    tm__definitions *all = tm__definitions_of(image);
    size_t bytes = sizeof(*module) + strlen(module->path) + 1;
    tm__module *own = all ? malloc(bytes) : NULL;

    if (own) {
        memcpy(own, module, bytes);
        forget_code(all, tm__modules_add(&all->modules, own));
    }
    tm__lookup_module(image->symbols, module);
}

tm__native_stack *tm__stack_of_frames(tm__image *image, const uint64_t *frames,
                                      size_t count)
{
    tm__definitions *all = tm__definitions_of(image);
    tm__native_stack *it;

    if (!all || count == 0 || count > TM__FRAMES_MOST)
        return NULL;
    HASH_FIND(hh, all->stacks, frames, (unsigned)(count * sizeof(*frames)), it);
    if (it)
        return it;
    it = calloc(1, sizeof(*it) + count * sizeof(*frames));
    if (!it)
        return NULL;
    memcpy(it->frames, frames, count * sizeof(*frames));
    it->count = count;
    it->id = ++all->next_stack;
    HASH_ADD_KEYPTR(hh, all->stacks, it->frames, (unsigned)(count * sizeof(*frames)),
                    it);
    for (size_t i = 0; i < count; i++)
        it->code[i] = code_at(image, frames[i]);
    return it;
}

uint32_t tm__stack_id(const tm__native_stack *stack)
{
    return stack->id;
}

int tm__stack_define(tm__image *image, tm__native_stack *stack)
{
    tm_frame defined[TM__FRAMES_MOST * TM__INLINED_MOST];
    size_t defined_count = 0;
    tm_stack definition = TM_STACK_INIT;

    if (stack->is_defined)
        return 1;
    for (size_t i = 0; i < stack->count; i++)
        if (stack->code[i] && !define_code(image, stack->code[i]))
            return 0;
    for (size_t i = 0; i < stack->count; i++) {
        const tm__known_code *code = stack->code[i];

        if (!code || code->count == 0)
            continue;
        memcpy(defined + defined_count, code->frames, code->count * sizeof(*defined));
        defined_count += code->count;
    }
    stack->is_defined = 1;
    definition.id = stack->id;
    /* Only the caller is known of a call that goes on. */
    definition.flags =
        stack->count == TM__FRAMES_MOST || stack->count == 1 ? TM_STACK_TRUNCATED : 0;
    definition.frames = defined;
    definition.frame_count = defined_count;
    TM__IMAGE_DEFINE(image, define_stack, &definition);
    return 1;
}

const char *tm__stack_function(const tm__native_stack *stack)
{
    return stack->code[0] ? stack->code[0]->function : "";
}

const char *tm__stack_routine(const tm__native_stack *stack)
{
    if (stack->count == TM__FRAMES_MOST || stack->count == 1)
        return "";
    for (size_t i = stack->count; i-- > 0;)
        if (stack->code[i] && stack->code[i]->is_routine)
            return stack->code[i]->function;
    return "";
}

int tm__stacks_define(tm__image *image)
{
    tm__definitions *all = image->definitions;
    tm__native_stack *stack, *next_stack;
    int is_complete = 1;

    HASH_ITER(hh, all->stacks, stack, next_stack)
    {
        is_complete &= tm__stack_define(image, stack);
    }
    for (stack = all->gone_stacks; stack; stack = stack->next_gone)
        is_complete &= tm__stack_define(image, stack);
    return is_complete;
}

static void free_code(tm__known_code *it)
{
    tm__lookup_free(it->lookup);
    free(it->frames);
    free(it);
}

void tm__stacks_free(tm__definitions *all)
{
    tm__known_code *code, *next_code;
    tm__native_stack *stack, *next_stack;

    HASH_ITER(hh, all->stacks, stack, next_stack)
    {
        HASH_DEL(all->stacks, stack);
        free(stack);
    }
    HASH_ITER(hh, all->code, code, next_code)
    {
        HASH_DEL(all->code, code);
        free_code(code);
    }
    while ((code = all->gone_code)) {
        all->gone_code = code->next_gone;
        free_code(code);
    }
    while ((stack = all->gone_stacks)) {
        all->gone_stacks = stack->next_gone;
        free(stack);
    }
    tm__modules_free(all->modules);
}
