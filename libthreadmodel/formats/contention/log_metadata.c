/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata: one line a class, one line a method, in one file or in two.
 *
 *     Ljava/util/HashMap;,HashMap.java
 *     0000002A,put,(Ljava/lang/Object;)V,Ljava/util/HashMap;,2,00000000,610,00000009,611
 *
 * A class's line begins with the class's descriptor and a method's with digits, so the
 * two kinds of line may come in any order and in either file.
 */
#include "formats/contention/log_metadata.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "formats/contention/log_line.h"
#include "formats/descriptor.h"
#include "formats/lines.h"

enum { METHOD_DIGITS = 16, LOCATION_DIGITS = 16 };

void tm__log_metadata_init(tm__log_metadata *metadata, tm__memory *memory,
                           tm__notes *notes)
{
    *metadata = (tm__log_metadata){.memory = memory, .notes = notes};
    tm__strings_init(&metadata->texts, memory);
    tm__map_init(&metadata->class_map, memory);
    tm__map_init(&metadata->method_map, memory);
}

/* The class of a descriptor, made where it is new. */
static int intern_class(tm__log_metadata *metadata, const char *text, size_t length,
                        uint32_t *index)
{
    size_t name_length;
    uint32_t name;
    int rc;

    if (tm__reserve(metadata->memory, &metadata->text, &metadata->text_capacity,
                    2 * length + TM__DESCRIPTOR_ROOM, 1) < 0)
        return tm__failure();
    name_length = tm__descriptor_write_class(metadata->text, text, length);
    rc = tm__strings_intern_bytes(&metadata->texts, &name, metadata->text, name_length);
    if (rc < 0)
        return rc;
    *index = tm__map_find(&metadata->class_map, name);
    if (*index != TM__NONE)
        return TM_OK;
    if (tm__reserve(metadata->memory, &metadata->classes, &metadata->class_capacity,
                    (size_t)metadata->class_count + 1,
                    sizeof(*metadata->classes)) < 0 ||
        tm__map_put(&metadata->class_map, name, metadata->class_count) < 0)
        return tm__failure();
    *index = metadata->class_count++;
    metadata->classes[*index] = (tm__log_class){name, TM__NONE};
    return TM_OK;
}

static int read_class(tm__log_metadata *metadata, const char *at, const char *end,
                      const char **why)
{
    const char *after = tm__descriptor_end(at, end);
    uint32_t index;
    int rc;

    *why = "the class is not a descriptor followed by a comma";
    if (!after || after == end || *after != ',')
        return TM_OK;
    *why = NULL;
    rc = intern_class(metadata, at, (size_t)(after - at), &index);
    if (rc < 0 || after + 1 == end)
        return rc;
    return tm__strings_intern_bytes(&metadata->texts, &metadata->classes[index].source,
                                    after + 1, (size_t)(end - after - 1));
}

static const char *decimal(const char *at, const char *end, int32_t *value)
{
    const char *start = at;

    for (*value = 0; at < end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, *at - '0', value))
            return NULL;
    return at == start ? NULL : at;
}

/* ",location,line" */
static const char *line_entry(const char *at, const char *end, tm_line *line)
{
    uint64_t location;

    if (at == end || *at != ',')
        return NULL;
    at = tm__log_hex(at + 1, end, LOCATION_DIGITS, &location);
    if (!at || at == end || *at != ',' || location > INT64_MAX)
        return NULL;
    line->location = (int64_t)location;
    return decimal(at + 1, end, &line->line);
}

/* "2,LOCATION,LINE,LOCATION,LINE", or "-1" for none. @return 1, 0, TM_ENOMEM */
static int line_table(tm__log_metadata *metadata, const char *at, const char *end,
                      tm__log_method *method)
{
    int32_t count;

    if (end - at == 2 && memcmp(at, "-1", 2) == 0)
        return 1;
    at = decimal(at, end, &count);
    if (!at || count > (end - at) / 4)
        return 0;
    if (tm__reserve(metadata->memory, &metadata->lines, &metadata->line_capacity,
                    (size_t)metadata->line_count + (size_t)count,
                    sizeof(*metadata->lines)) < 0)
        return tm__failure();
    method->first_line = metadata->line_count;
    for (int32_t i = 0; i < count && at; i++) {
        tm_line *line = &metadata->lines[metadata->line_count + (uint32_t)i];

        *line = (tm_line){0};
        at = line_entry(at, end, line);
    }
    if (at != end)
        return 0;
    method->line_count = (uint32_t)count;
    metadata->line_count += (uint32_t)count;
    return 1;
}

static int add_method(tm__log_metadata *metadata, uint64_t number,
                      const tm__log_method *method)
{
    uint32_t index = tm__map_find(&metadata->method_map, number);

    if (index == TM__NONE) {
        if (tm__reserve(metadata->memory, &metadata->methods,
                        &metadata->method_capacity, (size_t)metadata->method_count + 1,
                        sizeof(*method)) < 0 ||
            tm__map_put(&metadata->method_map, number, metadata->method_count) < 0)
            return tm__failure();
        index = metadata->method_count++;
    }
    metadata->methods[index] = *method;
    return TM_OK;
}

static int read_method(tm__log_metadata *metadata, const char *at, const char *end,
                       const char **why)
{
    tm__log_method method = {0};
    const char *name, *signature, *class_;
    uint64_t number;
    int rc;

    *why = "the method's number is not hexadecimal";
    at = tm__log_hex(at, end, METHOD_DIGITS, &number);
    if (!at || at == end || *at != ',')
        return TM_OK;
    *why = "the method has no signature";
    name = ++at;
    do
        at = at < end ? memchr(at + 1, ',', (size_t)(end - at - 1)) : NULL;
    while (at && (end - at < 2 || (at[1] != '(' && at[1] != ',')));
    if (!at)
        return TM_OK;
    signature = at + 1;
    class_ = *signature == ',' ? signature : tm__descriptor_method_end(signature, end);
    if (!class_ || class_ == end || *class_ != ',')
        return TM_OK;
    rc = tm__strings_intern_bytes(&metadata->texts, &method.name, name,
                                  (size_t)(at - name));
    method.signature = TM__NONE;
    if (rc == TM_OK && class_ > signature)
        rc = tm__strings_intern_bytes(&metadata->texts, &method.signature, signature,
                                      (size_t)(class_ - signature));
    if (rc < 0)
        return rc;
    *why = "the method's class is not a descriptor";
    at = tm__descriptor_end(++class_, end);
    if (!at || at == end || *at != ',')
        return TM_OK;
    rc = intern_class(metadata, class_, (size_t)(at - class_), &method.class_);
    if (rc < 0)
        return rc;
    *why = "the line table is not as long as it says";
    rc = line_table(metadata, at + 1, end, &method);
    if (rc <= 0)
        return rc;
    *why = NULL;
    return add_method(metadata, number, &method);
}

int tm__log_metadata_is_line(const char *text, size_t length)
{
    const char *end = text + length, *after;
    uint64_t number;

    after = tm__descriptor_end(text, end);
    if (after)
        return after < end && *after == ',';
    after = tm__log_hex(text, end, METHOD_DIGITS, &number);
    return after && after < end && *after == ',' &&
           memchr(after, '(', (size_t)(end - after)) != NULL;
}

static int read_line(tm__log_metadata *metadata, const tm__lines *lines,
                     const char **why)
{
    const char *end = lines->text + lines->length;

    *why = NULL;
    if (lines->length == 0)
        return TM_OK;
    if (lines->is_too_long) {
        *why = "the line has over a million bytes";
        return TM_OK;
    }
    if (*lines->text == 'L' || *lines->text == '[')
        return read_class(metadata, lines->text, end, why);
    return read_method(metadata, lines->text, end, why);
}

static int read_file(tm__log_metadata *metadata, tm__input *input)
{
    tm__lines lines = {.input = input};
    int rc;

    metadata->file_count++;
    while ((rc = tm__lines_next(&lines)) == TM_MORE) {
        const char *why;

        rc = read_line(metadata, &lines, &why);
        if (rc == TM_OK && why)
            rc = tm__notes_damage(metadata->notes, "%s, the line at byte %llu: %s",
                                  input->path, (unsigned long long)lines.start, why);
        if (rc == TM_OK)
            rc = tm__lines_skip(&lines);
        if (rc < 0)
            return rc;
    }
    return rc;
}

static int load_beside(tm__log_metadata *metadata, const char *log_path, size_t stem,
                       const char *extension)
{
    struct stat status;
    tm__input input;
    char *path;
    int rc;

    if (tm__reserve(metadata->memory, &metadata->text, &metadata->text_capacity,
                    stem + strlen(extension) + 1, 1) < 0)
        return tm__failure();
    path = metadata->text;
    memcpy(path, log_path, stem);
    strcpy(path + stem, extension);
    if (strcmp(path, log_path) == 0 || stat(path, &status) < 0)
        return TM_OK;
    rc = tm__input_open(&input, metadata->memory, path);
    if (rc < 0)
        return rc;
    rc = read_file(metadata, &input);
    tm__input_close(&input);
    return rc;
}

int tm__log_metadata_load(tm__log_metadata *metadata, const char *log_path)
{
    static const char *const extensions[] = {".classtable", ".method", ".meta"};
    const char *name = strrchr(log_path, '/');
    const char *dot = strrchr(name ? name : log_path, '.');
    size_t whole = strlen(log_path);
    size_t stems[] = {dot ? (size_t)(dot - log_path) : whole, whole};
    int rc = TM_OK;

    for (size_t i = dot ? 0 : 1; i < 2 && metadata->file_count == 0; i++)
        for (size_t k = 0; rc == TM_OK && k < 3; k++)
            rc = load_beside(metadata, log_path, stems[i], extensions[k]);
    return rc;
}

uint32_t tm__log_metadata_method(const tm__log_metadata *metadata, uint64_t number)
{
    uint32_t index = tm__map_find(&metadata->method_map, number);

    /* The document has 64 bits in stacks and 32 here. */
    return index == TM__NONE && number > UINT32_MAX
               ? tm__map_find(&metadata->method_map, (uint32_t)number)
               : index;
}

void tm__log_metadata_free(tm__log_metadata *metadata)
{
    tm__memory *memory = metadata->memory;

    tm__strings_clear(&metadata->texts);
    tm__map_clear(&metadata->class_map);
    tm__map_clear(&metadata->method_map);
    tm__free(memory, metadata->classes,
             metadata->class_capacity * sizeof(*metadata->classes));
    tm__free(memory, metadata->methods,
             metadata->method_capacity * sizeof(*metadata->methods));
    tm__free(memory, metadata->lines,
             metadata->line_capacity * sizeof(*metadata->lines));
    tm__free(memory, metadata->text, metadata->text_capacity);
}

int tm__log_metadata_refuse(tm__input *input)
{
    tm__lines lines = {.input = input};
    int rc = tm__lines_next(&lines);

    if (rc == TM_MORE && tm__log_metadata_is_line(lines.text, lines.length))
        return tm__fail(TM_EFORMAT,
                        "%s: the metadata of a contention log, which is read with it: "
                        "open the log",
                        input->path);
    return rc < 0 ? rc : TM_OK;
}
