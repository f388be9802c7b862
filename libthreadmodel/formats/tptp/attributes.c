/* SPDX-License-Identifier: Apache-2.0 */
/* An element has some five attributes: looking through them is the fastest. */
#include "formats/tptp/attributes.h"

#include <string.h>

#include "base/error.h"

const tm__tptp_names tm__tptp_thread = {{"threadIdRef", "threadId"},
                                        {"transientThreadIdRef", "transientThreadId"}};
const tm__tptp_names tm__tptp_object = {{"objIdRef", "objId"},
                                        {"transientObjIdRef", "transientObjId"}};
const tm__tptp_names tm__tptp_class = {{"classIdRef", "classId"},
                                       {"transientClassIdRef", "transientClassId"}};

const char *tm__tptp_attribute(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

int tm__tptp_is_one(const char **attributes, const char *name)
{
    const char *text = tm__tptp_attribute(attributes, name);

    return text && strcmp(text, "1") == 0;
}

/* The id under one of the four names, in order. @return NULL: none is there */
static const char *id_at(const char **attributes, const tm__tptp_names *names,
                         int place)
{
    const char *name = place < 2 ? names->stable[place] : names->transient[place - 2];
    const char *text = tm__tptp_attribute(attributes, name);

    return text && *text ? text : NULL;
}

const char *tm__tptp_id(const char **attributes, const tm__tptp_names *names,
                        int *is_transient)
{
    const char *text = NULL;

    for (int place = 0; !text && place < 4; place++) {
        *is_transient = place >= 2;
        text = id_at(attributes, names, place);
    }
    return text;
}

int tm__tptp_find(const char **attributes, const tm__tptp_names *names,
                  tm__tptp_ids *ids, tm__tptp_entity **entity)
{
    int is_transient, rc;
    const char *text = tm__tptp_id(attributes, names, &is_transient);

    if (!text)
        return 0;
    rc = tm__tptp_ids_find(ids, text, is_transient, entity);
    return rc < 0 ? rc : 1;
}

/* @param entity  NULL: nothing any more */
static int set_all(const char **attributes, const tm__tptp_names *names,
                   tm__tptp_ids *ids, const tm__tptp_entity *entity)
{
    int rc = TM_OK;

    for (int place = 0; rc == TM_OK && place < 4; place++) {
        const char *text = id_at(attributes, names, place);
        tm__tptp_entity *named;

        if (text)
            rc = tm__tptp_ids_find(ids, text, place >= 2, &named);
        if (!text || rc < 0)
            continue;
        if (entity)
            *named = *entity;
        else
            named->is_over = 1;
    }
    return rc;
}

int tm__tptp_define(const char **attributes, const tm__tptp_names *names,
                    tm__tptp_ids *ids, const tm__tptp_entity *entity)
{
    /* The entity that it points to may move. */
    tm__tptp_entity copy = *entity;

    return set_all(attributes, names, ids, &copy);
}

int tm__tptp_undefine(const char **attributes, const tm__tptp_names *names,
                      tm__tptp_ids *ids)
{
    return set_all(attributes, names, ids, NULL);
}
