/* Frees what another file has allocated. */
#include "workspace.h"
#include <stdlib.h>

void free_workspaces(void) {
    free(row(2));
    free(grid->cells);
    free(grid->rows);
    free(grid);
    free(scratch);
    scratch = 0;
}
