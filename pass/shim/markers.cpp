// Markers of checkpointed loops and regions before LLVM simplifies: how they survive, and what is known of where they
// stand.

#include "markers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace {
// Stands at the head of a loop that iterates to a fixed point.
constexpr StringLiteral HeadName("adcc.fixed_point.head");
} // namespace

Marker markerOf(const Function &F) {
  if (!F.isDeclaration())
    return None;
  return StringSwitch<Marker>(F.getName())
      .Cases({"ad_checkpoint_loop", "ad_checkpoint_independent", "ad_fixed_point"}, LoopMarker)
      .Case(HeadName, Header)
      .Case("ad_checkpoint_begin", Begin)
      .Case("ad_checkpoint_end", End)
      .Case("ad_checkpoint_state", State)
      // Fortran's own were replaced by those where their arguments are known.
      .Cases({"ad_checkpoint_loop_", "ad_checkpoint_independent_", "ad_checkpoint_begin_", "ad_checkpoint_end_", "ad_checkpoint_state_", "ad_fixed_point_"}, Wrong)
      .Default(None);
}

bool isIndependent(const CallInst &Marker) { return Marker.getCalledFunction()->getName() == "ad_checkpoint_independent"; }
bool isFixedPoint(const CallInst &Marker) { return Marker.getCalledFunction()->getName() == "ad_fixed_point"; }

Marker markerOf(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  Function *F = Call ? Call->getCalledFunction() : nullptr;
  Marker M = F ? markerOf(*F) : None;
  auto IsInteger = [&](unsigned I) { return Call->getArgOperand(I)->getType()->isIntegerTy(); };
  if (M == None)
    return None;
  bool Fits = Call->use_empty();
  if (M == LoopMarker && isFixedPoint(*Call))
    Fits &= Call->arg_size() == 1 && Call->getArgOperand(0)->getType()->isDoubleTy();
  else if (M == LoopMarker)
    Fits &= isIndependent(*Call) ? Call->arg_empty() : Call->arg_size() == 1 && IsInteger(0);
  else if (M == State)
    Fits &= Call->arg_size() == 2 && Call->getArgOperand(0)->getType()->isPointerTy() && IsInteger(1);
  else
    Fits &= Call->arg_empty();
  return Fits ? M : Wrong;
}

extern "C" void adshim_make_marker(LLVMValueRef FRef);

namespace {
void note(CallBase &Call) { Call.addFnAttr(Attribute::get(Call.getContext(), InLoop)); }

// The iterations of a loop stay what its steps are.
void keepIterations(Loop &L) {
  if (!findOptionMDForLoop(&L, "llvm.loop.unroll.disable"))
    addStringMetadataToLoop(&L, "llvm.loop.unroll.disable", 1);
}

// A loop that iterates to a fixed point stays one loop, whose condition is tested in one place: else the runtime would not see one that is left
// before its first iteration is complete.
void keepHead(CallBase &Call, Loop &L) {
  for (Instruction &I : *L.getHeader())
    if (markerOf(I) == Header)
      return;
  IRBuilder<> B(L.getHeader(), L.getHeader()->getFirstInsertionPt());
  FunctionCallee Head = Call.getModule()->getOrInsertFunction(HeadName, B.getVoidTy());
  adshim_make_marker(wrap(cast<Function>(Head.getCallee())));
  B.CreateCall(Head)->setDebugLoc(Call.getDebugLoc());
}

// Looks at the markers of one function; whether it only wraps one.
bool noteMarkers(Function &F, DenseMap<Function *, Marker> &Meanings, DenseMap<Function *, SmallVector<CallBase *, 2>> &Wrapped) {
  SmallVector<std::pair<CallBase *, Marker>, 4> Found;
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction())
        if (Marker Is = Meanings.lookup(Call->getCalledFunction()); Is != None)
          Found.push_back({Call, Is});
  if (Found.empty())
    return false;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  Blocks Before;
  Marker Wraps = None;
  SmallVector<CallBase *, 2> OutsideLoops;
  int Depth = 0;
  for (auto [Call, Is] : Found) {
    bool IsOutsideLoop = Is == LoopMarker && !LI.getLoopFor(Call->getParent());
    if (IsOutsideLoop) {
      Wraps = Is;
      OutsideLoops.push_back(Call);
    } else if (Is == LoopMarker) {
      note(*Call);
      keepIterations(*LI.getLoopFor(Call->getParent()));
      if (auto *Mark = dyn_cast<CallInst>(Call); Mark && Mark->getCalledFunction()->isDeclaration() && isFixedPoint(*Mark))
        keepHead(*Call, *LI.getLoopFor(Call->getParent()));
      for (CallBase *Inner : Wrapped.lookup(Call->getCalledFunction()))
        note(*Inner);
    }
    if (Is == Begin || (Is == LoopMarker && !IsOutsideLoop))
      Before.insert(Call->getParent());
    Depth += Is == Begin ? 1 : Is == End ? -1 : 0;
  }
  for (unsigned I = 0; I < Before.size(); ++I)
    for (BasicBlock *Pred : predecessors(Before[I]))
      Before.insert(Pred);
  for (auto [Call, Is] : Found)
    if (Is == State && Before.count(Call->getParent()))
      note(*Call);
    else if (Is == State && Wraps == None)
      Wraps = State;
  if (Depth != 0)
    Wraps = Depth > 0 ? Begin : End;
  if (Wraps == None || F.hasFnAttribute(Attribute::NoInline))
    return false;
  F.addFnAttr(Attribute::AlwaysInline);
  Meanings[&F] = Wraps;
  for (CallBase *Call : OutsideLoops) {
    Wrapped[&F].push_back(Call);
    auto Inner = Wrapped.lookup(Call->getCalledFunction());
    Wrapped[&F].append(Inner.begin(), Inner.end());
  }
  return true;
}
} // namespace

extern "C" {

// Lets LLVM take a marker for something that it cannot know, and that touches nothing it knows. The loop of a marker may become two, one
// for each outcome of a condition that does not change in it, as it would without one.
void adshim_make_marker(LLVMValueRef FRef) {
  auto *F = cast<Function>(unwrap(FRef));
  for (auto A : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoMerge, Attribute::NoCallback})
    F->addFnAttr(A);
  if (markerOf(*F) != LoopMarker)
    F->addFnAttr(Attribute::NoDuplicate);
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  for (Argument &A : F->args())
    if (A.getType()->isPointerTy())
      A.addAttr(Attribute::getWithCaptureInfo(F->getContext(), CaptureInfo::none()));
}

// Notes which calls of markers stand in a loop, and which calls of `ad_checkpoint_state` a marker follows. What only
// wraps a marker is inlined, whatever it costs.
void adshim_note_markers(LLVMModuleRef MRef) {
  Module &M = *unwrap(MRef);
  // Markers and what wraps them, by what they mean.
  DenseMap<Function *, Marker> Meanings;
  for (Function &F : M)
    if (Marker Is = markerOf(F); Is != None)
      Meanings[&F] = Is;
  DenseMap<Function *, SmallVector<CallBase *, 2>> Wrapped;
  for (bool Found = true; Found;) {
    Found = false;
    for (Function &F : M)
      if (!F.isDeclaration() && !Meanings.count(&F))
        Found |= noteMarkers(F, Meanings, Wrapped);
  }
}
}
