// What the C API lacks for globals that steer differentiation.

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm-c/Core.h"

using namespace llvm;

extern "C" {

// Takes a global off the lists that keep it (llvm.used, llvm.compiler.used).
void adshim_forget_used(LLVMValueRef Global) {
  auto *G = cast<GlobalVariable>(unwrap(Global));
  removeFromUsedLists(*G->getParent(), [G](Constant *C) { return C->stripPointerCasts() == G; });
}

// Deletes constant expressions that use a global and that nothing uses.
void adshim_drop_dead_users(LLVMValueRef Global) { cast<Constant>(unwrap(Global))->removeDeadConstantUsers(); }
}
