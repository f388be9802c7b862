/* SPDX-License-Identifier: Apache-2.0 */
/* An element's attributes: names and values by turns, NULL at the end. */
#ifndef TM_FORMATS_TPTP_ATTRIBUTES_H
#define TM_FORMATS_TPTP_ATTRIBUTES_H

#include "formats/tptp/tptp_ids.h"

/** How one kind of id is named: where it is used and where it is defined. */
typedef struct tm__tptp_names {
    const char *stable[2];
    const char *transient[2];
} tm__tptp_names;

extern const tm__tptp_names tm__tptp_thread;
extern const tm__tptp_names tm__tptp_object;
extern const tm__tptp_names tm__tptp_class;

/** @return the value of an attribute; NULL: it is not there */
const char *tm__tptp_attribute(const char **attributes, const char *name);

/** @return 1: it is there and is "1"; else 0 */
int tm__tptp_is_one(const char **attributes, const char *name);

/** @return the attribute that has an id; NULL: none has */
const char *tm__tptp_id(const char **attributes, const tm__tptp_names *names,
                        int *is_transient);

/** @return 1: `entity` is what they name; 0: they name nothing; TM_ENOMEM */
int tm__tptp_find(const char **attributes, const tm__tptp_names *names,
                  tm__tptp_ids *ids, tm__tptp_entity **entity);

/** Have every id that they name mean this: a thing may get two, one of them transient.
 *  @return TM_OK or TM_ENOMEM */
int tm__tptp_define(const char **attributes, const tm__tptp_names *names,
                    tm__tptp_ids *ids, const tm__tptp_entity *entity);

/** Have every id that they name mean nothing any more. @return TM_OK or TM_ENOMEM */
int tm__tptp_undefine(const char **attributes, const tm__tptp_names *names,
                      tm__tptp_ids *ids);

#endif
