// Expressions of scalar evolution as code that computes their extremes where a function is entered, from its arguments.
//
// Scalar evolution gives the address of an access as an expression over loops; its extremes are found loop by loop from the
// innermost, as code that computes them from the arguments alone. Expressions are meant modulo 2^w, extremes as numbers: every
// expression gets a bound of its magnitude, computed in double, and the answer holds only where all bounds are far below 2^w.
// Then each expression that stands for an access is the number itself, and what is linear in a counter has its extremes at
// the counter's ends. A quadratic form has them there where its first and last difference have one sign.

#pragma once

#include "analyses.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm-c/Core.h"
#include <cmath>
#include <optional>

namespace extents {
using namespace llvm;

// Expressions that one test may look at: more, and there is none.
inline constexpr unsigned MostSteps = 4000;

struct Hull {
  Value *Low, *High;
  // Whether both are values that the expression takes, if the loops go round as often as is said: those of sums and products of
  // what varies need not be.
  bool IsExact = true;
};

class Extents {
public:
  // `Arguments`: those of the function, and their shadows, where the code is emitted; null where there is none. `Memory`: null where
  // nothing may be loaded.
  Extents(ScalarEvolution &SE, LoopInfo &LI, AssumptionCache &AC, MemorySSA *Memory, IRBuilder<> &B, ArrayRef<Value *> Arguments, ArrayRef<Value *> Shadows)
      : SE(SE), LI(LI), Memory(Memory), Arguments{Arguments, Shadows}, B(B), Holds(B.getTrue()) {
    for (const auto &Known : AC.assumptions())
      if (auto *Assumed = dyn_cast_or_null<AssumeInst>(static_cast<Value *>(Known)))
        if (auto *Compares = dyn_cast<ICmpInst>(Assumed->getArgOperand(0)))
          assume(*Compares);
  }

  // The extremes of a signed expression of at most 64 bits; none where they cannot be had from the arguments.
  std::optional<Hull> hull(const SCEV *S) {
    auto Known = Hulls.find(S);
    if (Known != Hulls.end())
      return Known->second;
    auto Found = ++Steps > MostSteps ? std::nullopt : find(S);
    Hulls[S] = Found;
    return Found;
  }

  // |S| < 2^(w-2), as numbers: rounding in the bound is far less than what is left.
  bool fits(const SCEV *S) {
    auto Known = Fitting.find(S);
    if (Known != Fitting.end())
      return Known->second;
    Value *M = magnitude(S);
    if (M)
      require(B.CreateFCmpOLT(M, real(std::ldexp(1.0, int(width(S)) - 2))));
    return Fitting[S] = M != nullptr;
  }

  Value *minimum(Value *X, Value *Y) { return B.CreateBinaryIntrinsic(Intrinsic::smin, X, Y); }
  Value *maximum(Value *X, Value *Y) { return B.CreateBinaryIntrinsic(Intrinsic::smax, X, Y); }
  // The address that a base pointer is, or that its shadow is, as an integer; null where it cannot be had at the entry.
  Value *base(Value *Pointer, bool Shadow) {
    Value *V = again(Pointer, Shadow);
    if (!V)
      return nullptr;
    // Sums of an address and an offset do not wrap.
    Value *Address = B.CreatePtrToInt(V, B.getInt64Ty());
    require(B.CreateICmpULT(Address, B.getInt64(1ull << 62)));
    return Address;
  }

  // Whether all that was found holds.
  Value *holds() const { return Holds; }
  // A value of the function, computed at its entry from the arguments and the memory that they lead to there; null where that
  // is not possible. Or the shadow of a pointer.
  Value *again(Value *V, bool Shadow = false);

private:
  ScalarEvolution &SE;
  LoopInfo &LI;
  MemorySSA *Memory;
  ArrayRef<Value *> Arguments[2];
  IRBuilder<> &B;
  Value *Holds;
  unsigned Steps = 0;
  DenseMap<const SCEV *, std::optional<Hull>> Hulls;
  DenseMap<const SCEV *, Value *> Values, Magnitudes;
  DenseMap<Value *, Value *> Copies[2];
  DenseMap<const SCEV *, bool> Fitting;
  // Where a thread's part of a loop begins, which is no larger than another number: the model of work sharing says so
  // (models/openmp.c). What programs assume may hold in some branches only.
  DenseMap<const SCEV *, const SCEV *> Assumed;

  void assume(ICmpInst &Compares) {
    Value *X = Compares.getOperand(0), *Y = Compares.getOperand(1);
    CmpInst::Predicate Is = Compares.getPredicate();
    if (Is == CmpInst::ICMP_UGT || Is == CmpInst::ICMP_UGE)
      std::swap(X, Y), Is = CmpInst::getSwappedPredicate(Is);
    auto IsThread = [](const SCEV *S) {
      auto *Unknown = dyn_cast<SCEVUnknown>(S);
      auto *Call = Unknown ? dyn_cast<CallInst>(Unknown->getValue()) : nullptr;
      return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName() == "omp_get_thread_num";
    };
    if ((Is == CmpInst::ICMP_ULT || Is == CmpInst::ICMP_ULE) && X->getType()->isIntegerTy() && SCEVExprContains(SE.getSCEV(X), IsThread))
      Assumed.insert({SE.getSCEV(X), SE.getSCEV(Y)});
  }
  // What is said to be the most that an expression is; null where nothing is.
  const SCEV *most(const SCEV *S) { return Assumed.lookup(S); }

  unsigned width(const SCEV *S) { return SE.getTypeSizeInBits(S->getType()); }
  Type *integer(const SCEV *S) { return B.getIntNTy(width(S)); }
  void require(Value *Condition) { Holds = B.CreateAnd(Holds, Condition); }
  Value *real(double X) { return ConstantFP::get(B.getDoubleTy(), X); }

  std::optional<Hull> find(const SCEV *S) {
    if (Value *V = value(S))
      return Hull{V, V};
    if (const SCEV *Most = most(S)) {
      auto H = hull(Most);
      if (!H)
        return std::nullopt;
      Value *Zero = ConstantInt::get(integer(S), 0);
      require(B.CreateICmpSGE(H->Low, Zero));
      return Hull{Zero, H->High, false};
    }
    if (S->getType()->isPointerTy() || width(S) > 64 || !fits(S))
      return std::nullopt;
    switch (S->getSCEVType()) {
    case scAddRecExpr:
      return recurrence(cast<SCEVAddRecExpr>(S));
    case scAddExpr: {
      std::optional<Hull> Sum;
      unsigned Varying = 0;
      for (const SCEV *Op : cast<SCEVAddExpr>(S)->operands()) {
        auto H = hull(Op);
        if (!H)
          return std::nullopt;
        Varying += H->Low != H->High;
        Sum = Sum ? Hull{B.CreateAdd(Sum->Low, H->Low), B.CreateAdd(Sum->High, H->High), Sum->IsExact && H->IsExact} : *H;
      }
      Sum->IsExact &= Varying <= 1;
      return Sum;
    }
    case scMulExpr: {
      auto *Mul = cast<SCEVMulExpr>(S);
      if (Mul->getNumOperands() != 2)
        return std::nullopt;
      auto X = hull(Mul->getOperand(0)), Y = hull(Mul->getOperand(1));
      if (!X || !Y)
        return std::nullopt;
      Value *Corners[] = {B.CreateMul(X->Low, Y->Low), B.CreateMul(X->Low, Y->High), B.CreateMul(X->High, Y->Low),
                          B.CreateMul(X->High, Y->High)};
      Hull All{Corners[0], Corners[0]};
      for (Value *C : Corners)
        All = {minimum(All.Low, C), maximum(All.High, C)};
      All.IsExact = X->IsExact && Y->IsExact && (X->Low == X->High || Y->Low == Y->High);
      return All;
    }
    case scSignExtend:
    case scZeroExtend: {
      auto H = hull(cast<SCEVCastExpr>(S)->getOperand());
      if (!H)
        return std::nullopt;
      if (S->getSCEVType() == scZeroExtend)
        require(B.CreateICmpSGE(H->Low, ConstantInt::get(H->Low->getType(), 0)));
      return Hull{B.CreateSExt(H->Low, integer(S)), B.CreateSExt(H->High, integer(S)), H->IsExact};
    }
    case scSMaxExpr:
    case scSMinExpr: {
      std::optional<Hull> All;
      for (const SCEV *Op : cast<SCEVMinMaxExpr>(S)->operands()) {
        auto H = hull(Op);
        if (!H)
          return std::nullopt;
        auto Extreme = S->getSCEVType() == scSMaxExpr ? Intrinsic::smax : Intrinsic::smin;
        All = All ? Hull{B.CreateBinaryIntrinsic(Extreme, All->Low, H->Low), B.CreateBinaryIntrinsic(Extreme, All->High, H->High)}
                  : *H;
        All->IsExact = false;
      }
      return All;
    }
    case scUMinExpr: {
      // One number that is known suffices, as the number of iterations of a loop of which threads take parts.
      Value *Zero = ConstantInt::get(integer(S), 0), *Least = nullptr;
      for (const SCEV *Op : cast<SCEVMinMaxExpr>(S)->operands())
        if (auto H = hull(Op)) {
          require(B.CreateICmpSGE(H->Low, Zero));
          Least = Least ? minimum(Least, H->High) : H->High;
        }
      return Least ? std::optional(Hull{Zero, Least, false}) : std::nullopt;
    }
    case scUnknown: {
      std::optional<Hull> All;
      for (const SCEV *Op : choices(S)) {
        auto H = hull(Op);
        if (!H)
          return std::nullopt;
        All = All ? Hull{minimum(All->Low, H->Low), maximum(All->High, H->High)} : *H;
        All->IsExact = false;
      }
      return All;
    }
    case scUDivExpr: {
      auto *Div = cast<SCEVUDivExpr>(S);
      auto *By = dyn_cast<SCEVConstant>(Div->getRHS());
      auto H = By && By->getAPInt().isStrictlyPositive() ? hull(Div->getLHS()) : std::nullopt;
      if (!H)
        return std::nullopt;
      require(B.CreateICmpSGE(H->Low, ConstantInt::get(H->Low->getType(), 0)));
      return Hull{B.CreateUDiv(H->Low, By->getValue()), B.CreateUDiv(H->High, By->getValue()), H->IsExact};
    }
    default:
      return std::nullopt;
    }
  }

  // The number of times that a loop goes round, without sign. As an i64 that is negative it is that of a loop that is not
  // entered: nobody counts so far.
  const SCEV *taken(const SCEVAddRecExpr *S) {
    const SCEV *Taken = SE.getSymbolicMaxBackedgeTakenCount(S->getLoop());
    if (isa<SCEVCouldNotCompute>(Taken) || width(Taken) > 64)
      return nullptr;
    return SE.getNoopOrZeroExtend(Taken, B.getInt64Ty());
  }

  // What a linear recurrence is in the last turn.
  const SCEV *end(const SCEVAddRecExpr *S, const SCEV *Taken) {
    const SCEV *K = SE.getTruncateOrNoop(Taken, S->getType()), *Start = S->getStart(), *Step = S->getOperand(1);
    if (const SCEV *End = narrowEnd(S->getLoop(), Start, Step, K))
      return End;
    return SE.getAddExpr(Start, SE.getMulExpr(Step, K));
  }

  // The same where a narrow counter goes from F to E, and the start is c sext(F) + rest, the step c, and the turns zext(E - F): c sext(E) + rest.
  // Or down, with the step -c. As numbers that is so because the loop is entered where E is not beyond F only.
  const SCEV *narrowEnd(const Loop *L, const SCEV *Start, const SCEV *Step, const SCEV *K) {
    auto *Turns = dyn_cast<SCEVZeroExtendExpr>(K);
    auto *By = dyn_cast<SCEVConstant>(Step);
    if (!Turns || !By || Start->getType()->isPointerTy())
      return nullptr;
    const SCEV *Narrow = Turns->getOperand();
    SmallVector<const SCEV *, 4> Terms{Start};
    if (auto *Sum = dyn_cast<SCEVAddExpr>(Start))
      Terms.assign(Sum->operands().begin(), Sum->operands().end());
    for (const SCEV *Term : Terms) {
      const SCEV *Factor = SE.getOne(Start->getType()), *Counter = Term;
      if (auto *Product = dyn_cast<SCEVMulExpr>(Term); Product && Product->getNumOperands() == 2)
        Factor = Product->getOperand(0), Counter = Product->getOperand(1);
      auto *Wide = dyn_cast<SCEVSignExtendExpr>(Counter);
      bool IsUp = Factor == Step, IsDown = Factor == SE.getNegativeSCEV(Step);
      if (!Wide || Wide->getOperand()->getType() != Narrow->getType() || !(IsUp || IsDown))
        continue;
      const SCEV *F = Wide->getOperand(), *E = IsUp ? SE.getAddExpr(F, Narrow) : SE.getMinusSCEV(F, Narrow);
      if (SE.isLoopEntryGuardedByCond(L, ICmpInst::ICMP_SLE, IsUp ? F : E, IsUp ? E : F))
        return SE.getAddExpr(SE.getMinusSCEV(Start, Term), SE.getMulExpr(Factor, SE.getSignExtendExpr(E, Start->getType())));
    }
    return nullptr;
  }

  std::optional<Hull> recurrence(const SCEVAddRecExpr *S) {
    const SCEV *Taken = taken(S);
    if (!Taken || S->getNumOperands() > 3)
      return std::nullopt;
    Type *Ty = S->getType();
    const SCEV *K = SE.getTruncateOrNoop(Taken, Ty);
    const SCEV *Start = S->getOperand(0), *Step = S->getOperand(1);
    const SCEV *End = end(S, Taken);
    bool IsLinear = S->getNumOperands() == 2;
    if (!IsLinear) {
      // start + step k + second k (k - 1) / 2, with differences from step to step + second (K - 1).
      const SCEV *Second = S->getOperand(2), *Before = SE.getMinusSCEV(K, SE.getOne(Ty));
      const SCEV *Last = SE.getAddExpr(Step, SE.getMulExpr(Second, Before));
      End = SE.getAddExpr(End, SE.getMulExpr(Second, SE.getUDivExpr(SE.getMulExpr(K, Before), SE.getConstant(Ty, 2))));
      auto First = hull(Step), Other = hull(Last);
      if (!First || !Other)
        return std::nullopt;
      Value *Zero = ConstantInt::get(First->Low->getType(), 0);
      Value *Rises = B.CreateICmpSGE(minimum(First->Low, Other->Low), Zero);
      require(B.CreateOr(Rises, B.CreateICmpSLE(maximum(First->High, Other->High), Zero)));
    }
    auto X = hull(Start), Y = hull(End);
    if (!X || !Y)
      return std::nullopt;
    bool IsExact = IsLinear && X->IsExact && Y->IsExact;
    // A loop that is entered ends where it begins or further on.
    if (auto *By = dyn_cast<SCEVConstant>(Step); By && IsLinear)
      return By->getAPInt().isNegative() ? Hull{Y->Low, X->High, IsExact} : Hull{X->Low, Y->High, IsExact};
    return Hull{minimum(X->Low, Y->Low), maximum(X->High, Y->High), IsExact};
  }

  // A bound of |S| as a number, in double, however its terms are grouped; null where there is none.
  Value *magnitude(const SCEV *S) {
    Value *&Known = Magnitudes[S];
    if (Known)
      return Known;
    Value *M = bound(S);
    return Magnitudes[S] = M;
  }

  Value *bound(const SCEV *S) {
    if (++Steps > MostSteps)
      return nullptr;
    if (Value *V = value(S))
      return B.CreateUnaryIntrinsic(Intrinsic::fabs, B.CreateSIToFP(V, B.getDoubleTy()));
    if (const SCEV *Most = most(S))
      return magnitude(Most);
    auto Each = [&](ArrayRef<const SCEV *> Ops, auto Join) -> Value * {
      Value *All = nullptr;
      for (const SCEV *Op : Ops) {
        Value *M = magnitude(Op);
        if (!M)
          return nullptr;
        All = All ? Join(All, M) : M;
      }
      return All;
    };
    auto Sum = [&](Value *X, Value *Y) { return B.CreateFAdd(X, Y); };
    auto Product = [&](Value *X, Value *Y) { return B.CreateFMul(X, Y); };
    switch (S->getSCEVType()) {
    case scAddRecExpr: {
      auto *R = cast<SCEVAddRecExpr>(S);
      const SCEV *Taken = taken(R);
      Value *K = Taken ? magnitude(Taken) : nullptr;
      // It lies between its ends. The turns that lead to where no number is so large are far too many to be made.
      if (Taken && !K && R->isAffine() && isa<SCEVConstant>(R->getOperand(1)))
        return Each({R->getStart(), end(R, Taken)}, Sum);
      if (!K)
        return nullptr;
      Value *All = real(0);
      for (const SCEV *Op : reverse(R->operands())) {
        Value *M = magnitude(Op);
        if (!M)
          return nullptr;
        All = B.CreateFAdd(B.CreateFMul(All, B.CreateFAdd(K, real(1))), M);
      }
      return All;
    }
    case scAddExpr:
    case scSMaxExpr:
    case scSMinExpr:
      return Each(S->operands(), Sum);
    case scUnknown:
      return Each(choices(S), Sum);
    case scMulExpr:
      return Each(S->operands(), Product);
    case scUMinExpr: {
      auto Known = find_if(S->operands(), [&](const SCEV *Op) { return magnitude(Op); });
      return Known == S->operands().end() ? nullptr : magnitude(*Known);
    }
    case scSignExtend:
    case scZeroExtend:
      return fits(S->operands()[0]) ? magnitude(S->operands()[0]) : nullptr;
    case scUDivExpr:
      return magnitude(S->operands()[0]);
    default:
      return nullptr;
    }
  }

  // What a join or a choice that no condition at the entry decides may be; nothing where it is something else.
  SmallVector<const SCEV *, 4> choices(const SCEV *S) {
    SmallVector<const SCEV *, 4> All;
    Value *V = cast<SCEVUnknown>(S)->getValue();
    if (auto *Phi = dyn_cast<PHINode>(V); Phi && !LI.isLoopHeader(Phi->getParent()))
      for (Value *From : Phi->incoming_values())
        All.push_back(SE.getSCEVAtScope(From, LI.getLoopFor(Phi->getParent())));
    if (auto *Select = dyn_cast<SelectInst>(V))
      All = {SE.getSCEV(Select->getTrueValue()), SE.getSCEV(Select->getFalseValue())};
    return All;
  }

  // The value of an expression without loops; null where it needs more than the arguments. Pointers are their addresses.
  Value *value(const SCEV *S) {
    auto Known = Values.find(S);
    if (Known != Values.end())
      return Known->second;
    Value *V = ++Steps > MostSteps || width(S) > 64 ? nullptr : compute(S);
    return Values[S] = V;
  }

  // What a load finds at the entry already, and may be loaded there.
  bool isAtEntry(LoadInst &Load) {
    Instruction *First = &Load.getFunction()->getEntryBlock().front();
    if (!Memory || !Load.isSimple() || !Memory->isLiveOnEntryDef(Memory->getWalker()->getClobberingMemoryAccess(&Load)))
      return false;
    if (Load.getParent() == First->getParent()) {
      auto Before = make_range(First->getIterator(), Load.getIterator());
      if (all_of(Before, [](Instruction &I) { return isGuaranteedToTransferExecutionToSuccessor(&I); }))
        return true;
    }
    return isDereferenceableAndAlignedPointer(Load.getPointerOperand(), Load.getType(), Load.getAlign(),
                                              Load.getDataLayout(), First);
  }

  // Integers without flags: what wraps wraps, and what would be poison is some number. Loads, and constant steps to them.
  Value *copy(Instruction &I, bool Shadow) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Step = dyn_cast<GetElementPtrInst>(&I);
    if (Load || Step) {
      if (!I.getType()->isIntOrPtrTy() || (Load ? !isAtEntry(*Load) : !Step->hasAllConstantIndices()))
        return nullptr;
      Value *From = again(I.getOperand(0), Shadow);
      return From ? insert(I, {From}) : nullptr;
    }
    if (Shadow || !isa<BinaryOperator, CastInst, ICmpInst, SelectInst, FreezeInst>(I) || !isSafeToSpeculativelyExecute(&I))
      return nullptr;
    if (!I.getType()->isIntegerTy() || !all_of(I.operands(), [](Value *O) { return O->getType()->isIntOrPtrTy(); }))
      return nullptr;
    SmallVector<Value *, 3> Operands;
    for (Value *O : I.operands())
      if (Value *Found = again(O))
        Operands.push_back(Found);
      else
        return nullptr;
    return insert(I, Operands);
  }

  // A copy of an instruction with other first operands.
  Value *insert(Instruction &I, ArrayRef<Value *> Operands) {
    Instruction *New = I.clone();
    for (unsigned N = 0; N < Operands.size(); N++)
      New->setOperand(N, Operands[N]);
    New->dropPoisonGeneratingAnnotations();
    New->dropUnknownNonDebugMetadata();
    New->setDebugLoc(DebugLoc());
    B.Insert(New);
    return B.CreateFreeze(New);
  }

  Value *compute(const SCEV *S) {
    auto Fold = [&](auto Join) -> Value * {
      Value *All = nullptr;
      for (const SCEV *Op : S->operands()) {
        Value *V = value(Op);
        if (!V)
          return nullptr;
        All = All ? Join(All, V) : V;
      }
      return All;
    };
    auto Extreme = [&](Intrinsic::ID Which) {
      return Fold([&](Value *X, Value *Y) { return B.CreateBinaryIntrinsic(Which, X, Y); });
    };
    switch (S->getSCEVType()) {
    case scConstant:
      return cast<SCEVConstant>(S)->getValue();
    case scUnknown: {
      Value *V = again(cast<SCEVUnknown>(S)->getValue(), false);
      return V && V->getType()->isPointerTy() ? B.CreatePtrToInt(V, integer(S)) : V;
    }
    case scTruncate:
    case scZeroExtend:
    case scSignExtend:
    case scPtrToInt: {
      Value *V = value(cast<SCEVCastExpr>(S)->getOperand());
      if (!V)
        return nullptr;
      return S->getSCEVType() == scSignExtend ? B.CreateSExt(V, integer(S)) : B.CreateZExtOrTrunc(V, integer(S));
    }
    case scAddExpr:
      return Fold([&](Value *X, Value *Y) { return B.CreateAdd(X, Y); });
    case scMulExpr:
      return Fold([&](Value *X, Value *Y) { return B.CreateMul(X, Y); });
    case scUMaxExpr:
      return Extreme(Intrinsic::umax);
    case scSMaxExpr:
      return Extreme(Intrinsic::smax);
    case scUMinExpr:
    case scSequentialUMinExpr:
      return Extreme(Intrinsic::umin);
    case scSMinExpr:
      return Extreme(Intrinsic::smin);
    case scUDivExpr: {
      auto *Div = cast<SCEVUDivExpr>(S);
      auto *By = dyn_cast<SCEVConstant>(Div->getRHS());
      Value *V = By && !By->getValue()->isZero() ? value(Div->getLHS()) : nullptr;
      return V ? B.CreateUDiv(V, By->getValue()) : nullptr;
    }
    default:
      return nullptr;
    }
  }
};

inline Value *Extents::again(Value *V, bool Shadow) {
  if (isa<Constant>(V))
    return isa<ConstantInt>(V) ? V : nullptr;
  auto Known = Copies[Shadow].find(V);
  if (Known != Copies[Shadow].end())
    return Known->second;
  Value *Copy = nullptr;
  if (auto *A = dyn_cast<Argument>(V)) {
    Value *Given = Arguments[Shadow][A->getArgNo()];
    Copy = Given ? B.CreateFreeze(Given) : nullptr;
  } else if (++Steps <= MostSteps) {
    Copy = copy(*cast<Instruction>(V), Shadow);
  }
  return Copies[Shadow][V] = Copy;
}

// An access of a function: the instruction, the address, how many bytes (an i64; null where `Bytes` says it), and the number
// of the memory that it is said to belong to.
struct AdAccess {
  LLVMValueRef Inst, Address, Length;
  uint64_t Bytes;
  unsigned Memory;
};

// Where an access reaches from a pointer: the first byte and the one behind the last.
struct Reach {
  Value *Base;
  Hull From, To;
  bool isExact() const { return From.IsExact && To.IsExact; }
};

inline std::optional<Reach> reach(Extents &E, ScalarEvolution &SE, LoopInfo &LI, const AdAccess &Access) {
  const Loop *L = LI.getLoopFor(cast<Instruction>(unwrap(Access.Inst))->getParent());
  const SCEV *Address = SE.getSCEVAtScope(unwrap(Access.Address), L);
  auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base)
    return std::nullopt;
  const SCEV *Offset = SE.removePointerBase(Address);
  const SCEV *Behind = Access.Length ? SE.getSCEVAtScope(unwrap(Access.Length), L) : SE.getConstant(Offset->getType(), Access.Bytes);
  // Where addresses have 32 bits, offsets that fit there are what their extensions say.
  Type *Wide = Type::getInt64Ty(Base->getValue()->getContext());
  for (const SCEV **S : {&Offset, &Behind}) {
    uint64_t Width = SE.getTypeSizeInBits((*S)->getType());
    if (Width > 64 || (Width < 64 && !E.fits(*S)))
      return std::nullopt;
    *S = SE.getNoopOrSignExtend(*S, Wide);
  }
  const SCEV *End = SE.getAddExpr(Offset, Behind);
  if (!E.fits(Offset) || !E.fits(End))
    return std::nullopt;
  auto First = E.hull(Offset), Last = E.hull(End);
  if (!First || !Last)
    return std::nullopt;
  return Reach{Base->getValue(), *First, *Last};
}
} // namespace extents
