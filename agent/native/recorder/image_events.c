/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/image_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>

void tm__image_report_error(const tm__image *image, const char *what)
{
    fprintf(stderr, "threadmodel: %s: %s: %s\n", image->path, what, tm_error_text());
}

void tm__image_flush(tm__image *image)
{
    const tm_sink *trace = image->writer ? tm_writer_sink(image->writer) : NULL;

    if (image->batch_count == 0)
        return;
    if (trace &&
        trace->events(trace->payload, image->batch, image->batch_count) != TM_OK) {
        tm__image_report_error(image, "the trace ends here");
        tm_writer_close(image->writer);
        image->writer = NULL;
    }
    if (image->model)
        tm_model_ingest(image->model, image->batch, image->batch_count);
    image->batch_count = 0;
}

void tm__image_emit(tm__image *image, const tm_event *event)
{
    image->batch[image->batch_count++] = *event;
    if (!image->events++)
        image->begun_ns = event->time_ns;
    if (event->time_ns > image->last_ns)
        image->last_ns = event->time_ns;
    if (image->batch_count == sizeof(image->batch) / sizeof(*image->batch))
        tm__image_flush(image);
}

tm__item *tm__image_add_item(tm__image *image)
{
    tm__item *item;

    if (image->item_first > image->item_room / 2) {
        memmove(image->items, image->items + image->item_first,
                image->item_count * sizeof(*image->items));
        image->item_first = 0;
    }
    if (image->item_first + image->item_count == image->item_room) {
        size_t room = image->item_room ? image->item_room * 2 : 1024;
        tm__item *items = realloc(image->items, room * sizeof(*items));

        if (!items)
            return NULL;
        image->items = items;
        image->item_room = room;
    }
    item = &image->items[image->item_first + image->item_count++];
    memset(item, 0, sizeof(*item));
    return item;
}
