// What the C API lacks to take apart accesses to one of two members: blocks are split.

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace {
// The choice between two constants by which an address steps from its base, if that is its only step.
SelectInst *chosenStep(GetElementPtrInst *Step) {
  if (!Step || Step->getNumIndices() != 1)
    return nullptr;
  auto *Choice = dyn_cast<SelectInst>(Step->getOperand(1));
  bool IsPlain = Choice && Choice->getCondition()->getType()->isIntegerTy(1) &&
                 isa<ConstantInt>(Choice->getTrueValue()) && isa<ConstantInt>(Choice->getFalseValue());
  return IsPlain ? Choice : nullptr;
}

// What an access moves.
enum Kind { None = 0, Integer = 1, Real = 2, Pointer = 4 };
Kind kindOf(Type *T) {
  return T->isPointerTy() ? Pointer : T->isIntOrIntVectorTy() ? Integer : T->isFPOrFPVectorTy() ? Real : None;
}

// The pointer from which constant steps, or one that is chosen, lead to an address.
const Value *baseOf(const Value *Address) {
  for (;;) {
    auto *Step = dyn_cast<GEPOperator>(Address);
    auto *Chosen = dyn_cast<GetElementPtrInst>(Address);
    if (!Step || !(Step->hasAllConstantIndices() || chosenStep(const_cast<GetElementPtrInst *>(Chosen))))
      return Address;
    Address = Step->getPointerOperand();
  }
}

// What is accessed behind each pointer that constant steps begin at.
DenseMap<const Value *, unsigned> kindsBehind(Function &F) {
  DenseMap<const Value *, unsigned> Kinds;
  for (Instruction &I : instructions(F))
    if (const Value *Address = getLoadStorePointerOperand(&I))
      Kinds[baseOf(Address)] |= kindOf(getLoadStoreType(&I));
  return Kinds;
}

// The access before `At`, to the member that `Index` steps to.
Instruction *accessOf(Instruction *Access, GetElementPtrInst *Step, Value *Index, Instruction *At) {
  auto *Address = cast<GetElementPtrInst>(Step->clone());
  Address->setOperand(1, Index);
  Address->insertBefore(At->getIterator());
  Instruction *Own = Access->clone();
  Own->replaceUsesOfWith(Step, Address);
  Own->insertBefore(At->getIterator());
  return Own;
}
} // namespace

extern "C" {

// Makes each load or store of one of two members of a structure a branch, with an access to one member on each side, where offsets
// that stand for both would be other members' too: of pointers, and where other things than what is accessed lie behind the same
// pointer. Whether there was any.
int adshim_split_choices(LLVMValueRef FRef) {
  Function &F = *unwrap<Function>(FRef);
  SmallVector<Instruction *, 16> Accesses;
  DenseMap<const Value *, unsigned> Kinds = kindsBehind(F);
  for (BasicBlock &B : F)
    for (Instruction &I : B) {
      auto *Load = dyn_cast<LoadInst>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      bool IsPlain = Load ? Load->isSimple() : Store && Store->isSimple();
      Value *Address = IsPlain ? getLoadStorePointerOperand(&I) : nullptr;
      if (!Address || (Store && Store->getValueOperand() == Address) || !chosenStep(dyn_cast<GetElementPtrInst>(Address)))
        continue;
      unsigned Kind = kindOf(getLoadStoreType(&I));
      if (Kind == Pointer || (Kind && (Kinds.lookup(baseOf(Address)) & ~Kind)))
        Accesses.push_back(&I);
    }
  for (Instruction *Access : Accesses) {
    auto *Step = cast<GetElementPtrInst>(getLoadStorePointerOperand(Access));
    SelectInst *Choice = chosenStep(Step);
    Instruction *Then, *Else;
    SplitBlockAndInsertIfThenElse(Choice->getCondition(), Access->getIterator(), &Then, &Else);
    Instruction *First = accessOf(Access, Step, Choice->getTrueValue(), Then);
    Instruction *Second = accessOf(Access, Step, Choice->getFalseValue(), Else);
    if (!Access->getType()->isVoidTy()) {
      PHINode *Both = PHINode::Create(Access->getType(), 2, "", Access->getIterator());
      Both->addIncoming(First, Then->getParent());
      Both->addIncoming(Second, Else->getParent());
      Access->replaceAllUsesWith(Both);
    }
    Access->eraseFromParent();
    if (Step->use_empty())
      Step->eraseFromParent();
  }
  return !Accesses.empty();
}
}
