/* SPDX-License-Identifier: Apache-2.0 */
/* Two dozen rows at the end of a run: a table of fixed size on the caller's stack. */
#include "writer/text_grid.h"

#include <string.h>

#include "base/duration.h"
#include "base/printable.h"

int tm__text_grid_row(tm__text_grid *grid)
{
    if (grid->row_count == TM__TEXT_GRID_ROWS)
        return -1;
    grid->row_count++;
    grid->column_count = 0;
    return 0;
}

static char *next_cell(tm__text_grid *grid, int is_right)
{
    int column = grid->column_count;

    if (grid->row_count == 0 || column == TM__TEXT_GRID_COLUMNS)
        return NULL;
    grid->column_count++;
    /* The heading stands as the numbers below it do. */
    if (grid->row_count > 1)
        grid->is_right[column] = is_right;
    return grid->cells[grid->row_count - 1][column];
}

void tm__text_grid_text(tm__text_grid *grid, const char *text)
{
    char *cell = next_cell(grid, 0);
    size_t length = text ? strlen(text) : 0;

    if (!cell || !text)
        return;
    if (length >= TM__TEXT_GRID_CELL_BYTES) {
        length = TM__TEXT_GRID_CELL_BYTES - 1;
        while (length > 0 && (text[length] & 0xC0) == 0x80)
            length--;
    }
    memcpy(cell, text, length);
    cell[length] = 0;
    tm__printable(cell);
}

void tm__text_grid_count(tm__text_grid *grid, int64_t count)
{
    char *cell = next_cell(grid, 1);

    if (cell)
        snprintf(cell, TM__TEXT_GRID_CELL_BYTES, "%lld", (long long)count);
}

void tm__text_grid_time(tm__text_grid *grid, int64_t time_ns)
{
    char *cell = next_cell(grid, 1);

    if (cell)
        snprintf(cell, TM__TEXT_GRID_CELL_BYTES, "%s", tm__duration_of(time_ns).text);
}

/* Characters, not bytes. */
static int width(const char *cell)
{
    int count = 0;

    for (; *cell; cell++)
        count += (*cell & 0xC0) != 0x80;
    return count;
}

void tm__text_grid_print(const tm__text_grid *grid, FILE *out)
{
    int widths[TM__TEXT_GRID_COLUMNS] = {0};
    int last = 0;

    for (int row = 0; row < grid->row_count; row++)
        for (int column = 0; column < TM__TEXT_GRID_COLUMNS; column++) {
            int here = width(grid->cells[row][column]);

            if (here > widths[column])
                widths[column] = here;
            if (here > 0 && column > last)
                last = column;
        }
    for (int row = 0; row < grid->row_count; row++) {
        for (int column = 0; column <= last; column++) {
            const char *cell = grid->cells[row][column];
            int space = widths[column] - width(cell);

            if (grid->is_right[column])
                fprintf(out, "  %*s%s", space, "", cell);
            else if (column < last)
                fprintf(out, "  %s%*s", cell, space, "");
            else
                fprintf(out, "  %s", cell);
        }
        fputc('\n', out);
    }
}
