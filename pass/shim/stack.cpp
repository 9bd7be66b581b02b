// Stack variables of checkpointed steps. One that lies outside of the steps goes from one to the next, and is part of each snapshot; one
// that every step begins anew lies in the step.
//
// A variable is begun anew where its lifetime starts, or where it is the memory in which a call returns a structure: what a compiler
// lets calls build in place is new. If nothing else knows its address, it is enough that it is overwritten: each use must be dominated by
// instructions of the step that write all its bytes. An instruction of a step that dominates a use comes before it in the
// same step, as a path to the step's entry goes by none of them. Where the address goes to the next step in a register, the next step reads the
// variable there that this one had: it is not moved.

#include "stack.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <optional>

using namespace llvm;

namespace {
// Larger variables are not looked at byte by byte.
constexpr uint64_t MostBytes = 1 << 16;

// An instruction that writes bytes of a variable, or makes them undefined.
struct Beginning {
  Instruction *At;
  uint64_t From, To;
  bool IsNew;
};

class Variable {
public:
  Variable(AllocaInst &A, uint64_t Bytes, Blocks &Body, DominatorTree &DT)
      : A(A), Bytes(Bytes), Body(Body), DT(DT), DL(A.getModule()->getDataLayout()) {}

  // Whether each step begins it anew.
  bool isNew() {
    if (!visit(A, 0))
      return false;
    if (Beginnings.empty())
      return false;
    if (isCovered(/*OnlyNew=*/true))
      return true;
    return Bytes <= MostBytes && !PointerMayBeCaptured(&A, /*ReturnCaptures=*/true) && isCovered(/*OnlyNew=*/false);
  }

  // Moves it to the first block of the step, with addresses in it that were computed before.
  void sink() {
    auto At = Body.front()->getFirstInsertionPt();
    A.moveBefore(*Body.front(), At);
    for (Instruction *I : Outside)
      I->moveBefore(*Body.front(), At);
  }

private:
  AllocaInst &A;
  uint64_t Bytes;
  Blocks &Body;
  DominatorTree &DT;
  const DataLayout &DL;
  SmallVector<Beginning, 8> Beginnings;
  SmallVector<Use *, 16> Uses;
  // Values that may be the address of the variable, or of another.
  SmallPtrSet<Instruction *, 8> Chosen;
  // Address arithmetic that does not stand in the step, in order.
  SmallVector<Instruction *, 4> Outside;

  // Sorts the uses of an address, so many bytes behind the variable's first where that is known; false where it leaves the step.
  bool visit(Value &Address, std::optional<uint64_t> Offset) {
    for (Use &U : Address.uses()) {
      auto *I = cast<Instruction>(U.getUser());
      if (isa<GetElementPtrInst>(I) && DT.dominates(I->getParent(), Body.front()) && I->getParent() != Body.front())
        Outside.push_back(I);
      else if (!Body.count(I->getParent()) || (isa<PHINode>(I) && I->getParent() == Body.front()))
        return false;
      if (auto *Step = dyn_cast<GetElementPtrInst>(I)) {
        APInt Behind(64, 0);
        bool IsKnown = Offset && Step->accumulateConstantOffset(DL, Behind) && !Behind.isNegative();
        if (!visit(*Step, IsKnown ? std::optional<uint64_t>(*Offset + Behind.getZExtValue()) : std::nullopt))
          return false;
        continue;
      }
      // An address that is chosen here may be the next step's: the compiler computes ahead which variable that will use.
      if (isa<PHINode, SelectInst, FreezeInst, BitCastInst, AddrSpaceCastInst>(I)) {
        Uses.push_back(&U);
        if (Chosen.insert(I).second && !visit(*I, std::nullopt))
          return false;
        continue;
      }
      auto *Intrinsic = dyn_cast<IntrinsicInst>(I);
      if (Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::lifetime_end)
        continue;
      auto Written = written(*I, U);
      if (Written && Offset)
        Beginnings.push_back({I, *Offset, *Offset + Written->first, Written->second});
      else
        Uses.push_back(&U);
    }
    return true;
  }

  // How many bytes behind the address an instruction writes by that use, whatever lay there, and whether they are new then.
  std::optional<std::pair<uint64_t, bool>> written(Instruction &I, Use &U) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      TypeSize Size = DL.getTypeStoreSize(Store->getValueOperand()->getType());
      if (U.getOperandNo() == StoreInst::getPointerOperandIndex() && !Store->isVolatile() && !Size.isScalable())
        return std::pair<uint64_t, bool>(Size.getFixedValue(), false);
      return std::nullopt;
    }
    if (auto *Mark = dyn_cast<LifetimeIntrinsic>(&I))
      return std::pair<uint64_t, bool>(Bytes, Mark->getIntrinsicID() == Intrinsic::lifetime_start);
    if (auto *Set = dyn_cast<MemIntrinsic>(&I)) {
      auto *Length = dyn_cast<ConstantInt>(Set->getLength());
      if (&Set->getRawDestUse() == &U && Length && !Set->isVolatile())
        return std::pair<uint64_t, bool>(Length->getZExtValue(), false);
      return std::nullopt;
    }
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Call->isArgOperand(&U) && Call->paramHasAttr(Call->getArgOperandNo(&U), Attribute::StructRet))
      if (Type *Returned = Call->getParamStructRetType(Call->getArgOperandNo(&U)))
        return std::pair<uint64_t, bool>(DL.getTypeStoreSize(Returned).getFixedValue(), true);
    return std::nullopt;
  }

  // Whether all bytes are begun before each use.
  bool isCovered(bool OnlyNew) {
    return all_of(Uses, [&](Use *U) {
      BitVector Written(OnlyNew ? 1 : Bytes);
      for (Beginning &B : Beginnings) {
        bool IsAll = B.From == 0 && B.To >= Bytes;
        if ((OnlyNew && !(B.IsNew && IsAll)) || !DT.dominates(B.At, *U))
          continue;
        if (IsAll)
          return true;
        Written.set(std::min(B.From, Bytes), std::min(B.To, Bytes));
      }
      return !OnlyNew && Written.all();
    });
  }
};
} // namespace

bool isOfOneStep(AllocaInst &Memory, Blocks &Body) {
  SetVector<Value *> Addresses;
  Addresses.insert(&Memory);
  for (unsigned I = 0; I < Addresses.size(); ++I)
    for (User *U : Addresses[I]->users()) {
      auto *Use = cast<Instruction>(U);
      if (!Body.count(Use->getParent()) || (isa<PHINode>(Use) && Use->getParent() == Body.front()))
        return false;
      if (Use->getType()->isPointerTy() && !isa<CallBase, LoadInst>(Use))
        Addresses.insert(Use);
    }
  if (!PointerMayBeCaptured(&Memory, /*ReturnCaptures=*/true))
    return true;
  for (BasicBlock *BB : Body)
    for (Instruction &I : *BB) {
      auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      if (!Intrinsic || Intrinsic->getIntrinsicID() != Intrinsic::stackrestore)
        continue;
      auto *Saved = dyn_cast<Instruction>(Intrinsic->getArgOperand(0));
      if (Saved && Body.count(Saved->getParent()))
        return true;
    }
  return false;
}

SmallVector<AllocaInst *, 8> sinkVariables(Function &F, Blocks &Body) {
  DominatorTree DT(F);
  SmallVector<AllocaInst *, 8> All, Sunk;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I))
      All.push_back(A);
  // What stands behind one may go with it.
  for (AllocaInst *A : All) {
    auto Size = A->isStaticAlloca() ? A->getAllocationSize(F.getDataLayout()) : std::nullopt;
    if (!Size || Size->isScalable() || A->use_empty())
      continue;
    Variable V(*A, Size->getFixedValue(), Body, DT);
    if (!V.isNew())
      continue;
    V.sink();
    Sunk.push_back(A);
  }
  return Sunk;
}
