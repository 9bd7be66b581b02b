#define CELLS 6
#define SQUARE(A) ((A)*(A))
