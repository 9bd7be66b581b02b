// What the C API lacks for requests that stay open until the link: each becomes a function that another object defines.

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm-c/Core.h"

using namespace llvm;

extern "C" {

// Puts a call into a function of its own, which takes those arguments that are not known: `Known[i]` is what stands for
// argument i there, or null; a variable of which `Loaded[i]` holds is read there. What calls it takes the place of the call.
LLVMValueRef adshim_open_request(LLVMValueRef Call, const char *Name, LLVMValueRef *Known, const int *Loaded) {
  auto *CB = unwrap<CallBase>(Call);
  Module &M = *CB->getModule();
  LLVMContext &C = M.getContext();
  Function &Caller = *CB->getFunction();
  AttributeList Attributes = CB->getAttributes();
  SmallVector<Type *, 8> Types;
  SmallVector<Value *, 8> Given;
  SmallVector<AttributeSet, 8> GivenAttributes;
  for (unsigned I = 0; I < CB->arg_size(); ++I)
    if (!Known[I]) {
      Types.push_back(CB->getArgOperand(I)->getType());
      Given.push_back(CB->getArgOperand(I));
      GivenAttributes.push_back(Attributes.getParamAttrs(I));
    }
  // What nobody reads need not be there.
  bool IsRead = !CB->use_empty();
  Type *Result = IsRead ? CB->getType() : Type::getVoidTy(C);
  AttributeSet ResultAttributes = IsRead ? Attributes.getRetAttrs() : AttributeSet();
  auto *Ty = FunctionType::get(Result, Types, /*isVarArg=*/false);
  auto *F = Function::Create(Ty, GlobalValue::ExternalLinkage, Name, &M);
  F->setVisibility(GlobalValue::HiddenVisibility);
  F->setDSOLocal(true);
  F->setAttributes(AttributeList::get(C, AttributeSet(), ResultAttributes, GivenAttributes));
  for (StringRef Kind : {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
    if (Caller.hasFnAttribute(Kind))
      F->addFnAttr(Caller.getFnAttribute(Kind));
  if (Caller.hasUWTable())
    F->setUWTableKind(Caller.getUWTableKind());
  for (Attribute::AttrKind Kind : {Attribute::OptimizeNone, Attribute::StrictFP})
    if (Caller.hasFnAttribute(Kind))
      F->addFnAttr(Kind);
  F->addFnAttr(Attribute::NoInline);
  // For messages.
  F->addFnAttr("adcc.opened_in", Caller.getName());

  IRBuilder<> Inside(BasicBlock::Create(C, "entry", F));
  SmallVector<Value *, 8> Arguments;
  unsigned Next = 0;
  for (unsigned I = 0; I < CB->arg_size(); ++I) {
    if (!Known[I]) {
      Argument *A = F->getArg(Next++);
      if (Given[A->getArgNo()]->hasName())
        A->setName(Given[A->getArgNo()]->getName());
      Arguments.push_back(A);
    } else if (Loaded[I]) {
      Arguments.push_back(Inside.CreateLoad(CB->getArgOperand(I)->getType(), unwrap(Known[I])));
    } else {
      Arguments.push_back(unwrap(Known[I]));
    }
  }
  CallInst *Request = Inside.CreateCall(CB->getFunctionType(), CB->getCalledOperand(), Arguments);
  Request->setAttributes(Attributes);
  Request->setCallingConv(CB->getCallingConv());
  Request->setDebugLoc(CB->getDebugLoc());
  if (Result->isVoidTy())
    Inside.CreateRetVoid();
  else
    Inside.CreateRet(Request);

  IRBuilder<> Outside(CB);
  CallBase *Instead;
  if (auto *Invoke = dyn_cast<InvokeInst>(CB))
    Instead = Outside.CreateInvoke(F, Invoke->getNormalDest(), Invoke->getUnwindDest(), Given);
  else
    Instead = Outside.CreateCall(F, Given);
  Instead->setAttributes(AttributeList::get(C, AttributeSet(), ResultAttributes, GivenAttributes));
  Instead->setDebugLoc(CB->getDebugLoc());
  if (IsRead) {
    CB->replaceAllUsesWith(Instead);
    Instead->takeName(CB);
  }
  CB->eraseFromParent();
  return wrap(F);
}
}
