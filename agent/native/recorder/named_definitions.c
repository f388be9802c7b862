/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/named_definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tm__definitions *tm__definitions_of(tm__image *image)
{
    if (!image->definitions)
        image->definitions = calloc(1, sizeof(tm__definitions));
    return image->definitions;
}

tm__named *tm__named_find(tm__named **all, const char *text, int *is_new)
{
    size_t length = strlen(text);
    tm__named *it;

    *is_new = 0;
    HASH_FIND(hh, *all, text, (unsigned)length, it);
    if (it)
        return it;
    it = calloc(1, sizeof(*it) + length + 1);
    if (!it)
        return NULL;
    memcpy(it->text, text, length);
    HASH_ADD_KEYPTR(hh, *all, it->text, (unsigned)length, it);
    *is_new = 1;
    return it;
}

uint64_t tm__class_define(tm__image *image, const char *name, const char *source,
                          const char *build_id)
{
    tm__definitions *all = tm__definitions_of(image);
    tm_class definition = TM_CLASS_INIT;
    char key[1024];
    tm__named *it;
    int is_new;

    if (!all)
        return 0;
    /* Two files may have one name. */
    snprintf(key, sizeof(key), "%s\n%s\n%s", build_id, name, source);
    it = tm__named_find(&all->classes, key, &is_new);
    if (!it)
        return 0;
    if (is_new) {
        it->id = ++all->next_class;
        definition.id = it->id;
        definition.name = name;
        definition.source = *source ? source : NULL;
        definition.build_id = *build_id ? build_id : NULL;
        TM__IMAGE_DEFINE(image, define_class, &definition);
    }
    return it->id;
}

uint64_t tm__method_define(tm__image *image, uint64_t class_id, const char *name)
{
    tm__definitions *all = tm__definitions_of(image);
    tm_method definition = TM_METHOD_INIT;
    char key[600];
    tm__named *it;
    int is_new;

    if (!all)
        return 0;
    snprintf(key, sizeof(key), "%llu\n%s", (unsigned long long)class_id, name);
    it = tm__named_find(&all->methods, key, &is_new);
    if (!it)
        return 0;
    if (is_new) {
        it->id = ++all->next_method;
        definition.id = it->id;
        definition.class_id = class_id;
        definition.name = name;
        TM__IMAGE_DEFINE(image, define_method, &definition);
    }
    return it->id;
}
