/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An object is an address, `<0x000000076b3a7d90> (a shop.Account)`, or a class and an
 * identity hash: `shop.Account@1b2c` of ThreadInfo, `<1b2c> (a shop.Account)` of
 * VisualVM.
 */
#include "formats/jstack/java_locks.h"
#include "formats/jstack/parse.h"

#include <string.h>

/* "java.lang.Class for shop.Registry" */
static void read_class(tm__slice name, tm__jstack_lock *lock)
{
    static const char of[] = "java.lang.Class for ";

    if (tm__slice_begins(name, of)) {
        lock->of_class = tm__slice_from(name, sizeof(of) - 1);
        name.length = strlen("java.lang.Class");
    }
    lock->class_name = name;
}

/* "Depot$Crate@19469ea2": its end is that of the number. */
static void read_identity(tm__slice text, tm__jstack_lock *lock)
{
    size_t at = text.length;
    uint64_t hash;
    tm__slice digits;

    text = tm__slice_word(&text);
    for (at = text.length; at > 0 && text.bytes[at - 1] != '@'; at--)
        ;
    digits = tm__slice_from(text, at);
    if (at < 2 || !tm__slice_number(&digits, 16, &hash) || hash > UINT32_MAX)
        return;
    lock->class_name = (tm__slice){text.bytes, at - 1};
    tm__jstack_lock_by_hash(lock, hash);
}

void tm__jstack_read_object(tm__slice text, tm__jstack_lock *lock)
{
    size_t open = tm__slice_find(text, "<"), name = tm__slice_find(text, "(a ");
    tm__slice number = tm__slice_from(text, open + 1);
    int is_address = tm__slice_begins(number, "0x");
    uint64_t value = 0;

    if (open == text.length) {
        /* Tomcat's "(a shop.Lock@1b2c) owned by main Id=1". */
        if (tm__slice_begins(text, "(a ")) {
            text = tm__slice_from(text, 3);
            text.length = tm__slice_find(text, ")");
        }
        read_identity(text, lock);
        return;
    }
    if (is_address)
        number = tm__slice_from(number, 2);
    if (!tm__slice_number(&number, 16, &value) || !tm__slice_begins(number, ">"))
        value = 0;
    text = tm__slice_from(text, name + 3);
    if (text.length > 0) {
        size_t end = tm__slice_find(text, ")");

        if (end < text.length)
            read_class((tm__slice){text.bytes, end}, lock);
    }
    /* HP's JVM writes addresses without 0x; a hash has 32 bits. */
    if (is_address || value > UINT32_MAX)
        lock->address = value;
    else if (value)
        tm__jstack_lock_by_hash(lock, value);
}

/* `owned by "x" t@13`, `held by thread 12`, `held by tid=16 (x)`, `owned by x id=12` */
static void read_owner(tm__slice text, tm__jstack_owner *owner)
{
    static const char *const ids[] = {"\" t@", "held by thread ",
                                      "held by tid=", " Id=", " id="};
    size_t by = tm__slice_find(text, "owned by "), at;
    tm__slice rest;

    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids) && owner->id == 0; i++) {
        at = tm__slice_find(text, ids[i]);
        rest = tm__slice_from(text, at + strlen(ids[i]));
        if (!tm__slice_number(&rest, 10, &owner->id))
            owner->id = 0;
    }
    if (by == text.length)
        return;
    text = tm__slice_from(text, by + strlen("owned by "));
    if (tm__slice_begins(text, "\"")) {
        text = tm__slice_from(text, 1);
        for (at = text.length; at > 0 && text.bytes[at - 1] != '"'; at--)
            ;
        owner->name = (tm__slice){text.bytes, at ? at - 1 : 0};
    }
}

/* "waiting on the Class initialization monitor for app.Main$Holder" */
static void read_initialized(tm__slice name, tm__jstack_lock *lock)
{
    lock->address = tm__jstack_hash(name) | UINT64_C(1) << 63;
    lock->class_name = TM__SLICE("java.lang.Class");
    lock->of_class = name;
}

/* How the line begins, and what it says then. */
static const struct {
    const char *begin;
    uint8_t kind;
} kinds[] = {
    {"locked ", TM__JSTACK_LOCKED},
    {"waiting to lock ", TM__JSTACK_WANTED},
    {"blocked on ", TM__JSTACK_WANTED},
    {"waiting to re-lock in wait() ", TM__JSTACK_RELOCKING},
    {"waiting on the Class initialization monitor for ", TM__JSTACK_INITIALIZING},
    {"waiting on ", TM__JSTACK_WAITING_ON},
    {"timed waiting on ", TM__JSTACK_WAITING_ON},
    {"sleeping on ", TM__JSTACK_WAITING_ON},
    {"parking to wait for ", TM__JSTACK_PARKING},
};

int tm__jstack_read_lock(tm__slice text, int in_synchronizers, tm__jstack_lock *lock,
                         tm__jstack_owner *owner)
{
    size_t i = 0, count = sizeof(kinds) / sizeof(*kinds);

    *lock = (tm__jstack_lock){.depth = TM__NONE};
    *owner = (tm__jstack_owner){0};
    while (i < count && !tm__slice_begins(text, kinds[i].begin))
        i++;
    if (i < count) {
        lock->kind = kinds[i].kind;
        text = tm__slice_trim(tm__slice_from(text, strlen(kinds[i].begin)));
    }
    if (in_synchronizers) {
        lock->kind = TM__JSTACK_SYNCHRONIZER;
        if (tm__slice_begins(text, "None"))
            return 0;
        tm__jstack_read_object(text, lock);
        return lock->address != 0;
    }
    if (i == count)
        return 0;
    if (lock->kind == TM__JSTACK_INITIALIZING) {
        read_initialized(text, lock);
        return 1;
    }
    tm__jstack_read_object(text, lock);
    if (lock->kind != TM__JSTACK_LOCKED)
        read_owner(text, owner);
    return 1;
}

void tm__jstack_read_owner(tm__slice text, tm__jstack_owner *owner)
{
    *owner = (tm__jstack_owner){0};
    read_owner(text, owner);
}

void tm__jstack_address_is_hash(tm__jstack_lock *lock)
{
    if (lock->address && !lock->is_hash && lock->address <= UINT32_MAX)
        tm__jstack_lock_by_hash(lock, lock->address);
}

int tm__jstack_is_whole_lock(tm__slice text)
{
    size_t open = tm__slice_find(text, "<"), name = tm__slice_find(text, "(a ");

    if (open == text.length)
        return tm__slice_find(text, "@") < text.length ||
               tm__slice_begins(text, "None") ||
               tm__slice_begins(text, "waiting on the Class initialization monitor f");
    if (tm__slice_find(text, "<no object") < text.length)
        return tm__slice_find(text, ">") < text.length;
    return name < text.length &&
           tm__slice_find(tm__slice_from(text, name), ")") + name < text.length;
}

int tm__jstack_begins_lock(tm__slice text)
{
    if (tm__slice_begins(text, "<"))
        return 1;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        size_t length = strlen(kinds[i].begin);

        length = text.length < length ? text.length : length;
        if (length > 3 && memcmp(text.bytes, kinds[i].begin, length) == 0)
            return 1;
    }
    return 0;
}
