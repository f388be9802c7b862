/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TPTP XML in, as a stream of any length: expat parses, tptp_elements.c understands. A
 * trace may be a document, or a row of elements without a root, as profilers sent them
 * down a socket; those get a root here, which no error's offset counts.
 *
 * A document type is read over, but none of these traces declares an entity: one that
 * does is refused at the declaration, before it can grow.
 */
#include "formats/tptp/tptp_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/tptp/tptp_elements.h"

static int is_space(uint8_t letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

/* Behind a byte order mark and blanks. */
static size_t text_start(const uint8_t *bytes, size_t length)
{
    size_t at = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (at < length && is_space(bytes[at]))
        at++;
    return at;
}

/* Among the first bytes of XML is an element of ours. */
static int probe(const uint8_t *bytes, size_t length)
{
    size_t at = text_start(bytes, length);

    if (at == length || bytes[at] != '<')
        return 0;
    for (; at < length; at++) {
        size_t name = at + 1, end = name;

        if (bytes[at] != '<')
            continue;
        while (end < length && !is_space(bytes[end]) && bytes[end] != '>' &&
               bytes[end] != '/')
            end++;
        if (tm__tptp_is_element((const char *)bytes + name, end - name))
            return 1;
    }
    return 0;
}

#ifndef TM_WITHOUT_EXPAT
#include <expat.h>

enum { PART_BYTES = 1 << 16, DEPTH = 256, SECOND_NS = 1000000000 };

static const char root_start[] = "<tptp>", root_end[] = "</tptp>";

typedef struct reader {
    tm__input *input;
    XML_Parser parser;
    tm__tptp_trace trace;
    uint64_t offset;     ///< of the next part
    uint64_t root_bytes; ///< that were put before the file's own
    uint32_t depth;
    enum { STARTING, READING, CONCLUDING, DONE } state;
    int rc;              ///< of what an element did to the sink
    const char *refused; ///< why the parser was stopped; NULL: it was not
    int has_own_root;
    int is_suspended; ///< behind an element that failed
} reader;

static uint64_t offset_now(const reader *self)
{
    XML_Index index = XML_GetCurrentByteIndex(self->parser);

    return index < 0 || (uint64_t)index < self->root_bytes
               ? 0
               : (uint64_t)index - self->root_bytes;
}

static void refuse(reader *self, const char *why)
{
    self->refused = why;
    XML_StopParser(self->parser, XML_FALSE);
}

static void on_start(void *payload, const XML_Char *name, const XML_Char **attributes)
{
    reader *self = payload;

    if (self->depth++ == DEPTH) {
        refuse(self, "elements are nested too deeply");
        return;
    }
    /* After stop() expat may still report the end of an empty element. */
    if (self->rc >= 0)
        self->rc =
            tm__tptp_trace_read(&self->trace, name, attributes, offset_now(self));
    /* Where it failed for memory or the sink, the next call goes on behind it. */
    if (self->rc < 0)
        XML_StopParser(self->parser, XML_TRUE);
}

static void on_end(void *payload, const XML_Char *name)
{
    reader *self = payload;

    (void)name;
    self->depth--;
}

static void on_entity(void *payload, const XML_Char *name, int is_parameter,
                      const XML_Char *value, int length, const XML_Char *base,
                      const XML_Char *system, const XML_Char *public_id,
                      const XML_Char *notation)
{
    reader *self = payload;

    (void)name, (void)is_parameter, (void)value, (void)length;
    (void)base, (void)system, (void)public_id, (void)notation;
    refuse(self, "it declares an entity");
}

static void reader_close(void *payload)
{
    reader *self = payload;

    if (self->parser)
        XML_ParserFree(self->parser);
    tm__tptp_trace_free(&self->trace);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    reader *self = payload;

    self->input = input;
    tm__tptp_trace_init(&self->trace, memory, options->time_unit_ns);
    if (options->time_unit_ns < 0)
        return tm__fail(TM_EINVAL, "invalid time unit: %lld ns",
                        (long long)options->time_unit_ns);
    self->parser = XML_ParserCreate(NULL);
    if (!self->parser)
        return tm__fail(TM_ENOMEM, "out of memory");
    XML_SetUserData(self->parser, self);
    XML_SetElementHandler(self->parser, on_start, on_end);
    XML_SetEntityDeclHandler(self->parser, on_entity);
    return TM_OK;
}

static const void *find_text(const uint8_t *bytes, size_t length, const char *text)
{
    size_t wanted = strlen(text);

    for (size_t i = 0; i + wanted <= length; i++)
        if (memcmp(bytes + i, text, wanted) == 0)
            return bytes + i;
    return NULL;
}

/* A declaration or a document type can only stand before a root of the file's own. */
static int begin(reader *self)
{
    const uint8_t *bytes = NULL;
    size_t available;
    int rc = tm__input_view(self->input, 0, TM__PROBE_BYTES, &bytes, &available);

    if (rc < 0)
        return rc;
    if (available == 0)
        return TM_OK;
    self->has_own_root = find_text(bytes, available, "<!DOCTYPE") != NULL ||
                         bytes[text_start(bytes, available)] != '<';
    if (!self->has_own_root) {
        size_t at = text_start(bytes, available);
        const uint8_t *end = NULL;

        if (available - at > 5 && memcmp(bytes + at, "<?xml", 5) == 0)
            end = find_text(bytes, available, "?>");
        if (end) {
            size_t length = (size_t)(end - bytes) + 2;

            if (XML_Parse(self->parser, (const char *)bytes, (int)length, 0) !=
                XML_STATUS_OK)
                return TM_OK;
            self->offset = length;
        }
        self->root_bytes = sizeof(root_start) - 1;
        XML_Parse(self->parser, root_start, sizeof(root_start) - 1, 0);
    }
    return TM_OK;
}

static int emit_run(const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run), .policy = TM_POLICY_TPTP};

    for (int kind = 1; kind <= TM_EVENT_SLEPT; kind++)
        run.kinds |= UINT64_C(1) << kind;
    return sink->run(sink->payload, &run);
}

/* The parser gave up: at what, and where. */
static int note_failure(reader *self)
{
    const char *why = self->refused;

    self->state = CONCLUDING;
    if (!why)
        why = XML_ErrorString(XML_GetErrorCode(self->parser));
    return tm__notes_damage(&self->trace.notes, "not read from byte %llu on: %s",
                            (unsigned long long)offset_now(self), why);
}

/* The result of parsing. */
static int settle(reader *self, enum XML_Status status)
{
    int rc = self->rc;

    if (status == XML_STATUS_OK)
        return TM_OK;
    if (status == XML_STATUS_SUSPENDED) {
        self->is_suspended = 1;
        self->rc = TM_OK;
        return rc;
    }
    if (XML_GetErrorCode(self->parser) == XML_ERROR_NO_MEMORY)
        return tm__fail(TM_ENOMEM, "out of memory");
    return note_failure(self);
}

static int parse(reader *self, const char *bytes, size_t count, int is_final)
{
    return settle(self, XML_Parse(self->parser, bytes, (int)count, is_final));
}

static int end_of_file(reader *self)
{
    self->state = CONCLUDING;
    if (self->has_own_root)
        return parse(self, "", 0, 1);
    if (self->depth > 1)
        return tm__notes_damage(&self->trace.notes,
                                "cut at byte %llu: elements are open",
                                (unsigned long long)self->offset);
    return parse(self, root_end, sizeof(root_end) - 1, 1);
}

static int read_part(reader *self)
{
    const uint8_t *bytes = NULL;
    size_t available;
    int rc;

    if (self->is_suspended) {
        self->is_suspended = 0;
        return settle(self, XML_ResumeParser(self->parser));
    }
    rc = tm__input_view(self->input, self->offset, PART_BYTES, &bytes, &available);
    if (rc < 0)
        return rc;
    if (available == 0)
        return end_of_file(self);
    self->offset += available;
    return parse(self, (const char *)bytes, available, 0);
}

static int conclude(reader *self)
{
    tm__tptp_trace *trace = &self->trace;
    uint64_t reused = trace->threads.reused + trace->objects.reused;
    int rc = trace->unit_ns == SECOND_NS
                 ? tm__notes_caveat(
                       &trace->notes,
                       "TPTP traces state no unit of time: seconds were assumed.")
                 : TM_OK;

    if (rc == TM_OK)
        rc = tm__notes_caveat(&trace->notes,
                              "TPTP traces have no stacks: methods are not known.");
    if (rc == TM_OK && reused)
        rc = tm__notes_caveat(
            &trace->notes,
            "%llu ids were reused for another object, and are distinguished.",
            (unsigned long long)reused);
    self->state = DONE;
    return rc;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = TM_OK;

    self->trace.sink = sink;
    switch (self->state) {
    case STARTING:
        rc = emit_run(sink);
        if (rc >= 0)
            rc = begin(self);
        if (rc >= 0)
            self->state = READING;
        return rc < 0 ? rc : TM_MORE;
    case READING: rc = read_part(self); break;
    case CONCLUDING: rc = conclude(self); break;
    case DONE: return tm__notes_conclude(&self->trace.notes, sink, self->input->path);
    }
    if (rc >= 0)
        rc = tm__notes_emit(&self->trace.notes, sink);
    return rc < 0 ? rc : TM_MORE;
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->offset;
}

const tm__format tm__format_tptp = {
    .name = "tptp",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
};

#else

const tm__format tm__format_tptp = {.name = "tptp", .probe = probe};

#endif
