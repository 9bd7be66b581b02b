// What the C API lacks to take apart accesses to one of two members: blocks are split.

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
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

// How many loads of one function are taken apart.
constexpr unsigned MostSources = 1024;

// The choice at which the steps to an address begin.
Instruction *chosenSource(Value *Address) {
  while (auto *Step = dyn_cast<GetElementPtrInst>(Address))
    Address = Step->getPointerOperand();
  return isa<SelectInst>(Address) || isa<PHINode>(Address) ? cast<Instruction>(Address) : nullptr;
}

// Whether nothing is loaded from a pointer.
bool isNowhere(const Value *Pointer) { return isa<UndefValue>(Pointer) || isa<ConstantPointerNull>(Pointer); }

// Whether pointers of a choice lead into several objects.
bool isAmongObjects(const Value *Choice) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Choice, Objects);
  return count_if(Objects, [](const Value *O) { return !isNowhere(O); }) > 1;
}

// The value that a phi takes from some of its predecessors, where it is one: itself, or a phi that takes nothing from others.
Value *takenFrom(PHINode *Phi, function_ref<bool(Value *)> IsTaken) {
  Value *Only = nullptr;
  bool IsOnly = true;
  for (Value *V : Phi->incoming_values())
    if (IsTaken(V)) {
      IsOnly = IsOnly && (!Only || Only == V);
      Only = V;
    }
  if (IsOnly && !isa<Instruction>(Only))
    return Only;
  PHINode *Taken = PHINode::Create(Phi->getType(), Phi->getNumIncomingValues(), "", Phi->getIterator());
  for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
    Value *V = Phi->getIncomingValue(I);
    Taken->addIncoming(IsTaken(V) ? V : PoisonValue::get(Phi->getType()), Phi->getIncomingBlock(I));
  }
  return Taken;
}

// The choice between the first pointer of a phi and the others, by a condition; null if there is only one.
SelectInst *asSelect(PHINode *Phi) {
  Value *First = *find_if(Phi->incoming_values(), [](Value *V) { return !isNowhere(V); });
  auto IsFirst = [First](Value *V) { return V == First; };
  auto IsOther = [First](Value *V) { return V != First && !isNowhere(V); };
  if (none_of(Phi->incoming_values(), IsOther))
    return nullptr;
  Type *Bit = Type::getInt1Ty(Phi->getContext());
  PHINode *Which = PHINode::Create(Bit, Phi->getNumIncomingValues(), "", Phi->getIterator());
  for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I)
    Which->addIncoming(ConstantInt::get(Bit, IsFirst(Phi->getIncomingValue(I))), Phi->getIncomingBlock(I));
  Value *One = takenFrom(Phi, IsFirst), *Other = takenFrom(Phi, IsOther);
  auto *Choice = SelectInst::Create(Which, One, Other, "", Phi->getParent()->getFirstInsertionPt());
  Phi->replaceAllUsesWith(Choice);
  Phi->eraseFromParent();
  return Choice;
}

// The load before `At`, where the steps to its address begin at `Source` and not at `Choice`.
LoadInst *loadFrom(LoadInst *Load, Instruction *Choice, Value *Source, Instruction *At) {
  SmallVector<GetElementPtrInst *, 4> Steps;
  for (Value *V = Load->getPointerOperand(); V != Choice; V = Steps.back()->getPointerOperand())
    Steps.push_back(cast<GetElementPtrInst>(V));
  for (GetElementPtrInst *Step : reverse(Steps)) {
    auto *Own = cast<GetElementPtrInst>(Step->clone());
    Own->setOperand(GetElementPtrInst::getPointerOperandIndex(), Source);
    Own->insertBefore(At->getIterator());
    Source = Own;
  }
  auto *Own = cast<LoadInst>(Load->clone());
  Own->setOperand(LoadInst::getPointerOperandIndex(), Source);
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
// Makes each load of a real or a pointer whose address is chosen among objects a branch, with a load of one object on each side. Passes
// make such choices where the source has one between two loads. Not where the choice is made anew in each iteration of a loop from the
// one before. Whether there was any.
int adshim_split_sources(LLVMValueRef FRef) {
  Function &F = *unwrap<Function>(FRef);
  DominatorTree Dominators(F);
  SmallPtrSet<PHINode *, 16> Circles;
  SmallVector<LoadInst *, 32> Loads;
  for (BasicBlock &B : F) {
    bool IsHeader = any_of(predecessors(&B), [&](BasicBlock *P) { return Dominators.dominates(&B, P); });
    for (Instruction &I : B) {
      auto *Phi = dyn_cast<PHINode>(&I);
      auto *Load = dyn_cast<LoadInst>(&I);
      if (Phi && IsHeader)
        Circles.insert(Phi);
      else if (Load && Load->isSimple() && (kindOf(Load->getType()) & (Real | Pointer)))
        Loads.push_back(Load);
    }
  }
  // In order: what is loaded may be a pointer by which others load.
  std::reverse(Loads.begin(), Loads.end());
  unsigned Count = 0;
  while (!Loads.empty() && Count < MostSources) {
    LoadInst *Load = Loads.pop_back_val();
    Instruction *Source = chosenSource(Load->getPointerOperand());
    auto *Phi = dyn_cast_or_null<PHINode>(Source);
    bool IsPlain = Phi ? !Circles.count(Phi) : Source && cast<SelectInst>(Source)->getCondition()->getType()->isIntegerTy(1);
    if (!IsPlain || !isAmongObjects(Source))
      continue;
    if (Value *Only = Phi ? Phi->hasConstantValue() : nullptr) {
      Phi->replaceAllUsesWith(Only);
      Phi->eraseFromParent();
      Loads.push_back(Load);
      continue;
    }
    auto *Choice = Phi ? asSelect(Phi) : cast<SelectInst>(Source);
    if (!Choice)
      continue;
    Instruction *Then, *Else;
    SplitBlockAndInsertIfThenElse(Choice->getCondition(), Load->getIterator(), &Then, &Else);
    LoadInst *First = loadFrom(Load, Choice, Choice->getTrueValue(), Then);
    LoadInst *Second = loadFrom(Load, Choice, Choice->getFalseValue(), Else);
    PHINode *Both = PHINode::Create(Load->getType(), 2, "", Load->getIterator());
    Both->addIncoming(First, Then->getParent());
    Both->addIncoming(Second, Else->getParent());
    Load->replaceAllUsesWith(Both);
    Load->eraseFromParent();
    Loads.append({Second, First});
    ++Count;
  }
  return Count != 0;
}
}
