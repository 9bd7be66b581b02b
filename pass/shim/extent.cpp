// Which bytes a function may access through pointers that it is given, computed from its arguments at its entry: through
// pointer parameters, and through pointers that lie in their memory when it is entered.

#include "runs.h"
#include "llvm-c/Core.h"

using namespace llvm;
using namespace extents;

extern "C" {

// First byte and the one behind the last, as i64; null where that is unknown.
struct AdSpan {
  LLVMValueRef Low, High;
};

// Appends to `Block`, in a function whose first parameters are those of F (nothing is known of those that have another type), code that computes for each memory the span of its
// accesses, and of the same accesses to its shadow. `Shadows` has, for each parameter of F, the number of the parameter
// that is its shadow, or ~0. Returns the condition under which this holds.
//
// `Reached` has two rows of `Memories` spans: of primals, then of shadows. So has `Sure`, if it is not null: of the accesses that
// surely happen, and whose first and last byte are known. Where the low end is not below the high one, there are none.
LLVMValueRef adshim_emit_extents(LLVMValueRef FRef, LLVMBasicBlockRef Block, const AdAccess *Accesses, unsigned Count,
                                 const unsigned *Shadows, AdSpan *Reached, AdSpan *Sure, unsigned Memories) {
  auto &F = *cast<Function>(unwrap(FRef));
  Analyses A;
  auto &LI = A.FAM.getResult<LoopAnalysis>(F);
  auto &SE = A.FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &DT = A.FAM.getResult<DominatorTreeAnalysis>(F);
  auto &PDT = A.FAM.getResult<PostDominatorTreeAnalysis>(F);
  auto &Memory = A.FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  IRBuilder<> B(unwrap(Block));
  Function &Into = *unwrap(Block)->getParent();
  SmallVector<Value *> Arguments[2];
  for (unsigned I = 0; I < F.arg_size(); ++I) {
    Arguments[0].push_back(Into.getArg(I)->getType() == F.getArg(I)->getType() ? Into.getArg(I) : nullptr);
    Arguments[1].push_back(Shadows[I] == ~0u ? nullptr : Into.getArg(Shadows[I]));
  }
  Extents E(SE, LI, A.FAM.getResult<AssumptionAnalysis>(F), &Memory, B, Arguments[0], Arguments[1]);
  auto Join = [&](AdSpan &Span, Value *From, Value *To) {
    if (Span.Low) {
      From = E.minimum(unwrap(Span.Low), From);
      To = E.maximum(unwrap(Span.High), To);
    }
    Span = {wrap(From), wrap(To)};
  };
  SmallVector<bool> Fails(2 * Memories, false);
  for (const AdAccess &Access : ArrayRef(Accesses, Count)) {
    std::optional<Reach> R = reach(E, SE, LI, Access);
    BasicBlock *In = cast<Instruction>(unwrap(Access.Inst))->getParent();
    Value *Surely = Sure && R && R->isExact() ? Runs(E, B, LI, SE, DT, PDT).of(In) : nullptr;
    for (bool Shadow : {false, true}) {
      unsigned I = Shadow * Memories + Access.Memory;
      Value *At = R ? E.base(R->Base, Shadow) : nullptr;
      if (!At) {
        Fails[I] = true;
        continue;
      }
      Value *From = B.CreateAdd(At, R->From.Low), *To = B.CreateAdd(At, R->To.High);
      if (!Fails[I])
        Join(Reached[I], From, To);
      if (Surely)
        Join(Sure[I], B.CreateSelect(Surely, From, B.getInt64(INT64_MAX)), B.CreateSelect(Surely, To, B.getInt64(0)));
    }
  }
  for (unsigned I = 0; I < 2 * Memories; ++I)
    if (Fails[I])
      Reached[I] = {nullptr, nullptr};
  return wrap(E.holds());
}
}
