// ad-levels: O0 O1 O2
// ad-i386: none, dates and halves of reals have one size there (AD034, AD039)
// The same with counted pointers of the program's own, whose objects delete themselves.
#define OWN_COUNTS
#include "zoo_of_root_errors.cpp"
