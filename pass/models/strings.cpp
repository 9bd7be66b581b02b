// std::string: the members that the headers declare and only libstdc++'s object code defines, instantiated from the headers.
//
// The functions keep their symbols here. What a module needs of them is linked into it under the prefix of models
// (shim/models.cpp).

#include <string>

template class std::basic_string<char>;
template class std::allocator<char>;
