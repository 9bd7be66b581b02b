// What the C API lacks for globals that steer differentiation.

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm-c/Core.h"

using namespace llvm;

extern "C" {

// Takes a global off the lists that keep it (llvm.used, llvm.compiler.used).
void adshim_forget_used(LLVMValueRef Global) {
  auto *G = cast<GlobalValue>(unwrap(Global));
  removeFromUsedLists(*G->getParent(), [G](Constant *C) { return C->stripPointerCasts() == G; });
}

// Puts a global on the list of what stays in the object.
void adshim_keep_used(LLVMValueRef Global) {
  auto *G = cast<GlobalValue>(unwrap(Global));
  appendToCompilerUsed(*G->getParent(), {G});
}

// Whether an object may do without this definition if nothing refers to it.
int adshim_is_discardable(LLVMValueRef Global) { return cast<GlobalValue>(unwrap(Global))->isDiscardableIfUnused(); }

// Deletes constant expressions that use a global and that nothing uses.
void adshim_drop_dead_users(LLVMValueRef Global) { cast<Constant>(unwrap(Global))->removeDeadConstantUsers(); }
}
