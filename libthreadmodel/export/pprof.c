/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile of pprof, as `go tool pprof` reads it, not compressed: fields of one
 * message, each written as it is made.
 *
 *     sample_type   contentions/count, delay/nanoseconds
 *     sample        locations, innermost first; two values; labels state and class
 *     location      a line of a function
 */
#include "base/error.h"
#include "export/pprof.h"
#include "export/stack_samples.h"
#include "export/protobuf.h"

/* Numbers of fields, by message, as profile.proto has them. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME_NS = 9,
    PROFILE_DURATION_NS = 10,
    PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum {
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILE = 4
};

typedef struct writer {
    const tm__export *to;
    tm__stack_samples profile;
    tm__message message; ///< the field in work
} writer;

/* The number of a word; 0 without memory, which the message then says. */
static uint64_t word(writer *self, const char *text)
{
    uint32_t number = 0;

    if (tm__strings_intern(&self->profile.strings, &number, text) < 0)
        self->message.failure = tm__failure();
    return number;
}

static void flush(writer *self)
{
    if (self->message.failure == TM_OK)
        tm__output_put(self->to->output, self->message.bytes, self->message.length);
    self->message.length = 0;
}

static void put_type(writer *self, const char *name, const char *unit)
{
    uint32_t begin = tm__message_begin(&self->message, PROFILE_SAMPLE_TYPE);

    tm__message_number(&self->message, TYPE_NAME, word(self, name));
    tm__message_number(&self->message, TYPE_UNIT, word(self, unit));
    tm__message_end(&self->message, begin);
}

static void put_head(writer *self)
{
    tm__sample_names values = tm__sample_names_of(self->to->options->side);
    int64_t start_ns = tm_model_run(self->to->model)->start_wall_ns;

    put_type(self, values.count, "count");
    put_type(self, values.total, "nanoseconds");
    tm__message_number(&self->message, PROFILE_DEFAULT_TYPE, word(self, values.total));
    tm__message_number(&self->message, PROFILE_TIME_NS, (uint64_t)start_ns);
    tm__message_number(&self->message, PROFILE_DURATION_NS,
                       (uint64_t)tm_model_length_ns(self->to->model));
    flush(self);
}

static void put_label(writer *self, const char *key, uint64_t text)
{
    uint32_t begin = tm__message_begin(&self->message, SAMPLE_LABEL);

    tm__message_number(&self->message, LABEL_KEY, word(self, key));
    tm__message_number(&self->message, LABEL_TEXT, text);
    tm__message_end(&self->message, begin);
}

static void put_sample(writer *self, const tm__sample *sample)
{
    const tm__frames *stack = &self->profile.stacks[sample->stack];
    uint32_t begin = tm__message_begin(&self->message, PROFILE_SAMPLE);

    for (uint32_t i = 0; i < stack->count; i++)
        tm__message_number(&self->message, SAMPLE_LOCATION,
                           self->profile.places[stack->first + i]);
    tm__message_number(&self->message, SAMPLE_VALUE, (uint64_t)sample->count);
    tm__message_number(&self->message, SAMPLE_VALUE, (uint64_t)sample->total_ns);
    put_label(self, "state", word(self, tm_state_name(sample->state)));
    if (sample->class_name)
        put_label(self, "class", sample->class_name);
    tm__message_end(&self->message, begin);
    flush(self);
}

static void put_location(writer *self, uint32_t number)
{
    const tm__location *it = &self->profile.locations[number];
    uint32_t begin = tm__message_begin(&self->message, PROFILE_LOCATION), line;

    tm__message_number(&self->message, LOCATION_ID, number);
    line = tm__message_begin(&self->message, LOCATION_LINE);
    tm__message_number(&self->message, LINE_FUNCTION, it->function);
    tm__message_number(&self->message, LINE_LINE, (uint64_t)it->line);
    tm__message_end(&self->message, line);
    tm__message_end(&self->message, begin);
    flush(self);
}

static void put_function(writer *self, uint32_t number)
{
    const tm__function *it = &self->profile.functions[number];
    uint32_t begin = tm__message_begin(&self->message, PROFILE_FUNCTION);

    tm__message_number(&self->message, FUNCTION_ID, number);
    tm__message_number(&self->message, FUNCTION_NAME, it->name);
    tm__message_number(&self->message, FUNCTION_SYSTEM_NAME, it->name);
    tm__message_number(&self->message, FUNCTION_FILE, it->file);
    tm__message_end(&self->message, begin);
    flush(self);
}

/* Strings come last: words of the format are among them. */
static void put_profile(writer *self)
{
    const tm__stack_samples *profile = &self->profile;

    put_head(self);
    for (uint32_t i = 0; i < profile->samples_count; i++)
        put_sample(self, &profile->samples[i]);
    for (uint32_t i = 1; i < profile->locations_count; i++)
        put_location(self, i);
    for (uint32_t i = 1; i < profile->functions_count; i++)
        put_function(self, i);
    for (uint32_t i = 0; i < profile->strings.count; i++) {
        tm__message_text(&self->message, PROFILE_STRING,
                         tm__strings_get(&profile->strings, i));
        flush(self);
    }
}

int tm__export_pprof(const tm__export *to)
{
    writer self = {.to = to, .message = {.memory = to->memory}};
    int rc = tm__stack_samples_open(&self.profile, to->memory);

    if (rc == TM_OK)
        rc = tm__stack_samples_add(&self.profile, to, to->options->side);
    if (rc == TM_OK) {
        put_profile(&self);
        rc = self.message.failure;
    }
    tm__message_free(&self.message);
    tm__stack_samples_free(&self.profile);
    return rc;
}
