// A switch that names all cases that there are, an assertion, a check of bounds: exits that no run with a return takes. A count of
// iterations does not have to know of them.

#include "exits.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

ReturningBlocks returningBlocks(Function &F) {
  ReturningBlocks Returning;
  SmallVector<BasicBlock *, 16> Queue;
  for (BasicBlock &BB : F)
    if (isa<ReturnInst>(BB.getTerminator()) && Returning.insert(&BB).second)
      Queue.push_back(&BB);
  while (!Queue.empty())
    for (BasicBlock *Pred : predecessors(Queue.pop_back_val()))
      if (Returning.insert(Pred).second)
        Queue.push_back(Pred);
  return Returning;
}

const SCEV *regularCount(const Loop &L, ScalarEvolution &SE, DominatorTree &DT, const ReturningBlocks &Returning) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  SmallVector<const SCEV *, 4> Counts;
  Type *I64 = Type::getInt64Ty(L.getHeader()->getContext());
  for (BasicBlock *BB : Exiting) {
    if (none_of(successors(BB), [&](BasicBlock *To) { return !L.contains(To) && Returning.count(To); }))
      continue;
    const SCEV *Taken = SE.getExitCount(&L, BB);
    if (isa<SCEVCouldNotCompute>(Taken) || SE.getTypeSizeInBits(Taken->getType()) > 64 ||
        !DT.dominates(BB, L.getLoopLatch()))
      return nullptr;
    Counts.push_back(SE.getNoopOrZeroExtend(Taken, I64));
  }
  return Counts.empty() ? nullptr : SE.getUMinExpr(Counts, /*Sequential=*/true);
}
