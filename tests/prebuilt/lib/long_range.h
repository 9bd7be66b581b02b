/* Functions of three numbers whose values on the way are long doubles that no double holds. */
#ifndef LONG_RANGE_H
#define LONG_RANGE_H

#define LONG_RANGE(X)                                                                                                  \
    X(below) X(above) X(steps) X(factorials) X(zero) X(lentz) X(roots) X(functions) X(powers) X(kept) X(sum) X(doubles)

#endif
