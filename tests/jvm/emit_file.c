/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that a file emits, a line a callback or event:
 *
 *     emit FILE
 *
 * The last line is the code that ended the reading, and its text.
 */
#include <stdio.h>

#include <threadmodel/source.h>

#include "../unit/support/recorder.h"

int main(int count, char **arguments)
{
    recorder text;
    tm_source *source;
    int rc;

    if (count != 2) {
        fputs("usage: emit FILE\n", stderr);
        return 2;
    }
    recorder_init(&text);
    rc = tm_source_open(&source, arguments[1], NULL);
    while (rc == TM_OK || rc == TM_MORE) {
        rc = tm_source_read(source, &text.sink);
        if (rc == TM_OK)
            break;
    }
    if (text.text)
        fputs(text.text, stdout);
    printf("end %s %s\n", tm_error_name(rc), rc < 0 ? tm_error_text() : "");
    tm_source_close(source);
    recorder_free(&text);
    return 0;
}
