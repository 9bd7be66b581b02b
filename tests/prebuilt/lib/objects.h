/* A library in C++: y = F(x), of 8 numbers each. */
#ifndef OBJECTS_H
#define OBJECTS_H

#define OBJECTS(X)                                                                                                     \
    X(virtuals) X(vectors) X(sorted) X(sorted_by) X(caught_inside) X(thrown_far) X(maps) X(functions) X(templates)     \
    X(valarrays) X(complexes) X(accumulated) X(shared) X(deques) X(lists) X(matrices) X(optionals) X(strings)          \
    X(transformed) X(moved) X(operators) X(static_members) X(two_bases) X(casts) X(members) X(permuted)

/* Throws a number if that is more than a limit. */
double objects_checked(double v, double limit);
/* Calls a function that may throw. */
double objects_guarded(double (*f)(double), double v);

#endif
