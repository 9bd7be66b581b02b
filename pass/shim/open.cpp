// What the C API lacks for requests that stay open until the link: each becomes a function that another object defines,
// or may define.

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
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

// Divides the block before the only call of a function in two: where the function is there, it is called; where not, what
// it does is done in place. Its body goes, and its name becomes a weak reference. Returns the request.
LLVMValueRef adshim_keep_answer(LLVMValueRef FRef) {
  auto *F = unwrap<Function>(FRef);
  auto *Call = cast<CallBase>(*F->user_begin());
  LLVMContext &C = F->getContext();
  Function &Caller = *Call->getFunction();
  BasicBlock *Start = Call->getParent();
  auto *Invoke = dyn_cast<InvokeInst>(Call);
  BasicBlock *End;
  if (Invoke) {
    // A block behind both, which alone goes on to the normal destination.
    End = BasicBlock::Create(C, "", &Caller, Invoke->getNormalDest());
    BranchInst::Create(Invoke->getNormalDest(), End);
    Invoke->getNormalDest()->replacePhiUsesWith(Start, End);
    Invoke->setNormalDest(End);
  } else {
    End = Start->splitBasicBlock(std::next(Call->getIterator()));
    Start->getTerminator()->eraseFromParent();
  }
  BasicBlock *There = BasicBlock::Create(C, "", &Caller, End);
  BasicBlock *Own = BasicBlock::Create(C, "", &Caller, End);
  Call->removeFromParent();
  // Now: else that it is there is taken for known.
  F->setLinkage(GlobalValue::ExternalWeakLinkage);
  IRBuilder<> B(Start);
  B.SetCurrentDebugLocation(Call->getDebugLoc());
  B.CreateCondBr(B.CreateIsNotNull(F), There, Own);
  Call->insertInto(There, There->end());

  ValueToValueMapTy Map;
  for (Argument &A : F->args())
    Map[&A] = Call->getArgOperand(A.getArgNo());
  CallBase *Request = nullptr;
  for (Instruction &I : F->getEntryBlock()) {
    if (I.isTerminator())
      break;
    Instruction *Copy = I.clone();
    Copy->insertInto(Own, Own->end());
    RemapInstruction(Copy, Map, RF_NoModuleLevelChanges);
    Map[&I] = Copy;
    if (auto *CB = dyn_cast<CallBase>(Copy))
      Request = CB;
  }
  if (Invoke) {
    auto *Plain = cast<CallInst>(Request);
    SmallVector<Value *, 8> Arguments(Plain->args());
    auto *Unwinding = InvokeInst::Create(Plain->getFunctionType(), Plain->getCalledOperand(), End, Invoke->getUnwindDest(), Arguments, "", Own);
    Unwinding->setAttributes(Plain->getAttributes());
    Unwinding->setCallingConv(Plain->getCallingConv());
    Unwinding->setDebugLoc(Plain->getDebugLoc());
    Plain->eraseFromParent();
    Request = Unwinding;
    for (PHINode &Phi : Invoke->getUnwindDest()->phis()) {
      int From = Phi.getBasicBlockIndex(Start);
      Phi.setIncomingBlock(From, There);
      Phi.addIncoming(Phi.getIncomingValue(From), Own);
    }
  } else {
    BranchInst::Create(End, There)->setDebugLoc(Call->getDebugLoc());
    BranchInst::Create(End, Own)->setDebugLoc(Call->getDebugLoc());
  }
  if (!Call->getType()->isVoidTy()) {
    auto *Result = PHINode::Create(Call->getType(), 2, "", End->begin());
    Call->replaceAllUsesWith(Result);
    Result->addIncoming(Call, There);
    Result->addIncoming(Request, Own);
    Result->takeName(Call);
  }
  F->deleteBody();
  F->setLinkage(GlobalValue::ExternalWeakLinkage);
  // gold takes the address of what is hidden and not there for the start of the program. What is there is hidden by its
  // definition. And an address that may be null is not relative to the code.
  F->setVisibility(GlobalValue::DefaultVisibility);
  F->setDSOLocal(false);
  return wrap(static_cast<Value *>(Request));
}
}
