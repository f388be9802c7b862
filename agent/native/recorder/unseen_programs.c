/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/unseen_programs.h"

#include <string.h>

#include "recorder/image.h"
#include "recorder/process.h"

tm__image *tm__recorder_image_of(const tm__recorder *it, uint32_t pid)
{
    tm__image *last = NULL;

    for (tm__image *image = it->images; image; image = image->next)
        if (image->pid == pid)
            last = image;
    return last;
}

void tm__recorder_note_eventless(tm__recorder *it, const tm__image *image)
{
    tm__image *parent = tm__recorder_image_of(it, image->parent_pid);
    char path[4096] = "";

    if (!parent || parent->pid == image->pid)
        return;
    tm__process_program(image->pid, path, sizeof(path));
    tm__image_add_child(parent, image->pid, path);
}

void tm__recorder_look_for_children(tm__recorder *it, tm__image *image)
{
    uint32_t children[TM__CHILDREN_MOST];
    size_t count = tm__process_children(image->pid, children,
                                        sizeof(children) / sizeof(*children));
    char path[4096];

    for (size_t i = 0; i < count; i++)
        if (!tm__recorder_image_of(it, children[i]) &&
            tm__process_program(children[i], path, sizeof(path)))
            tm__image_add_child(image, children[i], path);
}

static void note_unseen(tm__recorder *it, uint32_t pid)
{
    char *path = it->unseen[it->unseen_count];

    if (it->unseen_count == TM__UNSEEN_MOST ||
        !tm__process_program(pid, path, sizeof(it->unseen[0])))
        return;
    for (size_t i = 0; i < it->unseen_count; i++)
        if (strcmp(it->unseen[i], path) == 0)
            return;
    it->unseen_count++;
}

void tm__recorder_look_for_unseen(tm__recorder *it, const tm__image *image)
{
    uint32_t children[64];
    size_t count;

    if (tm__process_shares(image->pid, it->memory.inode) == 0 &&
        (image->is_found || tm__process_inherits(image->pid, it->memory.path)))
        note_unseen(it, image->pid);
    if (!image->is_found)
        return;
    count = tm__process_children(image->pid, children,
                                 sizeof(children) / sizeof(*children));
    for (size_t i = 0; i < count; i++)
        if (tm__process_shares(children[i], it->memory.inode) == 0)
            note_unseen(it, children[i]);
}
