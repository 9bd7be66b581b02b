// Which bytes the accesses of a function reach from the pointers that they start from, computed from its arguments where it is called; and
// whether they surely happen: then these bytes are there, and so are those in between.

#include "extents.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace extents;

namespace {
// The condition under which a block runs, in all iterations of the loops around it that their counts speak of; null where nobody
// knows.
Value *runs(BasicBlock *At, Extents &E, IRBuilder<> &B, LoopInfo &LI, ScalarEvolution &SE, DominatorTree &DT, PostDominatorTree &PDT) {
  Value *All = B.getTrue();
  for (Loop *L = LI.getLoopFor(At); L; L = L->getParentLoop()) {
    BasicBlock *Latch = L->getLoopLatch();
    if (!Latch || L->getExitingBlock() != Latch || !DT.dominates(At, Latch) || !L->getLoopPreheader())
      return nullptr;
    if (isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(L)))
      return nullptr;
    At = L->getLoopPreheader();
    if (BranchInst *Guard = L->getLoopGuardBranch()) {
      Value *Enters = E.again(Guard->getCondition());
      if (!Enters)
        return nullptr;
      if (Guard->getSuccessor(1) == At)
        Enters = B.CreateNot(Enters);
      else if (Guard->getSuccessor(0) != At)
        return nullptr;
      All = B.CreateAnd(All, Enters);
      At = Guard->getParent();
    }
  }
  return PDT.dominates(At, &At->getParent()->getEntryBlock()) ? All : nullptr;
}
} // namespace

extern "C" {

// The bytes from Low up to High, counted from the pointer Base of the function (null: nobody can tell), if Holds. Runs: whether the
// access surely happens; null where nobody knows.
struct AdRange {
  LLVMValueRef Base, Low, High, Holds, Runs;
};

// Emits what accesses of F reach where F is called with these arguments (null: not known there). Nothing is loaded: memory may change
// between calls.
void adshim_emit_ranges(LLVMValueRef FRef, LLVMBuilderRef Builder, const LLVMValueRef *Arguments, const AdAccess *Accesses, unsigned Count,
                        AdRange *Ranges) {
  auto &F = *cast<Function>(unwrap(FRef));
  Analyses A;
  auto &LI = A.FAM.getResult<LoopAnalysis>(F);
  auto &SE = A.FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &DT = A.FAM.getResult<DominatorTreeAnalysis>(F);
  auto &PDT = A.FAM.getResult<PostDominatorTreeAnalysis>(F);
  IRBuilder<> &B = *unwrap(Builder);
  SmallVector<Value *> Given;
  for (unsigned I = 0; I < F.arg_size(); ++I)
    Given.push_back(unwrap(Arguments[I]));
  for (unsigned I = 0; I < Count; ++I) {
    // Each has conditions of its own.
    Extents E(SE, LI, nullptr, B, Given, {});
    AdRange &Range = Ranges[I];
    Range = {nullptr, nullptr, nullptr, nullptr, nullptr};
    if (auto R = reach(E, SE, LI, Accesses[I])) {
      BasicBlock *At = cast<Instruction>(unwrap(Accesses[I].Inst))->getParent();
      Value *Runs = E.isExact() ? runs(At, E, B, LI, SE, DT, PDT) : nullptr;
      Range = {wrap(R->Base), wrap(R->From.Low), wrap(R->To.High), wrap(E.holds()), Runs ? wrap(Runs) : nullptr};
    }
  }
}
}
