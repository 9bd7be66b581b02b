// What the C API lacks for functions: cloning, inlining, trip counts, names of parameters.

#include "analyses.h"
#include "exits.h"
#include "scope.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace {
// Instructions of a function that is inlined because it has one call: what LLVM's own inliner takes it for.
constexpr unsigned MostInlined = 3000;

PHINode *counterOf(Loop &L) {
  if (PHINode *Phi = L.getCanonicalInductionVariable())
    if (Phi->getType()->isIntegerTy(64))
      return Phi;
  IRBuilder<> B(L.getHeader(), L.getHeader()->begin());
  PHINode *Phi = B.CreatePHI(B.getInt64Ty(), 2, "ad.iv");
  B.SetInsertPoint(L.getLoopLatch()->getTerminator());
  Value *Next = B.CreateAdd(Phi, B.getInt64(1), "ad.iv.next", /*HasNUW=*/true, /*HasNSW=*/true);
  Phi->addIncoming(B.getInt64(0), L.getLoopPreheader());
  Phi->addIncoming(Next, L.getLoopLatch());
  return Phi;
}

// Whether a run of L may end by a way from which no return is reached: a count that it does not come to may be any number, too large
// for memory. What is unreachable at once is no way.
bool hasOtherEnds(Loop &L, const ReturningBlocks &Returning) {
  SmallVector<BasicBlock *, 4> Exits;
  L.getUniqueExitBlocks(Exits);
  return any_of(Exits, [&](BasicBlock *E) { return !Returning.count(E) && !isa<UnreachableInst>(*E->getFirstNonPHIOrDbg()); });
}

// A phi of L's header that grows by b, then b + c, b + 2 c …, where b and c do not change in L: puts b and c into L's preheader. Those
// that grow by a constant are left to others.
struct Growth {
  Value *First = nullptr, *Second = nullptr;
};

Growth growthOf(Loop &L, PHINode &Phi, ScalarEvolution &SE) {
  Type *Ty = Phi.getType();
  bool IsPlain = Ty->isIntegerTy() ? Ty->getIntegerBitWidth() <= 64 : Ty->isPointerTy();
  auto *Steps = IsPlain && SE.isSCEVable(Ty) ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi)) : nullptr;
  if (!Steps || Steps->getLoop() != &L || Steps->getNumOperands() > 3)
    return {};
  Instruction *At = L.getLoopPreheader()->getTerminator();
  SCEVExpander Expander(SE, "ad.step");
  ArrayRef<const SCEV *> By = Steps->operands().drop_front();
  auto IsKnown = [&](const SCEV *S) { return SE.isLoopInvariant(S, &L) && Expander.isSafeToExpandAt(S, At); };
  if ((By.size() == 1 && isa<SCEVConstant>(By[0])) || !all_of(By, IsKnown))
    return {};
  Growth Found;
  Found.First = Expander.expandCodeFor(By[0], By[0]->getType(), At);
  if (By.size() == 2)
    Found.Second = Expander.expandCodeFor(By[1], By[1]->getType(), At);
  // They were made for iterations that may not come.
  for (Instruction *I : Expander.getAllInsertedInstructions())
    I->dropPoisonGeneratingFlags();
  return Found;
}
// Gives the kinds of memory and the directions that accesses of F tell apart (Value::set_space, set_shadow_space) scopes of their own. What is a
// shadow for one derivative may be primal memory for another: where both are inlined into one function, their scopes must not be the same.
void renewSpaces(Function &F) {
  LLVMContext &C = F.getContext();
  MDBuilder MD(C);
  StringMap<MDNode *> Domains;
  DenseMap<const MDNode *, MDNode *> Known;
  auto Renewed = [&](const MDOperand &Operand) -> Metadata * {
    auto *Scope = dyn_cast<MDNode>(Operand);
    auto *Of = Scope && Scope->getNumOperands() > 1 ? dyn_cast<MDNode>(Scope->getOperand(1)) : nullptr;
    auto *Name = Of && Of->getNumOperands() ? dyn_cast<MDString>(Of->getOperand(0)) : nullptr;
    if (!Name || (Name->getString() != "adcc.spaces" && Name->getString() != "adcc.directions"))
      return Operand;
    // LLVM's inliner makes copies of such nodes, which name themselves, and none of others.
    MDNode *&Domain = Domains[Name->getString()];
    if (!Domain)
      Domain = MD.createAnonymousAliasScopeDomain(Name->getString());
    MDNode *&New = Known[Scope];
    if (!New)
      New = MD.createAnonymousAliasScope(Domain, cast<MDString>(Scope->getOperand(0))->getString());
    return New;
  };
  for (Instruction &I : instructions(F))
    for (unsigned Kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
      if (MDNode *List = I.getMetadata(Kind)) {
        SmallVector<Metadata *, 4> Scopes;
        for (const MDOperand &Operand : List->operands())
          Scopes.push_back(Renewed(Operand));
        I.setMetadata(Kind, MDNode::get(C, Scopes));
      }
}
} // namespace

extern "C" {

// Clones the body of `Src` into the empty function `Dst`, whose first parameters take the place of Src's. Calls
// `Sink(Context, old, new)` for each instruction and block (as a value). Unless it is kept, debug information becomes that of `Scope`, or is
// dropped without one; and attributes of Src are not copied.
void adshim_clone_into(LLVMValueRef DstRef, LLVMValueRef SrcRef, void (*Sink)(void *, LLVMValueRef, LLVMValueRef),
                       void *Context, int KeepDebug, adshim::DebugScope *Scope) {
  auto *Dst = cast<Function>(unwrap(DstRef));
  auto *Src = cast<Function>(unwrap(SrcRef));
  ValueToValueMapTy Map;
  auto To = Dst->arg_begin();
  for (Argument &A : Src->args()) {
    To->setName(A.getName());
    Map[&A] = &*To++;
  }
  AttributeList Kept = Dst->getAttributes();
  DISubprogram *Own = Dst->getSubprogram();
  Dst->setSubprogram(nullptr);
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Dst, Src, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  if (!KeepDebug) {
    if (Scope) {
      for (Instruction &I : instructions(*Src))
        if (auto *New = cast_or_null<Instruction>(Map.lookup(&I)))
          Scope->adopt(I, *New);
    } else {
      stripDebugInfo(*Dst);
    }
    Dst->setSubprogram(Own);
    Dst->setAttributes(Kept);
  }
  // Calls to the new function are ours, and made with the C convention.
  Dst->setCallingConv(CallingConv::C);
  Dst->setLinkage(GlobalValue::InternalLinkage);
  Dst->setComdat(nullptr);
  for (BasicBlock &BB : *Src) {
    Sink(Context, wrap(static_cast<Value *>(&BB)), wrap(static_cast<Value *>(Map.lookup(&BB))));
    for (Instruction &I : BB)
      if (Value *New = Map.lookup(&I))
        Sink(Context, wrap(&I), wrap(New));
  }
}

// Inlines one call; false where LLVM refuses. Stack variables of the callee get no lifetime marks: those of a forward
// sweep live on for the reverse sweep.
int adshim_inline(LLVMValueRef Call) {
  InlineFunctionInfo Info;
  return InlineFunction(*cast<CallBase>(unwrap(Call)), Info, /*MergeAttributes=*/false, /*CalleeAAR=*/nullptr,
                        /*InsertLifetime=*/false)
      .isSuccess();
}

// Inlines a function of this module's own into its one caller, if it is called once, by code that was not generated, and that is optimised for
// the same processor; deletes it and returns the caller, or null.
LLVMValueRef adshim_inline_only_call(LLVMValueRef FRef) {
  auto *F = cast<Function>(unwrap(FRef));
  if (!F->hasLocalLinkage() || !F->hasOneUse() || F->isVarArg() || F->getInstructionCount() > MostInlined)
    return nullptr;
  auto *Call = dyn_cast<CallInst>(F->user_back());
  Function *Caller = Call ? Call->getFunction() : nullptr;
  bool IsSame = Caller && Caller != F && all_of(ArrayRef<StringRef>{"target-cpu", "target-features"}, [&](StringRef Kind) {
    return Caller->getFnAttribute(Kind) == F->getFnAttribute(Kind);
  });
  if (!IsSame || Call->getCalledFunction() != F || Caller->hasFnAttribute(Attribute::OptimizeNone) || Caller->hasFnAttribute("adcc-generated") ||
      !AttributeFuncs::areInlineCompatible(*Caller, *F))
    return nullptr;
  // The derivative's instructions have the places of its source: in the caller these are places of inlined code, which needs a place for the call.
  if (DISubprogram *Of = Caller->getSubprogram(); Of && !Call->getDebugLoc())
    Call->setDebugLoc(DILocation::get(Caller->getContext(), 0, 0, Of));
  renewSpaces(*F);
  InlineFunctionInfo Info;
  if (!InlineFunction(*Call, Info).isSuccess())
    return nullptr;
  F->eraseFromParent();
  // Of generated calls nobody says where they are; where there is debug information, calls that may be inlined must have a place.
  if (DISubprogram *Of = Caller->getSubprogram())
    for (Instruction &I : instructions(*Caller))
      if (isa<CallBase>(I) && !I.getDebugLoc())
        I.setDebugLoc(DILocation::get(Caller->getContext(), 0, 0, Of));
  return wrap(Caller);
}

// Gives every loop in simplified form an i64 counter 0, 1, 2 … and, where scalar evolution knows it at the loop's
// entry, its backedge-taken count as a value in the preheader; at each exit block, for each loop that its edges leave,
// a phi of the counter. Calls Sink(Context, header, counter, count or null) per loop, Exit(Context, exit block, header, phi) per exit,
// and Grows(Context, phi, b, c or null) per phi of a header whose value in iteration i is start + b i + c i (i - 1) / 2.
void adshim_count_loops(LLVMValueRef FRef,
                        void (*Sink)(void *, LLVMBasicBlockRef, LLVMValueRef, LLVMValueRef),
                        void (*Exit)(void *, LLVMBasicBlockRef, LLVMBasicBlockRef, LLVMValueRef),
                        void (*Grows)(void *, LLVMValueRef, LLVMValueRef, LLVMValueRef), void *Context) {
  auto &F = *cast<Function>(unwrap(FRef));
  Analyses A;
  auto &LI = A.FAM.getResult<LoopAnalysis>(F);
  auto &SE = A.FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &DT = A.FAM.getResult<DominatorTreeAnalysis>(F);
  ReturningBlocks Returning = returningBlocks(F);
  auto Loops = LI.getLoopsInPreorder();
  DenseMap<Loop *, Value *> Counts;
  Type *I64 = Type::getInt64Ty(F.getContext());
  for (Loop *L : Loops) {
    if (!L->isLoopSimplifyForm())
      continue;
    const SCEV *Taken = SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(Taken) || SE.getTypeSizeInBits(Taken->getType()) > 64)
      Taken = hasOtherEnds(*L, Returning) ? nullptr : regularCount(*L, SE, DT, Returning);
    if (!Taken)
      continue;
    Instruction *At = L->getLoopPreheader()->getTerminator();
    SCEVExpander Expander(SE, "ad.count");
    const SCEV *Wide = SE.getNoopOrZeroExtend(Taken, I64);
    if (Expander.isSafeToExpandAt(Wide, At))
      Counts[L] = Expander.expandCodeFor(Wide, I64, At);
  }
  DenseMap<Loop *, PHINode *> Counters;
  for (Loop *L : Loops)
    if (L->isLoopSimplifyForm()) {
      Counters[L] = counterOf(*L);
      Sink(Context, wrap(L->getHeader()), wrap(Counters[L]), wrap(Counts.lookup(L)));
    }
  // Outer loops first, before any phi is added: what inner ones grow by may be made of outer counters.
  for (Loop *L : Loops) {
    if (!Counters.count(L))
      continue;
    SmallVector<PHINode *, 8> Phis;
    for (PHINode &Phi : L->getHeader()->phis())
      if (&Phi != Counters[L])
        Phis.push_back(&Phi);
    for (PHINode *Phi : Phis)
      if (Growth By = growthOf(*L, *Phi, SE); By.First)
        Grows(Context, wrap(Phi), wrap(By.First), wrap(By.Second));
  }
  for (Loop *L : Loops) {
    if (!Counters.count(L))
      continue;
    SmallVector<BasicBlock *, 4> Exits;
    L->getUniqueExitBlocks(Exits);
    for (BasicBlock *E : Exits) {
      // At the head: what debug information says of variables comes after phis.
      IRBuilder<> B(E, E->begin());
      PHINode *Phi = B.CreatePHI(I64, pred_size(E), "ad.last");
      for (BasicBlock *P : predecessors(E))
        Phi->addIncoming(L->contains(P) ? static_cast<Value *>(Counters[L]) : PoisonValue::get(I64), P);
      Exit(Context, wrap(E), wrap(L->getHeader()), wrap(Phi));
    }
  }
}

// Calls Sink(Context, load, store, header of the loop) for each load and store that never touch the same byte during one run of a
// loop, the outermost for which that is so, because an inlined function says so of its parameters (`restrict`): what the scopes
// mean that are declared outside the loop.
void adshim_find_apart(LLVMValueRef FRef, void (*Sink)(void *, LLVMValueRef, LLVMValueRef, LLVMBasicBlockRef), void *Context) {
  auto &F = *cast<Function>(unwrap(FRef));
  SmallVector<NoAliasScopeDeclInst *, 16> Declared;
  for (Instruction &I : instructions(F))
    if (auto *D = dyn_cast<NoAliasScopeDeclInst>(&I))
      Declared.push_back(D);
  if (Declared.empty())
    return;
  Analyses A;
  unsigned Left = 20000, Checks = 100000;
  DenseSet<std::pair<Instruction *, Instruction *>> Found;
  // Outer loops come first.
  for (Loop *L : A.FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    SmallPtrSet<const Metadata *, 16> Lasting;
    for (NoAliasScopeDeclInst *D : Declared)
      if (!L->contains(D))
        Lasting.insert_range(D->getScopeList()->operands());
    for (NoAliasScopeDeclInst *D : Declared)
      if (L->contains(D))
        for (const MDOperand &Scope : D->getScopeList()->operands())
          Lasting.erase(Scope.get());
    if (Lasting.empty())
      continue;
    // By what is said of them, which is the same of most accesses of one inlined call.
    MapVector<MDNode *, SmallVector<Instruction *, 16>> Loads, Stores;
    for (BasicBlock *B : L->blocks())
      for (Instruction &I : *B) {
        if (MDNode *Own = I.getMetadata(LLVMContext::MD_alias_scope); Own && isa<LoadInst>(I))
          Loads[Own].push_back(&I);
        if (MDNode *Others = I.getMetadata(LLVMContext::MD_noalias); Others && isa<StoreInst>(I))
          Stores[Others].push_back(&I);
      }
    for (auto &[All, Writers] : Stores) {
      SmallVector<Metadata *, 8> Kept;
      for (const MDOperand &Scope : All->operands())
        if (Lasting.contains(Scope.get()))
          Kept.push_back(Scope.get());
      MDNode *Others = MDNode::get(F.getContext(), Kept);
      for (auto &[Own, Readers] : Loads) {
        if (Kept.empty() || !Checks || (--Checks, ScopedNoAliasAAResult::mayAliasInScopes(Own, Others)))
          continue;
        for (Instruction *Store : Writers)
          for (Instruction *Load : Readers)
            if (Left && Found.insert({Load, Store}).second) {
              Sink(Context, wrap(Load), wrap(Store), wrap(L->getHeader()));
              --Left;
            }
      }
    }
  }
}

// The names of F's parameters in order, from the IR or else from debug information: Sink(Context, index from 0, name).
void adshim_parameter_names(LLVMValueRef FRef, void (*Sink)(void *, unsigned, const char *), void *Context) {
  auto &F = *cast<Function>(unwrap(FRef));
  for (Argument &A : F.args())
    if (A.hasName())
      Sink(Context, A.getArgNo(), A.getName().str().c_str());
  if (DISubprogram *SP = F.getSubprogram())
    for (DINode *N : SP->getRetainedNodes())
      if (auto *V = dyn_cast<DILocalVariable>(N))
        if (V->getArg())
          Sink(Context, V->getArg() - 1, V->getName().str().c_str());
  auto Visit = [&](DILocalVariable *V) {
    if (V && V->getArg() && V->getScope()->getSubprogram() == F.getSubprogram())
      Sink(Context, V->getArg() - 1, V->getName().str().c_str());
  };
  for (BasicBlock &BB : F)
    for (Instruction &I : BB) {
      for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
        Visit(R.getVariable());
      if (auto *D = dyn_cast<DbgVariableIntrinsic>(&I))
        Visit(D->getVariable());
    }
}

// Verifies a function; the message, to be freed with LLVMDisposeMessage, or null where it is sound.
char *adshim_verify(LLVMValueRef F) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (!verifyFunction(*cast<Function>(unwrap(F)), &OS))
    return nullptr;
  return LLVMCreateMessage(Text.c_str());
}

// Turns an invoke into a call; returns the call.
LLVMValueRef adshim_invoke_to_call(LLVMValueRef Invoke) {
  return wrap(static_cast<Value *>(changeToCall(cast<InvokeInst>(unwrap(Invoke)))));
}

// Turns a definition into an external declaration.
void adshim_delete_body(LLVMValueRef F) { cast<Function>(unwrap(F))->deleteBody(); }

// Whether a definition elsewhere may take this one's place at link time.
int adshim_is_interposable(LLVMValueRef F) { return cast<Function>(unwrap(F))->isInterposable(); }
}
