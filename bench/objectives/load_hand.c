/* Reads instances of the hand tracking objective; see load_hand.h. */
#include "load_hand.h"

#include "hand.h"
#include "read_numbers.h"

#include <string.h>

enum { LINE = 65536 };

/* The next line's fields, parted by ':', one after the other. */
typedef struct fields {
    const char *file;
    char *next;
} fields;

static char *field(fields *f) {
    char *start = f->next;
    if (!start) read_fail(f->file, "a field is missing");
    char *end = strchr(start, ':');
    if (end) *end = 0;
    f->next = end ? end + 1 : NULL;
    return start;
}

static double number(fields *f) {
    char *end, *text = field(f);
    double value = strtod(text, &end);
    if (end == text) read_fail(f->file, "a field is no number");
    return value;
}

static int count_lines(FILE *stream) {
    static char line[LINE];
    int count = 0;
    while (fgets(line, sizeof line, stream))
        if (strchr(line, ':')) count++;
    rewind(stream);
    return count;
}

/* From 4x4 row by row to the three rows that matter, column by column. */
static void read_place(fields *f, double *place) {
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            double value = number(f);
            if (row < 3) place[3 * column + row] = value;
        }
}

static void read_bones(hand_instance *it, const char *file) {
    static char line[LINE];
    FILE *stream = read_open(file);
    it->bones = count_lines(stream);
    if (it->bones < 4 * HAND_FINGERS + 1) read_fail(file, "fewer bones than a hand has");
    it->parents = read_alloc(it->bones, sizeof(int));
    it->relative = read_alloc((size_t)it->bones * HAND_PLACE, sizeof(double));
    it->inverse_base = read_alloc((size_t)it->bones * HAND_PLACE, sizeof(double));
    for (int b = 0; b < it->bones && fgets(line, sizeof line, stream); b++) {
        fields f = {file, line};
        field(&f);
        it->parents[b] = (int)number(&f);
        if (it->parents[b] < -1 || it->parents[b] >= b) read_fail(file, "a bone comes before its parent");
        read_place(&f, it->relative + (size_t)b * HAND_PLACE);
        read_place(&f, it->inverse_base + (size_t)b * HAND_PLACE);
    }
    fclose(stream);
}

static void read_vertices(hand_instance *it, const char *file) {
    static char line[LINE];
    FILE *stream = read_open(file);
    it->vertices = count_lines(stream);
    size_t most = (size_t)it->vertices * it->bones;
    it->positions = read_alloc((size_t)it->vertices * 3, sizeof(double));
    it->starts = read_alloc((size_t)it->vertices + 1, sizeof(int));
    it->weight_bones = read_alloc(most, sizeof(int));
    it->weights = read_alloc(most, sizeof(double));
    for (int v = 0; v < it->vertices && fgets(line, sizeof line, stream); v++) {
        fields f = {file, line};
        for (int i = 0; i < 3; i++) it->positions[3 * v + i] = number(&f);
        for (int i = 0; i < 5; i++) field(&f);
        int count = (int)number(&f), entry = it->starts[v];
        if (count < 0 || count > it->bones) read_fail(file, "a count of bones is out of range");
        for (int i = 0; i < count; i++, entry++) {
            it->weight_bones[entry] = (int)number(&f);
            it->weights[entry] = number(&f);
            if (it->weight_bones[entry] < 0 || it->weight_bones[entry] >= it->bones) read_fail(file, "no such bone");
        }
        it->starts[v + 1] = entry;
    }
    fclose(stream);
}

static void read_points(hand_instance *it, const char *file) {
    FILE *stream = read_open(file);
    it->points = read_count(stream, file);
    if (read_int(stream, file) != HAND_THETA) read_fail(file, "not the simple form: theta has another length");
    it->vertex_of = read_alloc(it->points, sizeof(int));
    it->data = read_alloc((size_t)it->points * 3, sizeof(double));
    for (int i = 0; i < it->points; i++) {
        it->vertex_of[i] = read_int(stream, file);
        if (it->vertex_of[i] < 0 || it->vertex_of[i] >= it->vertices) read_fail(file, "no such vertex");
        for (int k = 0; k < 3; k++) it->data[3 * i + k] = read_double(stream, file);
    }
    it->theta = read_doubles(stream, file, HAND_THETA);
    fclose(stream);
}

hand_instance hand_load(const char *bones, const char *vertices, const char *points) {
    hand_instance it = {0};
    read_bones(&it, bones);
    read_vertices(&it, vertices);
    read_points(&it, points);
    return it;
}

void hand_free(hand_instance *it) {
    free(it->parents), free(it->starts), free(it->weight_bones), free(it->vertex_of);
    free(it->relative), free(it->inverse_base), free(it->positions), free(it->weights), free(it->data), free(it->theta);
}
