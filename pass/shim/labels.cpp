// Computed gotos. Addresses of a function's blocks are of no use in its copy: those in tables lead to the function itself. The copy
// gets numbers for them, and switches for the jumps.

#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {
class Labels {
public:
  Labels(Function &Copy, Function &Source) : Copy(Copy), Source(Source), Word(Copy.getDataLayout().getIntPtrType(Copy.getContext())) {
    unsigned N = 0;
    for (auto [Old, New] : zip_equal(Source, Copy))
      Blocks[&Old] = {&New, ++N};
  }

  void run() {
    SmallVector<IndirectBrInst *, 4> Jumps;
    for (BasicBlock &BB : Copy)
      if (auto *Jump = dyn_cast<IndirectBrInst>(BB.getTerminator()))
        Jumps.push_back(Jump);
    if (!all_of(Jumps, [&](IndirectBrInst *Jump) { return isLabel(Jump->getAddress()); }) || !areOnlyForJumps())
      return;
    for (IndirectBrInst *Jump : Jumps)
      choose(*Jump);
    for (auto &[Old, New] : Blocks)
      if (New.first->hasAddressTaken()) {
        // What is left of them belongs to values that nothing uses any more.
        BlockAddress *Address = BlockAddress::get(New.first);
        Address->replaceAllUsesWith(ConstantExpr::getIntToPtr(ConstantInt::get(Word, New.second), Address->getType()));
        Address->destroyConstant();
      }
  }

private:
  Function &Copy, &Source;
  // An integer of a pointer's size.
  IntegerType *Word;
  // Per block of the function, its copy and its number.
  DenseMap<BasicBlock *, std::pair<BasicBlock *, unsigned>> Blocks;
  // Values that are surely labels.
  SetVector<Value *> Known;
  // Addresses that are surely in tables of labels.
  SetVector<Value *> InTables;
  DenseMap<Value *, Value *> Numbers;

  // The number of a label's address, in the function or in its copy; 0 for others.
  unsigned numberOf(Value *Address) {
    auto *BA = dyn_cast<BlockAddress>(Address);
    if (!BA)
      return 0;
    if (BA->getFunction() == &Source)
      return Blocks.lookup(BA->getBasicBlock()).second;
    for (auto &[Old, New] : Blocks)
      if (BA->getFunction() == &Copy && New.first == BA->getBasicBlock())
        return New.second;
    return 0;
  }

  // Whether a variable holds labels of the function and nothing else, always.
  bool isTable(GlobalVariable *Table) {
    if (!Table || !Table->hasDefinitiveInitializer() || Table->isThreadLocal())
      return false;
    SmallVector<unsigned, 16> Entries;
    if (!collect(Table->getInitializer(), Entries))
      return false;
    return Table->isConstant() || (Table->hasLocalLinkage() && isOnlyRead(Table));
  }
  bool collect(Constant *C, SmallVectorImpl<unsigned> &Entries) {
    if (isa<ConstantArray>(C))
      return all_of(C->operands(), [&](Use &U) { return collect(cast<Constant>(U.get()), Entries); });
    Entries.push_back(numberOf(C));
    return Entries.back() != 0;
  }
  bool isOnlyRead(Value *Pointer) {
    return all_of(Pointer->users(), [&](User *U) {
      if (auto *Load = dyn_cast<LoadInst>(U))
        return Load->isSimple();
      return isa<GEPOperator>(U) && isOnlyRead(U);
    });
  }
  // Whether an address is always one in such a table.
  bool isInTable(Value *Pointer) {
    if (auto *Table = dyn_cast<GlobalVariable>(Pointer))
      return isTable(Table);
    if (!isa<GEPOperator, PHINode, SelectInst>(Pointer) || !InTables.insert(Pointer))
      return InTables.contains(Pointer);
    if (auto *GEP = dyn_cast<GEPOperator>(Pointer))
      return isInTable(GEP->getPointerOperand());
    if (auto *Phi = dyn_cast<PHINode>(Pointer))
      return all_of(Phi->incoming_values(), [&](Use &U) { return isInTable(U.get()); });
    auto *Select = cast<SelectInst>(Pointer);
    return isInTable(Select->getTrueValue()) && isInTable(Select->getFalseValue());
  }

  // A stack variable that nothing but loads and stores of whole pointers reaches.
  bool isPlain(AllocaInst *A) {
    return A->getAllocatedType()->isPointerTy() && !A->isArrayAllocation() && all_of(A->users(), [&](User *U) {
      if (auto *Load = dyn_cast<LoadInst>(U))
        return Load->isSimple() && Load->getType()->isPointerTy();
      if (auto *Store = dyn_cast<StoreInst>(U))
        return Store->isSimple() && Store->getPointerOperand() == A && Store->getValueOperand()->getType()->isPointerTy();
      auto *II = dyn_cast<IntrinsicInst>(U);
      return II && II->isLifetimeStartOrEnd();
    });
  }

  // Whether a value is always a label of the function.
  bool isLabel(Value *V) {
    if (numberOf(V) || isa<UndefValue>(V) || !Known.insert(V))
      return true;
    if (auto *Phi = dyn_cast<PHINode>(V))
      return all_of(Phi->incoming_values(), [&](Use &U) { return isLabel(U.get()); });
    if (auto *Select = dyn_cast<SelectInst>(V))
      return isLabel(Select->getTrueValue()) && isLabel(Select->getFalseValue());
    if (auto *Freeze = dyn_cast<FreezeInst>(V))
      return isLabel(Freeze->getOperand(0));
    auto *Load = dyn_cast<LoadInst>(V);
    if (!Load || !Load->isSimple())
      return false;
    if (auto *A = dyn_cast<AllocaInst>(Load->getPointerOperand()))
      return isPlain(A) && all_of(A->users(), [&](User *U) {
               auto *Store = dyn_cast<StoreInst>(U);
               return !Store || isLabel(Store->getValueOperand());
             });
    return isInTable(Load->getPointerOperand());
  }

  // Whether addresses of the copy's blocks go nowhere else.
  bool areOnlyForJumps() {
    for (Instruction &I : instructions(Copy))
      for (Use &U : I.operands()) {
        auto *C = dyn_cast<Constant>(U.get());
        bool IsPart = isa<IndirectBrInst>(I) || Known.contains(&I) ||
                      (isa<StoreInst>(I) && isNumbered(cast<StoreInst>(I).getPointerOperand()));
        if (C && leadsToBlocks(C) && !IsPart)
          return false;
      }
    return true;
  }
  bool isNumbered(Value *Pointer) {
    // Null and poison have no list of users.
    return Pointer->hasUseList() && any_of(Pointer->users(), [&](User *U) { return isa<LoadInst>(U) && Known.contains(U); });
  }
  bool leadsToBlocks(Constant *C) {
    if (auto *BA = dyn_cast<BlockAddress>(C))
      return BA->getFunction() == &Copy;
    return !isa<GlobalValue>(C) && any_of(C->operands(), [&](Use &U) {
      auto *Part = dyn_cast<Constant>(U.get());
      return Part && leadsToBlocks(Part);
    });
  }

  // The number of a label.
  Value *number(Value *V) {
    if (unsigned N = numberOf(V))
      return ConstantInt::get(Word, N);
    if (isa<UndefValue>(V))
      return PoisonValue::get(Word);
    if (Value *Made = Numbers.lookup(V))
      return Made;
    auto *I = cast<Instruction>(V);
    IRBuilder<> B(I);
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      PHINode *New = B.CreatePHI(Word, Phi->getNumIncomingValues(), "ad.label");
      Numbers[V] = New;
      for (unsigned K = 0; K < Phi->getNumIncomingValues(); ++K)
        New->addIncoming(number(Phi->getIncomingValue(K)), Phi->getIncomingBlock(K));
      return New;
    }
    if (auto *Select = dyn_cast<SelectInst>(V)) {
      Value *Yes = number(Select->getTrueValue()), *No = number(Select->getFalseValue());
      return Numbers[V] = B.CreateSelect(Select->getCondition(), Yes, No, "ad.label");
    }
    if (auto *Freeze = dyn_cast<FreezeInst>(V)) {
      Value *Of = number(Freeze->getOperand(0));
      return Numbers[V] = B.CreateFreeze(Of, "ad.label");
    }
    Value *Pointer = cast<LoadInst>(V)->getPointerOperand();
    auto *A = dyn_cast<AllocaInst>(Pointer);
    Value *From = A ? variable(*A) : elementOf(Pointer);
    return Numbers[V] = B.CreateLoad(Word, From, "ad.label");
  }

  // The variable of numbers beside one of labels.
  Value *variable(AllocaInst &A) {
    if (Value *Made = Numbers.lookup(&A))
      return Made;
    IRBuilder<> B(&A);
    Value *New = B.CreateAlloca(Word, nullptr, "ad.label");
    Numbers[&A] = New;
    SmallVector<StoreInst *, 8> Stores;
    for (User *U : A.users())
      if (auto *Store = dyn_cast<StoreInst>(U))
        Stores.push_back(Store);
    for (StoreInst *Store : Stores) {
      Value *Stored = number(Store->getValueOperand());
      B.SetInsertPoint(Store);
      B.CreateStore(Stored, New);
    }
    return New;
  }

  // The same place in the table of numbers; elements of both have the size of a pointer.
  Value *elementOf(Value *Pointer) {
    if (Value *Made = Numbers.lookup(Pointer))
      return Made;
    IRBuilder<> B(Copy.getContext());
    if (auto *I = dyn_cast<Instruction>(Pointer))
      B.SetInsertPoint(I);
    if (auto *GEP = dyn_cast<GEPOperator>(Pointer)) {
      SmallVector<Value *, 4> Indices(GEP->indices());
      return Numbers[Pointer] = B.CreateGEP(GEP->getSourceElementType(), elementOf(GEP->getPointerOperand()), Indices);
    }
    if (auto *Phi = dyn_cast<PHINode>(Pointer)) {
      PHINode *New = B.CreatePHI(Phi->getType(), Phi->getNumIncomingValues(), "ad.labels");
      Numbers[Pointer] = New;
      for (unsigned K = 0; K < Phi->getNumIncomingValues(); ++K)
        New->addIncoming(elementOf(Phi->getIncomingValue(K)), Phi->getIncomingBlock(K));
      return New;
    }
    if (auto *Select = dyn_cast<SelectInst>(Pointer)) {
      Value *Yes = elementOf(Select->getTrueValue()), *No = elementOf(Select->getFalseValue());
      return Numbers[Pointer] = B.CreateSelect(Select->getCondition(), Yes, No, "ad.labels");
    }
    auto *Table = cast<GlobalVariable>(Pointer);
    SmallVector<unsigned, 16> Entries;
    collect(Table->getInitializer(), Entries);
    SmallVector<Constant *, 16> Numbers;
    for (unsigned N : Entries)
      Numbers.push_back(ConstantInt::get(Word, N));
    Constant *All = ConstantArray::get(ArrayType::get(Word, Numbers.size()), Numbers);
    auto *New = new GlobalVariable(*Copy.getParent(), All->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                   All, Table->getName() + ".ad.labels");
    New->setAlignment(Align(8));
    this->Numbers[Table] = New;
    return New;
  }

  void choose(IndirectBrInst &Jump) {
    Value *Number = number(Jump.getAddress());
    BasicBlock *Here = Jump.getParent();
    SetVector<BasicBlock *> To;
    for (BasicBlock *S : successors(Here))
      if (!To.insert(S))
        S->removePredecessor(Here, /*KeepOneInputPHIs=*/true);
    auto *Unreachable = BasicBlock::Create(Copy.getContext(), "unreachable", &Copy);
    new UnreachableInst(Copy.getContext(), Unreachable);
    DenseMap<BasicBlock *, unsigned> NumberOf;
    for (auto &[Old, New] : Blocks)
      NumberOf[New.first] = New.second;
    IRBuilder<> B(&Jump);
    SwitchInst *Switch = B.CreateSwitch(Number, Unreachable, To.size());
    for (BasicBlock *S : To)
      Switch->addCase(cast<ConstantInt>(ConstantInt::get(Word, NumberOf[S])), S);
    Jump.eraseFromParent();
  }
};
} // namespace

extern "C" {

// Makes the computed gotos of `Copy`, which was just cloned from `Source`, switches, where all that they jump to is known to be
// labels of that function. Others are left.
void adshim_number_labels(LLVMValueRef Copy, LLVMValueRef Source) {
  Labels(*cast<Function>(unwrap(Copy)), *cast<Function>(unwrap(Source))).run();
}
}
