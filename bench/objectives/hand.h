/* Hand tracking, simple form: how far data points lie from the vertices of a posed hand model.
 *
 * theta is 26 numbers: 0-2 global rotation vector, 3-5 translation, then four for each of the five fingers. A finger has
 * four bones below the wrist; the second bends by the first number and spreads by the second, the third and fourth bend
 * by the third and fourth. A bone's place is its parent's times its base place relative to the parent times its rotation
 * (bending about x, spreading about z). A vertex is the weighted sum over its bones of
 * place * inverse base place * base position; then mirrored in x if the model says so, globally rotated and translated.
 *
 * A place is an affine map: 12 numbers, column by column (three columns of the rotation, then the translation).
 */
#ifndef HAND_H
#define HAND_H

enum { HAND_THETA = 26, HAND_FINGERS = 5, HAND_PLACE = 12 };

/* parents[bones] (-1: none, a parent comes before its children); relative[bones], inverse_base[bones]: places;
 * positions[vertices][3]; the bones of vertex v and their weights are entries starts[v] to starts[v+1] of weight_bones and
 * weights; vertex_of[points] is the vertex that each of data[points][3] was measured for. residual[points][3]. */
void hand_objective(int bones, const int *restrict parents, const double *restrict relative,
                    const double *restrict inverse_base, const double *restrict positions, const int *restrict starts,
                    const int *restrict weight_bones, const double *restrict weights, int is_mirrored, int points,
                    const int *restrict vertex_of, const double *restrict data, const double *restrict theta,
                    double *restrict residual);

#endif
