// Blocks of the heap that live for a part of one iteration of a loop, as temporaries of array expressions do: one for all iterations.
// A derivative keeps blocks until its reverse sweep is done with them, and as many shadows; it records what is overwritten
// instead.

#include "analyses.h"
#include "llvm-c/Core.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace {
// Exits of a loop before which as many calls of `free` may stand.
constexpr unsigned MostExits = 4;

bool calls(const Value *V, StringRef Name) {
  auto *Call = dyn_cast<CallInst>(V);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->isDeclaration() && F->getName() == Name && Call->arg_size() == 1 && !Call->hasOperandBundles();
}

// The only call that frees a block, which is not resized.
CallInst *onlyFree(CallInst *Block) {
  CallInst *Found = nullptr;
  for (User *U : Block->users()) {
    if (calls(U, "free")) {
      if (Found)
        return nullptr;
      Found = cast<CallInst>(U);
    } else if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == "realloc") {
      return nullptr;
    }
  }
  return Found;
}

bool hoist(Loop &L, DominatorTree &DT, LoopInfo &LI) {
  BasicBlock *Before = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  if (!Before || !Latch || !L.hasDedicatedExits())
    return false;
  SmallVector<BasicBlock *, 4> Exiting, Exits;
  L.getExitingBlocks(Exiting);
  L.getUniqueExitBlocks(Exits);
  if (Exits.empty() || Exits.size() > MostExits || any_of(Exits, [](BasicBlock *B) { return B->isEHPad(); }))
    return false;
  SmallVector<std::pair<CallInst *, CallInst *>, 8> All;
  for (BasicBlock *B : L.blocks())
    if (LI.getLoopFor(B) == &L)
      for (Instruction &I : *B) {
        if (!calls(&I, "malloc") || !L.isLoopInvariant(I.getOperand(0)))
          continue;
        auto *Block = cast<CallInst>(&I);
        CallInst *Free = onlyFree(Block);
        // Each iteration that starts allocates and frees, also the last one.
        auto Frees = [&](BasicBlock *At) { return DT.dominates(Free, At->getTerminator()); };
        if (Free && LI.getLoopFor(Free->getParent()) == &L && Frees(Latch) && all_of(Exiting, Frees))
          All.push_back({Block, Free});
      }
  for (auto [Block, Free] : All) {
    Block->moveBefore(Before->getTerminator()->getIterator());
    Block->setMetadata(LLVMContext::MD_noalias, nullptr);
    Block->setMetadata(LLVMContext::MD_alias_scope, nullptr);
    Free->setMetadata(LLVMContext::MD_noalias, nullptr);
    Free->setMetadata(LLVMContext::MD_alias_scope, nullptr);
    for (BasicBlock *B : ArrayRef(Exits).drop_front())
      Free->clone()->insertBefore(B->getFirstInsertionPt());
    Free->moveBefore(Exits.front()->getFirstInsertionPt());
  }
  return !All.empty();
}
} // namespace

// Whether there were any. Loops have preheaders and exits of their own.
extern "C" int adshim_share_temporaries(LLVMValueRef FRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  Analyses A;
  auto &LI = A.FAM.getResult<LoopAnalysis>(F);
  auto &DT = A.FAM.getResult<DominatorTreeAnalysis>(F);
  bool IsChanged = false;
  // Inner loops come first: what leaves one may leave the one around it.
  auto Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops))
    IsChanged |= hoist(*L, DT, LI);
  return IsChanged;
}
