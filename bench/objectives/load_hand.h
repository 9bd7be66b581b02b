/* Instances of the hand tracking objective: a model (bones and vertices) and measured points, read from files. */
#ifndef LOAD_HAND_H
#define LOAD_HAND_H

typedef struct hand_instance {
    int bones, vertices, points, is_mirrored;
    int *parents, *starts, *weight_bones, *vertex_of;
    double *relative, *inverse_base, *positions, *weights, *data, *theta;
} hand_instance;

/* bones: lines `name:parent:16 numbers relative:16 numbers inverse base` (4x4, row by row); vertices: lines
 * `3 numbers position:5 to skip:count:count pairs bone:weight:rest to skip`; points: `npts ntheta`, npts rows `vertex x y
 * z`, ntheta numbers. Ends the program with a message if a file is not that. */
hand_instance hand_load(const char *bones, const char *vertices, const char *points);

void hand_free(hand_instance *instance);

#endif
