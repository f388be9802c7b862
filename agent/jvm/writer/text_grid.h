/* SPDX-License-Identifier: Apache-2.0 */
/* A table for people: cells of text, columns as wide as they have to be. */
#ifndef TM_AGENT_WRITER_TEXT_GRID_H
#define TM_AGENT_WRITER_TEXT_GRID_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TM__TEXT_GRID_ROWS = 40,
    TM__TEXT_GRID_COLUMNS = 8,
    TM__TEXT_GRID_CELL_BYTES = 100
};

/** Zero is an empty one. */
typedef struct tm__text_grid {
    int row_count; ///< with the heading
    int column_count;
    int is_right[TM__TEXT_GRID_COLUMNS]; ///< numbers stand at the right
    char cells[TM__TEXT_GRID_ROWS][TM__TEXT_GRID_COLUMNS][TM__TEXT_GRID_CELL_BYTES];
} tm__text_grid;

/** Begin a row. @return 0; -1: there is no room for another */
int tm__text_grid_row(tm__text_grid *grid);

/** Add a cell to the row; text that is too long is cut between two characters. */
void tm__text_grid_text(tm__text_grid *grid, const char *text);
void tm__text_grid_count(tm__text_grid *grid, int64_t count);

/** @param time_ns  is written in the unit that suits it */
void tm__text_grid_time(tm__text_grid *grid, int64_t time_ns);

/** Print it, each row indented by two. */
void tm__text_grid_print(const tm__text_grid *grid, FILE *out);

#endif
