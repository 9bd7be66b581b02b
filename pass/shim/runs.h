// When a block of a function surely runs, as code at the function's entry.

#pragma once

#include "extents.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

namespace extents {
// The condition under which a block runs, in all iterations of the loops around it that their counts speak of; null where nobody
// knows.
class Runs {
public:
  Runs(Extents &E, IRBuilder<> &B, LoopInfo &LI, ScalarEvolution &SE, DominatorTree &DT, PostDominatorTree &PDT)
      : E(E), B(B), LI(LI), SE(SE), DT(DT), PDT(PDT), All(B.getTrue()) {}

  Value *of(BasicBlock *At) {
    for (Loop *L = LI.getLoopFor(At);; L = L->getParentLoop()) {
      while (!always(At, L))
        if (!(At = before(At, L)))
          return nullptr;
      if (!L)
        return All;
      BasicBlock *Latch = L->getLoopLatch();
      if (L->getExitingBlock() != Latch || isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(L)))
        return nullptr;
      At = L->getLoopPreheader();
      if (!At)
        return nullptr;
    }
  }

private:
  Extents &E;
  IRBuilder<> &B;
  LoopInfo &LI;
  ScalarEvolution &SE;
  DominatorTree &DT;
  PostDominatorTree &PDT;
  Value *All;

  // Whether a block runs in each iteration of the loop, or each run of the function.
  bool always(BasicBlock *At, Loop *L) {
    if (!L)
      return PDT.dominates(At, &At->getParent()->getEntryBlock());
    return L->getLoopLatch() && DT.dominates(At, L->getLoopLatch());
  }

  // A block before `At` that runs iff that does and a condition holds, which is added; null where there is none that is known.
  BasicBlock *before(BasicBlock *At, Loop *L) {
    DomTreeNode *Node = DT.getNode(At);
    Node = Node ? Node->getIDom() : nullptr;
    if (!Node || (L && !L->contains(Node->getBlock())))
      return nullptr;
    BasicBlock *From = Node->getBlock();
    if (PDT.dominates(At, From)) {
      // What comes behind a loop runs as what comes before it.
      Loop *Inner = LI.getLoopFor(From);
      while (Inner && Inner->getParentLoop() != L)
        Inner = Inner->getParentLoop();
      return Inner && Inner != L && !Inner->contains(At) ? Inner->getLoopPreheader() : From;
    }
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    if (LI.getLoopFor(From) != L || !Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return nullptr;
    for (unsigned I : {0, 1}) {
      BasicBlock *To = Branch->getSuccessor(I);
      if (To->getSinglePredecessor() != From || !DT.dominates(To, At) || !PDT.dominates(At, To))
        continue;
      Value *Taken = E.again(Branch->getCondition());
      if (!Taken)
        return nullptr;
      All = B.CreateAnd(All, I ? B.CreateNot(Taken) : Taken);
      return From;
    }
    return nullptr;
  }
};
} // namespace extents
