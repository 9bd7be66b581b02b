// Paths from which no return is reached become functions that never return: a call in place of the path.

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace {
using Blocks = SetVector<BasicBlock *>;

Blocks reachedFrom(BasicBlock *Start) {
  Blocks Found;
  Found.insert(Start);
  for (unsigned I = 0; I < Found.size(); ++I)
    for (BasicBlock *Next : successors(Found[I]))
      Found.insert(Next);
  return Found;
}

// Whether a store or a copy writes to memory that others see: neither a variable of the function, nor new memory.
bool isSeen(const Value *To) {
  const Value *Object = getUnderlyingObject(To, 0);
  return !isa<AllocaInst>(Object) && !isNoAliasCall(Object);
}

bool holdsReal(Type *T) {
  if (T->isStructTy() || T->isArrayTy())
    return any_of(T->subtypes(), holdsReal);
  return T->isFPOrFPVectorTy();
}

// Whether an instruction can go to another function.
bool isMovable(const Instruction &I) {
  if (isa<IndirectBrInst, CallBrInst>(I) || I.isEHPad() != isa<LandingPadInst>(I) || I.getType()->isTokenTy())
    return false;
  if (auto *SI = dyn_cast<StoreInst>(&I))
    return !holdsReal(SI->getValueOperand()->getType()) || !isSeen(SI->getPointerOperand());
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    switch (Call->getIntrinsicID()) {
    case Intrinsic::vastart:
    case Intrinsic::localescape:
    case Intrinsic::localrecover:
    case Intrinsic::frameaddress:
    case Intrinsic::returnaddress:
    case Intrinsic::addressofreturnaddress:
      return false;
    default:
      break;
    }
    return !Call->hasOperandBundles() && !Call->isMustTailCall() && !Call->hasFnAttr(Attribute::ReturnsTwice);
  }
  return true;
}

// Marks of variables' lives may name variables only.
bool isMark(const Instruction &I) { return I.isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(I); }

// Whether a stack variable is used in these blocks only.
bool isUsedIn(const AllocaInst &A, const Blocks &Inside) {
  return A.isStaticAlloca() && all_of(A.users(), [&](const User *U) {
           auto *I = cast<Instruction>(U);
           return isMark(*I) || Inside.contains(const_cast<BasicBlock *>(I->getParent()));
         });
}

// A value that a block's instruction takes from outside of `Inside`.
bool isOutside(const Value *V, const Blocks &Inside) {
  if (auto *I = dyn_cast<Instruction>(V))
    return !Inside.contains(const_cast<BasicBlock *>(I->getParent()));
  return isa<Argument>(V);
}

bool isPlainStruct(Type *T) {
  auto *S = dyn_cast<StructType>(T);
  return S && none_of(S->elements(), [](Type *E) { return E->isAggregateType(); });
}
} // namespace

extern "C" {

// Makes all behind the phis or the landing pad of `Start`, from which no return is reached, a function `Name`, which is called there
// instead. `Leaving` are the blocks of all such paths: variables that only they use go with it. Returns the function, null where the
// path cannot move. The blocks that nothing reaches any more are for the caller to delete.
LLVMValueRef adshim_outline_leaving(LLVMBasicBlockRef StartRef, LLVMBasicBlockRef *LeavingRef, unsigned N, const char *Name) {
  BasicBlock *Start = unwrap(StartRef);
  Function &F = *Start->getParent();
  LLVMContext &C = F.getContext();
  Blocks Leaving;
  for (unsigned I = 0; I < N; ++I)
    Leaving.insert(unwrap(LeavingRef[I]));
  auto First = Start->getFirstNonPHIIt();
  if (isa<LandingPadInst>(First))
    ++First;
  Blocks Inside = reachedFrom(Start);
  for (BasicBlock *BB : Inside)
    if (BB->hasAddressTaken() || !all_of(*BB, isMovable))
      return nullptr;
  BasicBlock *Head = Start->splitBasicBlock(First, "ad.leaving");
  Inside = reachedFrom(Head);
  Leaving.insert(Head);

  SetVector<Value *> Inputs;
  SetVector<AllocaInst *> Own;
  for (BasicBlock *BB : Inside)
    for (Instruction &I : *BB)
      for (unsigned K = 0; K < I.getNumOperands(); ++K) {
        Value *V = I.getOperand(K);
        auto *Phi = dyn_cast<PHINode>(&I);
        if (!isOutside(V, Inside) || isMark(I) || (Phi && !Inside.contains(Phi->getIncomingBlock(K))))
          continue;
        auto *A = dyn_cast<AllocaInst>(V);
        if (A && isUsedIn(*A, Leaving))
          Own.insert(A);
        else
          Inputs.insert(V);
      }
  SmallVector<Type *, 8> Types;
  for (Value *V : Inputs) {
    Type *T = V->getType();
    if (isPlainStruct(T))
      append_range(Types, cast<StructType>(T)->elements());
    else if (T->isAggregateType() || T->isTokenTy() || T->isMetadataTy())
      return nullptr;
    else
      Types.push_back(T);
  }

  auto *New = Function::Create(FunctionType::get(Type::getVoidTy(C), Types, false), GlobalValue::InternalLinkage,
                               F.getAddressSpace(), Name, F.getParent());
  for (Attribute A : F.getAttributes().getFnAttrs())
    if (A.isStringAttribute() ? !A.getKindAsString().starts_with("ad") : A.hasAttribute(Attribute::UWTable) || A.hasAttribute(Attribute::StrictFP))
      New->addFnAttr(A);
  for (auto Kind : {Attribute::Cold, Attribute::NoInline, Attribute::NoReturn})
    New->addFnAttr(Kind);
  if (F.hasPersonalityFn())
    New->setPersonalityFn(F.getPersonalityFn());

  auto *Entry = BasicBlock::Create(C, "entry", New);
  IRBuilder<> B(Entry);
  ValueToValueMapTy Map;
  for (AllocaInst *A : Own) {
    Instruction *Copy = A->clone();
    B.Insert(Copy, A->getName());
    Map[A] = Copy;
  }
  SmallVector<Value *, 8> Arguments;
  IRBuilder<> Before(Start->getTerminator());
  unsigned At = 0;
  for (Value *V : Inputs) {
    auto *S = dyn_cast<StructType>(V->getType());
    if (!S) {
      Arguments.push_back(V);
      Map[V] = New->getArg(At++);
      continue;
    }
    Value *Whole = PoisonValue::get(S);
    for (unsigned K = 0; K < S->getNumElements(); ++K) {
      Arguments.push_back(Before.CreateExtractValue(V, K));
      Whole = B.CreateInsertValue(Whole, New->getArg(At++), K);
    }
    Map[V] = Whole;
  }
  SmallVector<BasicBlock *, 8> Copies;
  for (BasicBlock *BB : Inside) {
    BasicBlock *Copy = CloneBasicBlock(BB, Map, "", New);
    Map[BB] = Copy;
    Copies.push_back(Copy);
  }
  B.CreateBr(cast<BasicBlock>(Map[Head]));
  for (unsigned I = 0; I < Copies.size(); ++I) {
    for (PHINode &Phi : Copies[I]->phis())
      for (unsigned K = Phi.getNumIncomingValues(); K-- > 0;)
        if (!Inside.contains(Phi.getIncomingBlock(K)))
          Phi.removeIncomingValue(K, false);
    for (Instruction &Copy : make_early_inc_range(*Copies[I])) {
      if (isMark(Copy)) {
        Copy.eraseFromParent();
        continue;
      }
      Copy.dropDbgRecords();
      RemapInstruction(&Copy, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
  }
  stripDebugInfo(*New);

  DebugLoc Location;
  for (Instruction &I : *Head)
    if (I.getDebugLoc()) {
      Location = I.getDebugLoc();
      break;
    }
  CallInst *Call = Before.CreateCall(New, Arguments);
  Call->setDebugLoc(Location);
  Call->addFnAttr(Attribute::NoReturn);
  changeToUnreachable(Start->getTerminator());
  return wrap(static_cast<Value *>(New));
}

// Deletes blocks that nothing reaches.
void adshim_drop_unreachable(LLVMValueRef F) { removeUnreachableBlocks(*cast<Function>(unwrap(F))); }
}
