// Which bytes the accesses of a function reach from the pointers that they start from, computed from its arguments where it is called; and
// whether they surely happen: then these bytes are there, and so are those in between.

#include "runs.h"

using namespace llvm;
using namespace extents;

extern "C" {

// The bytes from Low up to High, counted from the pointer Base of the function (null: unknown), if Holds. Runs: whether the
// access surely happens; null where that is unknown.
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
    Extents E(SE, LI, A.FAM.getResult<AssumptionAnalysis>(F), nullptr, B, Given, {});
    AdRange &Range = Ranges[I];
    Range = {nullptr, nullptr, nullptr, nullptr, nullptr};
    if (auto R = reach(E, SE, LI, Accesses[I])) {
      BasicBlock *At = cast<Instruction>(unwrap(Accesses[I].Inst))->getParent();
      Value *Surely = R->isExact() ? Runs(E, B, LI, SE, DT, PDT).of(At) : nullptr;
      Range = {wrap(R->Base), wrap(R->From.Low), wrap(R->To.High), wrap(E.holds()), Surely ? wrap(Surely) : nullptr};
    }
  }
}
}
