// What the C API lacks for exceptions: the canonical shape of invokes, and calls that are put in their place.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace {
SmallVector<InvokeInst *, 8> invokesOf(Function &F) {
  SmallVector<InvokeInst *, 8> Found;
  for (BasicBlock &BB : F)
    if (auto *II = dyn_cast<InvokeInst>(BB.getTerminator()))
      Found.push_back(II);
  return Found;
}
} // namespace

extern "C" {

// Gives each invoke a landing pad and a normal destination of its own. Whether there are invokes.
int adshim_split_invokes(LLVMValueRef FRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  SmallVector<BasicBlock *, 8> Pads;
  for (BasicBlock &BB : F)
    if (BB.isLandingPad())
      Pads.push_back(&BB);
  while (!Pads.empty()) {
    BasicBlock *Pad = Pads.pop_back_val();
    if (pred_size(Pad) < 2)
      continue;
    SmallVector<BasicBlock *, 2> Made;
    BasicBlock *First = *pred_begin(Pad);
    SplitLandingPadPredecessors(Pad, First, ".ad", ".rest", Made);
    for (BasicBlock *BB : Made)
      if (pred_size(BB) > 1)
        Pads.push_back(BB);
  }
  auto Invokes = invokesOf(F);
  for (InvokeInst *II : Invokes) {
    BasicBlock *From = II->getParent(), *To = II->getNormalDest();
    auto *Between = BasicBlock::Create(F.getContext(), "ad.normal", &F, To);
    BranchInst::Create(To, Between);
    To->replacePhiUsesWith(From, Between);
    II->setNormalDest(Between);
  }
  return !Invokes.empty();
}

// Takes away the phis that only forward the result of the invoke before them: the image defines it in their block.
void adshim_drop_invoke_phis(LLVMValueRef FRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  for (InvokeInst *II : invokesOf(F))
    for (PHINode &Phi : make_early_inc_range(II->getNormalDest()->phis()))
      if (Phi.getNumIncomingValues() == 1 && Phi.getIncomingValue(0) == II) {
        Phi.replaceAllUsesWith(II);
        Phi.eraseFromParent();
      }
}

// An invoke of `Callee` before the invoke `Old`, with its destinations: the caller erases `Old`.
LLVMValueRef adshim_invoke_like(LLVMValueRef Old, LLVMValueRef Callee, LLVMValueRef *Args, unsigned N) {
  auto *II = cast<InvokeInst>(unwrap(Old));
  auto *F = cast<Function>(unwrap(Callee));
  SmallVector<Value *, 8> List;
  for (unsigned I = 0; I < N; ++I)
    List.push_back(unwrap(Args[I]));
  return wrap(static_cast<Value *>(
      InvokeInst::Create(F->getFunctionType(), F, II->getNormalDest(), II->getUnwindDest(), List, "", II->getIterator())));
}

// Makes `Call`, which stands before the invoke `Old` in its block, unwind to where `Old` does.
void adshim_unwind_like(LLVMValueRef CallRef, LLVMValueRef OldRef) {
  auto *Call = cast<CallInst>(unwrap(CallRef));
  BasicBlock *Pad = cast<InvokeInst>(unwrap(OldRef))->getUnwindDest();
  BasicBlock *Before = cast<InvokeInst>(unwrap(OldRef))->getParent();
  SmallVector<std::pair<PHINode *, Value *>, 4> Brought;
  for (PHINode &Phi : Pad->phis())
    Brought.push_back({&Phi, Phi.getIncomingValueForBlock(Before)});
  BasicBlock *At = Call->getParent();
  changeToInvokeAndSplitBasicBlock(Call, Pad);
  // What was the old block's end lies in a new block now; phis name the block that still has the invoke.
  for (auto &[Phi, V] : Brought)
    Phi->addIncoming(V, At);
}

// Wraps `Call` so that `Cleanup(Mark)` runs where an exception passes; returns the invoke. `Personality` is null or a function; then the
// function's own, which must exist, is kept. What such an invoke is has one more clean-up then.
LLVMValueRef adshim_clean_up(LLVMValueRef CallRef, LLVMValueRef Cleanup, LLVMValueRef Mark, LLVMValueRef Personality) {
  if (auto *Wrapped = dyn_cast<InvokeInst>(unwrap(CallRef))) {
    IRBuilder<> B(&*Wrapped->getUnwindDest()->getFirstInsertionPt());
    B.CreateCall(cast<Function>(unwrap(Cleanup)), {unwrap(Mark)});
    return CallRef;
  }
  auto *Call = cast<CallInst>(unwrap(CallRef));
  Function &F = *Call->getFunction();
  if (Personality)
    F.setPersonalityFn(cast<Constant>(unwrap(Personality)));
  LLVMContext &C = F.getContext();
  auto *Pad = BasicBlock::Create(C, "ad.unwind", &F);
  IRBuilder<> B(Pad);
  auto *Landing = B.CreateLandingPad(StructType::get(B.getPtrTy(), B.getInt32Ty()), 0);
  Landing->setCleanup(true);
  B.CreateCall(cast<Function>(unwrap(Cleanup)), {unwrap(Mark)});
  B.CreateResume(Landing);
  BasicBlock *At = Call->getParent();
  changeToInvokeAndSplitBasicBlock(Call, Pad);
  return wrap(static_cast<Value *>(At->getTerminator()));
}

// Has a call unwind to a new block, which catches all; returns the landing pad, behind which there is nothing yet.
LLVMValueRef adshim_catch_all(LLVMValueRef CallRef, LLVMValueRef Personality) {
  auto *Call = cast<CallInst>(unwrap(CallRef));
  Function &F = *Call->getFunction();
  if (!F.hasPersonalityFn())
    F.setPersonalityFn(cast<Constant>(unwrap(Personality)));
  LLVMContext &C = F.getContext();
  auto *Pad = BasicBlock::Create(C, "ad.kept", &F);
  IRBuilder<> B(Pad);
  auto *Landing = B.CreateLandingPad(StructType::get(B.getPtrTy(), B.getInt32Ty()), 1);
  Landing->addClause(ConstantPointerNull::get(B.getPtrTy()));
  changeToInvokeAndSplitBasicBlock(Call, Pad);
  return wrap(static_cast<Value *>(Landing));
}

// Ends the block before an instruction, or behind it; the new block, to which it jumps, begins with what followed.
LLVMBasicBlockRef adshim_split(LLVMValueRef At, bool Behind) {
  auto *I = cast<Instruction>(unwrap(At));
  auto Place = Behind ? std::next(I->getIterator()) : I->getIterator();
  return wrap(I->getParent()->splitBasicBlock(Place, "ad.split"));
}

// Takes the call out of an invoke: it comes before an invoke of nothing with the same destinations. Returns the call.
LLVMValueRef adshim_call_before_invoke(LLVMValueRef InvokeRef) {
  auto *II = cast<InvokeInst>(unwrap(InvokeRef));
  CallInst *Call = createCallMatchingInvoke(II);
  Call->insertBefore(II->getIterator());
  II->replaceAllUsesWith(Call);
  Function *Nothing = Intrinsic::getOrInsertDeclaration(II->getModule(), Intrinsic::donothing);
  InvokeInst::Create(Nothing->getFunctionType(), Nothing, II->getNormalDest(), II->getUnwindDest(), {}, "", II->getIterator());
  II->eraseFromParent();
  return wrap(static_cast<Value *>(Call));
}

// The personality of a function; null where it has none.
LLVMValueRef adshim_personality(LLVMValueRef FRef) {
  auto *F = cast<Function>(unwrap(FRef));
  return F->hasPersonalityFn() ? wrap(static_cast<Value *>(F->getPersonalityFn())) : nullptr;
}

// Whether a call or invoke is known not to unwind.
int adshim_does_not_throw(LLVMValueRef Call) { return cast<CallBase>(unwrap(Call))->doesNotThrow(); }
}
