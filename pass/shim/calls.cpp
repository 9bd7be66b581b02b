// What the C API lacks for calls: an indirect call as a choice between direct ones, ends of paths, and jumps as branches.

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm-c/Core.h"

using namespace llvm;

extern "C" {

// Turns an indirect call or invoke into `if (pointer == callee) direct call; else indirect call`. Returns the direct call,
// null where the callee cannot be called that way. The indirect call stays the same instruction.
LLVMValueRef adshim_promote_call(LLVMValueRef Call, LLVMValueRef Callee) {
  auto &CB = *cast<CallBase>(unwrap(Call));
  auto *F = cast<Function>(unwrap(Callee));
  if (CB.isMustTailCall() || CB.getCallingConv() != F->getCallingConv() || !isLegalToPromote(CB, F))
    return nullptr;
  CallBase &Direct = promoteCallWithIfThenElse(CB, F);
  return wrap(static_cast<Value *>(&Direct));
}

// Makes a call or invoke the end of its path: `function(pointer called, text)` comes before it, nothing after.
void adshim_end_at_call(LLVMValueRef Call, LLVMValueRef Function, const char *Text) {
  auto *CB = cast<CallBase>(unwrap(Call));
  auto *F = cast<llvm::Function>(unwrap(Function));
  IRBuilder<> B(CB);
  Value *String = B.CreateGlobalString(Text, "ad.text", 0, CB->getModule());
  CallInst *End = B.CreateCall(F, {CB->getCalledOperand(), String});
  End->setDoesNotReturn();
  changeToUnreachable(CB);
}

// Sets a string attribute of the call itself.
void adshim_set_call_attribute(LLVMValueRef Call, const char *Name, const char *Text) {
  auto *CB = cast<CallBase>(unwrap(Call));
  CB->addFnAttr(Attribute::get(CB->getContext(), Name, Text));
}

// Gives a call what decides how the callee's arguments and result are passed: its convention, and attributes such as sret or signext. Where only the
// arguments are meant, the hidden pointer to a result is one like others: on i386 a function to which it is that takes it off the stack.
void adshim_copy_abi(LLVMValueRef Call, LLVMValueRef Callee, bool OfResult) {
  auto *CB = cast<CallBase>(unwrap(Call));
  auto *F = cast<llvm::Function>(unwrap(Callee));
  CB->setCallingConv(F->getCallingConv());
  static const Attribute::AttrKind Kinds[] = {Attribute::ZExt,      Attribute::SExt,   Attribute::InReg,     Attribute::StructRet,
                                              Attribute::ByVal,     Attribute::Nest,   Attribute::Preallocated, Attribute::InAlloca,
                                              Attribute::Alignment, Attribute::StackAlignment};
  for (auto K : Kinds) {
    if (K == Attribute::StructRet && !OfResult)
      continue;
    for (unsigned I = 0; I != CB->arg_size() && I != F->arg_size(); ++I)
      if (F->hasParamAttribute(I, K))
        CB->addParamAttr(I, F->getParamAttribute(I, K));
    if (OfResult && F->hasRetAttribute(K))
      CB->addRetAttr(F->getAttributes().getRetAttr(K));
  }
}

// Makes a call that returns several times a number that says how control came behind it: zero from the call itself, from each of the
// jumps what it passes, but one for zero. Jumps are branches, and all these calls are gone.
void adshim_branch_from(LLVMValueRef SetRef, const LLVMValueRef *Jumps, unsigned N) {
  auto *Set = cast<CallInst>(unwrap(SetRef));
  BasicBlock *From = Set->getParent();
  BasicBlock *Behind = From->splitBasicBlock(std::next(Set->getIterator()), "ad.set");
  IRBuilder<> B(Behind, Behind->begin());
  auto *Number = B.CreatePHI(Set->getType(), N + 1);
  Number->addIncoming(ConstantInt::get(Set->getType(), 0), From);
  for (unsigned I = 0; I < N; ++I) {
    auto *Jump = cast<CallInst>(unwrap(Jumps[I]));
    BasicBlock *At = Jump->getParent();
    BasicBlock *Rest = At->splitBasicBlock(Jump, "ad.rest");
    At->getTerminator()->eraseFromParent();
    IRBuilder<> At_(At);
    At_.SetCurrentDebugLocation(Jump->getDebugLoc());
    Value *Passed = Jump->getArgOperand(1);
    Value *Zero = ConstantInt::get(Passed->getType(), 0), *One = ConstantInt::get(Passed->getType(), 1);
    Value *Given = At_.CreateSelect(At_.CreateICmpEQ(Passed, Zero), One, Passed);
    At_.CreateBr(Behind);
    Number->addIncoming(Given, At);
    DeleteDeadBlock(Rest);
  }
  Set->replaceAllUsesWith(Number);
  Set->eraseFromParent();
}

// The pointer from which constant steps lead to this one, and how many bytes they go.
LLVMValueRef adshim_base(LLVMValueRef Pointer, int64_t *Offset) {
  Value *V = unwrap(Pointer);
  const DataLayout *DL = nullptr;
  if (auto *I = dyn_cast<Instruction>(V))
    DL = &I->getDataLayout();
  *Offset = 0;
  if (!DL || !V->getType()->isPointerTy()) {
    // Constants: their own strip needs no layout where there are no steps.
    auto *E = dyn_cast<ConstantExpr>(V);
    auto *G = E ? dyn_cast<GlobalVariable>(getUnderlyingObject(V, 0)) : nullptr;
    if (!G)
      return Pointer;
    DL = &G->getDataLayout();
  }
  APInt At(DL->getIndexTypeSizeInBits(V->getType()), 0);
  Value *Start = V->stripAndAccumulateConstantOffsets(*DL, At, /*AllowNonInbounds=*/true);
  *Offset = At.getSExtValue();
  return wrap(Start);
}

// The variable into which a pointer leads, its size in bytes, and where in it the pointer leads (all bits, if that is not known); null where the variable is
// not known.
LLVMValueRef adshim_variable(LLVMValueRef Pointer, uint64_t *Bytes, uint64_t *Offset) {
  Value *Base = getUnderlyingObject(unwrap(Pointer), /*MaxLookup=*/0);
  auto Where = [&](const DataLayout &DL) {
    APInt At(DL.getIndexTypeSizeInBits(unwrap(Pointer)->getType()), 0);
    Value *Start = unwrap(Pointer)->stripAndAccumulateConstantOffsets(DL, At, /*AllowNonInbounds=*/true);
    *Offset = Start == Base ? At.getZExtValue() : ~uint64_t(0);
  };
  if (auto *A = dyn_cast<AllocaInst>(Base)) {
    Where(A->getModule()->getDataLayout());
    auto Size = A->getAllocationSize(A->getModule()->getDataLayout());
    if (!Size || Size->isScalable())
      return nullptr;
    *Bytes = Size->getFixedValue();
    return wrap(Base);
  }
  auto *G = dyn_cast<GlobalVariable>(Base);
  if (!G || !G->hasDefinitiveInitializer() || !G->getValueType()->isSized())
    return nullptr;
  Where(G->getDataLayout());
  *Bytes = G->getDataLayout().getTypeAllocSize(G->getValueType());
  return wrap(Base);
}

// The string attribute of the call itself, to be freed with LLVMDisposeMessage; null where it has none.
char *adshim_call_attribute(LLVMValueRef Call, const char *Name) {
  auto *CB = dyn_cast<CallBase>(unwrap(Call));
  Attribute A = CB ? CB->getAttributes().getFnAttr(Name) : Attribute();
  return A.isValid() ? LLVMCreateMessage(A.getValueAsString().str().c_str()) : nullptr;
}
}
