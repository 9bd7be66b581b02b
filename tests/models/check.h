// What the tests of models share: they link the models' source, and libstdc++'s functions of the same name beside it.
#ifndef MODELS_CHECK_H
#define MODELS_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(holds)                                             \
    do {                                                         \
        if (!(holds)) {                                          \
            std::printf("line %d: %s\n", __LINE__, #holds);      \
            std::exit(1);                                        \
        }                                                        \
    } while (0)

// Whose functions work on the structure.
enum who { model, library, both };

#endif
