/* Includes CODE twice: see threads.h. */
#define NAME(name) serial_##name
#define OMP(...)
#include CODE
#undef NAME
#undef OMP

#define DIRECTIVE(...) _Pragma(#__VA_ARGS__)
#define NAME(name) team_##name
#define OMP(...) DIRECTIVE(omp __VA_ARGS__)
#include CODE
