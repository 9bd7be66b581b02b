// What the C API lacks to take apart accesses to one of two members: blocks are split.

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
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

// Makes each load or store of a pointer in one of two members of a structure a branch, with an access to one member on each side;
// whether there was any.
int adshim_split_choices(LLVMValueRef FRef) {
  Function &F = *unwrap<Function>(FRef);
  SmallVector<Instruction *, 16> Accesses;
  for (BasicBlock &B : F)
    for (Instruction &I : B) {
      auto *Load = dyn_cast<LoadInst>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      bool IsPlain = Load ? Load->isSimple() && Load->getType()->isPointerTy()
                          : Store && Store->isSimple() && Store->getValueOperand()->getType()->isPointerTy();
      Value *Address = Load ? Load->getPointerOperand() : Store ? Store->getPointerOperand() : nullptr;
      bool IsStored = Store && Store->getValueOperand() == Address;
      if (IsPlain && !IsStored && chosenStep(dyn_cast<GetElementPtrInst>(Address)))
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
