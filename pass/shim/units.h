// The IR that objects carry.

#pragma once

namespace llvm {
class Module;
}

// Gives what is internal to the module the names by which other units reach it. To be called when no pass follows that
// could know of a variable what holds for internal ones only.
void shareInternals(llvm::Module &M);
