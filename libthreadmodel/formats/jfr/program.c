/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types as short programs. A type's fields are compiled once a chunk to steps that
 * store what is wanted and jump over the rest; fields in a row that nobody wants and
 * that lie alike become one step.
 *
 * Work is bounded by the bytes there are: each step reads at least one, since a type
 * without fields that is not primitive is refused, and structs nest only so deep.
 */
#include "base/error.h"
#include "formats/jfr/jfr_metadata.h"
#include "formats/jfr/program.h"

enum { MAX_DEPTH = 16 };
enum state { FRESH, COMPILING, READY, WRONG };

/* The layout of values of a primitive type; -1: not a primitive type. */
static int primitive_shape(const char *name)
{
    static const struct {
        const char *name;
        int shape;
    } primitives[] = {
        {"long", TM__JFR_SHAPE_NUMBER},  {"int", TM__JFR_SHAPE_INT},
        {"boolean", TM__JFR_SHAPE_BYTE}, {"java.lang.String", TM__JFR_SHAPE_TEXT},
        {"short", TM__JFR_SHAPE_SHORT},  {"byte", TM__JFR_SHAPE_BYTE},
        {"char", TM__JFR_SHAPE_NUMBER},  {"float", TM__JFR_SHAPE_FOUR},
        {"double", TM__JFR_SHAPE_EIGHT},
    };

    for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
        if (strcmp(name, primitives[i].name) == 0)
            return primitives[i].shape;
    return -1;
}

static int make_skipper(tm__jfr_metadata *metadata, uint32_t type);

/* How a value of a type lies that is written out, not by a key. */
static int find_shape(tm__jfr_metadata *metadata, uint32_t type, tm__jfr_step *step)
{
    const tm__jfr_type *it = &metadata->types[type];
    int shape = it->field_count ? -1 : primitive_shape(tm__jfr_type_name(metadata, it));

    step->detail = 1;
    if (shape >= 0) {
        step->shape = (uint8_t)shape;
        return TM_OK;
    }
    if (!it->field_count)
        return TM_EDAMAGED;
    step->shape = TM__JFR_SHAPE_STRUCT;
    step->detail = type;
    return make_skipper(metadata, type);
}

static int find_step(tm__jfr_metadata *metadata, const tm__jfr_field *field,
                     tm__jfr_step *step)
{
    uint32_t type;

    *step = (tm__jfr_step){.shape = TM__JFR_SHAPE_NUMBER,
                           .is_array = field->is_array,
                           .slot = TM__JFR_UNWANTED,
                           .unit = field->unit,
                           .detail = 1};
    if (field->is_constant)
        return TM_OK;
    type = tm__map_find(&metadata->type_map, field->type_id);
    return type == TM__NONE ? TM_EDAMAGED : find_shape(metadata, type, step);
}

static int find_slot(const tm__jfr_metadata *metadata, const tm__jfr_field *field,
                     const tm__jfr_step *step, const char *const *names,
                     size_t name_count, uint64_t texts)
{
    const char *name = tm__strings_get(&metadata->strings, field->name);

    for (size_t i = 0; name && i < name_count; i++) {
        int is_place = step->is_array || step->shape == TM__JFR_SHAPE_TEXT;

        if (!names[i] || strcmp(names[i], name) != 0)
            continue;
        if (is_place != (int)(texts >> i & 1) ||
            (!is_place && step->shape > TM__JFR_SHAPE_BYTE))
            return TM__JFR_UNWANTED;
        return (int)i;
    }
    return TM__JFR_UNWANTED;
}

static int is_skipped_alike(const tm__jfr_step *left, const tm__jfr_step *right)
{
    return left->slot == TM__JFR_UNWANTED && right->slot == TM__JFR_UNWANTED &&
           !left->is_array && !right->is_array && left->shape == right->shape &&
           left->shape <= TM__JFR_SHAPE_EIGHT;
}

static int add_step(tm__jfr_metadata *metadata, tm__jfr_program *program,
                    tm__jfr_step step)
{
    if (step.slot == TM__JFR_UNWANTED && step.shape <= TM__JFR_SHAPE_SHORT)
        step.shape = TM__JFR_SHAPE_NUMBER;
    if (program->count > 0) {
        tm__jfr_step *last = &metadata->steps[program->first + program->count - 1];

        if (is_skipped_alike(last, &step)) {
            last->detail++;
            return TM_OK;
        }
    }
    if (tm__reserve(metadata->memory, &metadata->steps, &metadata->step_capacity,
                    (size_t)metadata->step_count + 1, sizeof(*metadata->steps)) < 0)
        return tm__failure();
    metadata->steps[metadata->step_count++] = step;
    program->count++;
    return TM_OK;
}

/* Structs inside are compiled first: a program's own steps lie side by side. */
static int compile_inner(tm__jfr_metadata *metadata, uint32_t type)
{
    tm__jfr_type *it = &metadata->types[type];

    it->depth = 0;
    for (uint32_t i = 0; i < it->field_count; i++) {
        tm__jfr_step step;
        int rc = find_step(metadata, &metadata->fields[it->field_first + i], &step);

        if (rc < 0)
            return rc;
        if (step.shape == TM__JFR_SHAPE_STRUCT &&
            metadata->types[step.detail].depth >= it->depth)
            it->depth = (uint8_t)(metadata->types[step.detail].depth + 1);
    }
    return it->depth > MAX_DEPTH ? TM_EDAMAGED : TM_OK;
}

int tm__jfr_compile(tm__jfr_metadata *metadata, tm__jfr_program *program, uint32_t type,
                    const char *const *names, size_t name_count, uint64_t texts)
{
    const tm__jfr_type *it = &metadata->types[type];
    int rc = compile_inner(metadata, type);

    if (rc < 0)
        return rc;
    *program = (tm__jfr_program){.first = metadata->step_count};
    for (uint32_t i = 0; i < it->field_count && rc == TM_OK; i++) {
        const tm__jfr_field *field = &metadata->fields[it->field_first + i];
        tm__jfr_step step;

        rc = find_step(metadata, field, &step);
        if (rc < 0)
            return rc;
        step.slot =
            (uint8_t)find_slot(metadata, field, &step, names, name_count, texts);
        rc = add_step(metadata, program, step);
    }
    return rc;
}

/* The program that steps over a whole value of a type. */
static int make_skipper(tm__jfr_metadata *metadata, uint32_t type)
{
    tm__jfr_type *it = &metadata->types[type];
    int rc;

    if (it->state == READY)
        return TM_OK;
    /* It contains itself, or something wrong, or is one of too many in a row. */
    if (it->state != FRESH || metadata->nesting == MAX_DEPTH)
        return TM_EDAMAGED;
    it->state = COMPILING;
    metadata->nesting++;
    rc = tm__jfr_compile(metadata, &it->skipper, type, NULL, 0, 0);
    metadata->nesting--;
    it->state = rc == TM_OK ? READY : rc == TM_EDAMAGED ? WRONG : FRESH;
    return rc;
}

int tm__jfr_type_skipper(tm__jfr_metadata *metadata, uint32_t type,
                         tm__jfr_program *program)
{
    int rc = make_skipper(metadata, type);

    *program = metadata->types[type].skipper;
    return rc;
}

static void skip_values(const tm__jfr_metadata *metadata, const tm__jfr_step *step,
                        tm__jfr_cursor *cursor, uint64_t count)
{
    switch (step->shape) {
    case TM__JFR_SHAPE_BYTE: tm__jfr_skip(cursor, count); break;
    case TM__JFR_SHAPE_FOUR:
    case TM__JFR_SHAPE_EIGHT: {
        unsigned bytes = step->shape == TM__JFR_SHAPE_FOUR ? 4 : 8;

        if (count > UINT64_MAX / bytes)
            tm__jfr_break(cursor);
        else
            tm__jfr_skip(cursor, count * bytes);
        break;
    }
    case TM__JFR_SHAPE_TEXT:
        for (; count > 0 && !cursor->is_broken; count--)
            tm__jfr_skip_text(cursor);
        break;
    case TM__JFR_SHAPE_STRUCT:
        for (; count > 0 && !cursor->is_broken; count--)
            tm__jfr_run(metadata, metadata->types[step->detail].skipper, cursor, NULL,
                        NULL);
        break;
    default: tm__jfr_skip_numbers(cursor, count);
    }
}

void tm__jfr_run(const tm__jfr_metadata *metadata, tm__jfr_program program,
                 tm__jfr_cursor *cursor, const uint8_t *base, uint64_t *values)
{
    for (uint32_t i = 0; i < program.count; i++) {
        const tm__jfr_step *step = &metadata->steps[program.first + i];
        uint64_t value;

        if (step->slot == TM__JFR_UNWANTED || step->is_array ||
            step->shape >= TM__JFR_SHAPE_FOUR) {
            if (step->slot != TM__JFR_UNWANTED)
                values[step->slot] = (uint64_t)(cursor->at - base);
            skip_values(metadata, step, cursor,
                        step->is_array                        ? tm__jfr_number(cursor)
                        : step->shape == TM__JFR_SHAPE_STRUCT ? 1
                                                              : step->detail);
            continue;
        }
        if (step->shape == TM__JFR_SHAPE_BYTE) {
            values[step->slot] = tm__jfr_byte(cursor);
            continue;
        }
        value = tm__jfr_number(cursor);
        if (step->shape == TM__JFR_SHAPE_INT)
            value = (uint64_t)(int64_t)(int32_t)value;
        else if (step->shape == TM__JFR_SHAPE_SHORT)
            value = (uint64_t)(int64_t)(int16_t)value;
        values[step->slot] = value;
    }
}

int tm__jfr_unit_of(const tm__jfr_metadata *metadata, tm__jfr_program program,
                    unsigned slot)
{
    for (uint32_t i = 0; i < program.count; i++)
        if (metadata->steps[program.first + i].slot == slot)
            return metadata->steps[program.first + i].unit;
    return -1;
}

uint32_t tm__jfr_element_of(const tm__jfr_metadata *metadata, tm__jfr_program program,
                            unsigned slot)
{
    for (uint32_t i = 0; i < program.count; i++) {
        const tm__jfr_step *step = &metadata->steps[program.first + i];

        if (step->slot == slot && step->is_array && step->shape == TM__JFR_SHAPE_STRUCT)
            return step->detail;
    }
    return TM__NONE;
}
