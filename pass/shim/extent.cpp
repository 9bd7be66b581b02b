// Which bytes a function may access through pointers that it is given, computed from its arguments at its entry: through
// pointer parameters, and through pointers that lie in their memory when it is entered.

#include "extents.h"
#include "llvm-c/Core.h"

using namespace llvm;
using namespace extents;

extern "C" {

// First byte and the one behind the last, as i64; null where that is unknown.
struct AdSpan {
  LLVMValueRef Low, High;
};

// Appends to `Block`, in a function whose first parameters are those of F, code that computes for each memory the span of its
// accesses, and of the same accesses to its shadow. `Shadows` has, for each parameter of F, the number of the parameter
// that is its shadow, or ~0. Returns the condition under which this holds.
LLVMValueRef adshim_emit_extents(LLVMValueRef FRef, LLVMBasicBlockRef Block, const AdAccess *Accesses, unsigned Count,
                                 const unsigned *Shadows, AdSpan *Spans, AdSpan *ShadowSpans, unsigned Memories) {
  auto &F = *cast<Function>(unwrap(FRef));
  Analyses A;
  auto &LI = A.FAM.getResult<LoopAnalysis>(F);
  auto &SE = A.FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &Memory = A.FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  IRBuilder<> B(unwrap(Block));
  Function &Into = *unwrap(Block)->getParent();
  SmallVector<Value *> Arguments[2];
  for (unsigned I = 0; I < F.arg_size(); ++I) {
    Arguments[0].push_back(Into.getArg(I));
    Arguments[1].push_back(Shadows[I] == ~0u ? nullptr : Into.getArg(Shadows[I]));
  }
  Extents E(SE, LI, &Memory, B, Arguments[0], Arguments[1]);
  SmallVector<bool> Fails[2] = {SmallVector<bool>(Memories, false), SmallVector<bool>(Memories, false)};
  for (const AdAccess &Access : ArrayRef(Accesses, Count)) {
    if (Fails[0][Access.Memory])
      continue;
    std::optional<Reach> R = reach(E, SE, LI, Access);
    for (bool Shadow : {false, true}) {
      AdSpan &Span = (Shadow ? ShadowSpans : Spans)[Access.Memory];
      Value *At = R && !Fails[Shadow][Access.Memory] ? E.base(R->Base, Shadow) : nullptr;
      if (!At) {
        Fails[Shadow][Access.Memory] = true;
        Span = {nullptr, nullptr};
        continue;
      }
      Value *From = B.CreateAdd(At, R->From.Low), *To = B.CreateAdd(At, R->To.High);
      if (Span.Low) {
        From = E.minimum(unwrap(Span.Low), From);
        To = E.maximum(unwrap(Span.High), To);
      }
      Span = {wrap(From), wrap(To)};
    }
  }
  return wrap(E.holds());
}
}
