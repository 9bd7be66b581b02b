// Models: bodies for library functions that exist only as object code, to be differentiated in their place. A call in a canonical
// copy becomes a call to the model of that name (canon/models.rs); the user's own code keeps calling the library. Both may work on
// one object, so a model leaves it as the library would expect it.
//
// A model is compiled when the plugin is built, and is part of it. One in C calls nothing from outside this folder but what derivatives know.

#include <stdbool.h>

#define MODEL(symbol) __adcc_model_##symbol
