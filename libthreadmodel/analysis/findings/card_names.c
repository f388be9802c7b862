/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings/card_names.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analysis/grouping/condition_name.h"
#include "model/entities/thread.h"

tm__object_name tm__object_name_of(tm__findings *findings, uint32_t object)
{
    const char *name = tm__label(&findings->labels, findings->model, object);
    const char *last = name ? strrchr(name, ' ') : NULL;
    const char *dot = name ? strrchr(last ? last : name, '.') : NULL;
    tm__object_name it = {.text = "something unknown"};

    if (name && *name)
        snprintf(it.text, sizeof(it.text), "%.*s%.150s",
                 last ? (int)(last + 1 - name) : 0, name,
                 dot    ? dot + 1
                 : last ? last + 1
                        : name);
    return it;
}

tm__object_name tm__class_name_of(const tm__findings *findings, uint32_t class_name,
                                  uint32_t method)
{
    const tm__strings *strings = &findings->model->entities.strings;
    const char *name =
        tm__condition_class(findings->model, tm__strings_get(strings, class_name),
                            tm__strings_get(strings, method));
    const char *dot = name ? strrchr(name, '.') : NULL;
    tm__object_name it;

    snprintf(it.text, sizeof(it.text), "%.150s",
             !name ? "an unknown class"
             : dot ? dot + 1
                   : name);
    return it;
}
