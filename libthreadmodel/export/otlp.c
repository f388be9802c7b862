/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of OpenTelemetry, v1development: one message of the profiles and one of all
 * that they refer to by number, whose entry 0 is empty in each list.
 *
 *     resource_profiles ── scope_profiles ── profile   waiters: contentions, delay;
 *                                                      owners: the same of others
 *     dictionary           locations, functions, strings, attributes, stacks
 *
 * A profile has one value a sample, so that there are four. ProfilesData is, field by
 * field, what a collector takes as ExportProfilesServiceRequest.
 */
#include <stdio.h>

#include <threadmodel/version.h>

#include "base/error.h"
#include "export/otlp.h"
#include "export/stack_samples.h"
#include "export/protobuf.h"

/* Numbers of fields, by message, as profiles.proto and common.proto have them. */
enum { DATA_RESOURCE = 1, DATA_DICTIONARY = 2 };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPE = 2, RESOURCE_ATTRIBUTE = 1 };
enum { SCOPE_SCOPE = 1, SCOPE_PROFILE = 2, SCOPE_NAME = 1, SCOPE_VERSION = 2 };
enum { PROFILE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_TIME = 3, PROFILE_DURATION = 4 };
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTE = 2, SAMPLE_VALUE = 4 };
enum {
    DICTIONARY_MAPPING = 1,
    DICTIONARY_LOCATION = 2,
    DICTIONARY_FUNCTION = 3,
    DICTIONARY_LINK = 4,
    DICTIONARY_STRING = 5,
    DICTIONARY_ATTRIBUTE = 6,
    DICTIONARY_STACK = 7
};
enum { LOCATION_LINE = 3, LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_NAME = 1, FUNCTION_FILE = 3 };
enum { STACK_LOCATION = 1 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2, VALUE_TEXT = 1, VALUE_NUMBER = 3 };

typedef struct writer {
    const tm__export *to;
    tm__stack_samples profile;
    tm__message body;
    tm__message dictionary;
    uint32_t dictionary_begin;
    tm__map attributes; ///< by state or class: its number
} writer;

static uint64_t word(writer *self, const char *text)
{
    uint32_t number = 0;

    if (tm__strings_intern(&self->profile.strings, &number, text) < 0)
        self->body.failure = tm__failure();
    return number;
}

/* The number of an attribute, written when it is first asked for. */
static uint32_t attribute(writer *self, const char *key, const char *text)
{
    uint64_t name = word(self, key), id = name << 32 | word(self, text);
    uint32_t number = tm__map_find(&self->attributes, id), begin, value;

    if (number != TM__NONE)
        return number;
    number = self->attributes.count + 1;
    if (tm__map_put(&self->attributes, id, number) < 0)
        self->body.failure = tm__failure();
    begin = tm__message_begin(&self->dictionary, DICTIONARY_ATTRIBUTE);
    tm__message_number(&self->dictionary, ATTRIBUTE_KEY, name);
    value = tm__message_begin(&self->dictionary, ATTRIBUTE_VALUE);
    tm__message_text(&self->dictionary, VALUE_TEXT, text);
    tm__message_end(&self->dictionary, value);
    tm__message_end(&self->dictionary, begin);
    return number;
}

static void put_sample(writer *self, const tm__sample *sample, int64_t value)
{
    uint32_t state = attribute(self, "threadmodel.state", tm_state_name(sample->state));
    uint32_t begin = tm__message_begin(&self->body, PROFILE_SAMPLE);

    tm__message_number(&self->body, SAMPLE_STACK, sample->stack);
    tm__message_number(&self->body, SAMPLE_ATTRIBUTE, state);
    if (sample->class_name)
        tm__message_number(
            &self->body, SAMPLE_ATTRIBUTE,
            attribute(self, "threadmodel.class",
                      tm__strings_get(&self->profile.strings, sample->class_name)));
    tm__message_number(&self->body, SAMPLE_VALUE, (uint64_t)value);
    tm__message_end(&self->body, begin);
}

/* One profile of the samples from `first` on: how often, or for how long. */
static void put_profile(writer *self, uint32_t first, const char *name, int is_total)
{
    uint32_t begin = tm__message_begin(&self->body, SCOPE_PROFILE);
    uint32_t type = tm__message_begin(&self->body, PROFILE_TYPE);
    const char *unit = is_total ? "nanoseconds" : "count";
    int64_t start_ns = tm_model_run(self->to->model)->start_wall_ns;

    tm__message_number(&self->body, TYPE_NAME, word(self, name));
    tm__message_number(&self->body, TYPE_UNIT, word(self, unit));
    tm__message_end(&self->body, type);
    for (uint32_t i = first; i < self->profile.samples_count; i++) {
        const tm__sample *sample = &self->profile.samples[i];

        put_sample(self, sample, is_total ? sample->total_ns : sample->count);
    }
    tm__message_fixed64(&self->body, PROFILE_TIME, (uint64_t)start_ns);
    tm__message_number(&self->body, PROFILE_DURATION,
                       (uint64_t)tm_model_length_ns(self->to->model));
    tm__message_end(&self->body, begin);
}

static int put_side(writer *self, int side)
{
    tm__sample_names values = tm__sample_names_of(side);
    uint32_t first = self->profile.samples_count;
    int rc = tm__stack_samples_add(&self->profile, self->to, side);

    if (rc == TM_OK) {
        put_profile(self, first, values.count, 0);
        put_profile(self, first, values.total, 1);
    }
    return rc;
}

static void put_resource(writer *self)
{
    const tm_run *run = tm_model_run(self->to->model);
    uint32_t begin = tm__message_begin(&self->body, RESOURCE_RESOURCE), item, value;

    if (run->command) {
        item = tm__message_begin(&self->body, RESOURCE_ATTRIBUTE);
        tm__message_text(&self->body, ATTRIBUTE_KEY, "process.command_line");
        value = tm__message_begin(&self->body, ATTRIBUTE_VALUE);
        tm__message_text(&self->body, VALUE_TEXT, run->command);
        tm__message_end(&self->body, value);
        tm__message_end(&self->body, item);
    }
    if (run->pid) {
        item = tm__message_begin(&self->body, RESOURCE_ATTRIBUTE);
        tm__message_text(&self->body, ATTRIBUTE_KEY, "process.pid");
        value = tm__message_begin(&self->body, ATTRIBUTE_VALUE);
        tm__message_number(&self->body, VALUE_NUMBER, run->pid);
        tm__message_end(&self->body, value);
        tm__message_end(&self->body, item);
    }
    tm__message_end(&self->body, begin);
}

static int put_profiles(writer *self)
{
    uint32_t resource = tm__message_begin(&self->body, DATA_RESOURCE), scope, name;
    int version = tm_version(), rc;
    char text[40];

    put_resource(self);
    scope = tm__message_begin(&self->body, RESOURCE_SCOPE);
    name = tm__message_begin(&self->body, SCOPE_SCOPE);
    snprintf(text, sizeof(text), "%d.%d.%d", version / 10000, version / 100 % 100,
             version % 100);
    tm__message_text(&self->body, SCOPE_NAME, "threadmodel");
    tm__message_text(&self->body, SCOPE_VERSION, text);
    tm__message_end(&self->body, name);
    rc = put_side(self, TM_EXPORT_WAITERS);
    if (rc == TM_OK)
        rc = put_side(self, TM_EXPORT_OWNERS);
    tm__message_end(&self->body, scope);
    tm__message_end(&self->body, resource);
    return rc;
}

static void put_nothing(tm__message *message, uint32_t field)
{
    tm__message_end(message, tm__message_begin(message, field));
}

static void begin_dictionary(writer *self)
{
    self->dictionary_begin = tm__message_begin(&self->dictionary, DATA_DICTIONARY);
    put_nothing(&self->dictionary, DICTIONARY_MAPPING);
    put_nothing(&self->dictionary, DICTIONARY_LINK);
    put_nothing(&self->dictionary, DICTIONARY_LOCATION);
    put_nothing(&self->dictionary, DICTIONARY_FUNCTION);
    put_nothing(&self->dictionary, DICTIONARY_ATTRIBUTE);
}

static void put_dictionary(writer *self)
{
    const tm__stack_samples *profile = &self->profile;
    tm__message *out = &self->dictionary;

    for (uint32_t i = 1; i < profile->locations_count; i++) {
        uint32_t begin = tm__message_begin(out, DICTIONARY_LOCATION);
        uint32_t line = tm__message_begin(out, LOCATION_LINE);

        tm__message_number(out, LINE_FUNCTION, profile->locations[i].function);
        tm__message_number(out, LINE_LINE, (uint64_t)profile->locations[i].line);
        tm__message_end(out, line);
        tm__message_end(out, begin);
    }
    for (uint32_t i = 1; i < profile->functions_count; i++) {
        uint32_t begin = tm__message_begin(out, DICTIONARY_FUNCTION);

        tm__message_number(out, FUNCTION_NAME, profile->functions[i].name);
        tm__message_number(out, FUNCTION_FILE, profile->functions[i].file);
        tm__message_end(out, begin);
    }
    for (uint32_t i = 0; i < profile->stacks_count; i++) {
        uint32_t begin = tm__message_begin(out, DICTIONARY_STACK);

        for (uint32_t f = 0; f < profile->stacks[i].count; f++)
            tm__message_number(out, STACK_LOCATION,
                               profile->places[profile->stacks[i].first + f]);
        tm__message_end(out, begin);
    }
    for (uint32_t i = 0; i < profile->strings.count; i++)
        tm__message_text(out, DICTIONARY_STRING, tm__strings_get(&profile->strings, i));
    tm__message_end(out, self->dictionary_begin);
}

int tm__export_otlp(const tm__export *to)
{
    writer self = {
        .to = to, .body = {.memory = to->memory}, .dictionary = {.memory = to->memory}};
    int rc = tm__stack_samples_open(&self.profile, to->memory);

    tm__map_init(&self.attributes, to->memory);
    if (rc == TM_OK) {
        begin_dictionary(&self);
        rc = put_profiles(&self);
    }
    if (rc == TM_OK) {
        put_dictionary(&self);
        rc = self.body.failure < 0 ? self.body.failure : self.dictionary.failure;
    }
    if (rc == TM_OK) {
        tm__output_put(to->output, self.body.bytes, self.body.length);
        tm__output_put(to->output, self.dictionary.bytes, self.dictionary.length);
    }
    tm__message_free(&self.body);
    tm__message_free(&self.dictionary);
    tm__map_clear(&self.attributes);
    tm__stack_samples_free(&self.profile);
    return rc;
}
