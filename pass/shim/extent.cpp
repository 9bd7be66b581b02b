// Which bytes around its pointer parameters a function may access, computed from its arguments at its entry.
//
// Scalar evolution gives the address of an access as an expression over loops; its extremes are found loop by loop from the
// innermost, as code that computes them from the arguments alone. Expressions are meant modulo 2^w, extremes as numbers: every
// expression gets a bound of its magnitude, computed in double, and the answer holds only where all bounds are far below 2^w.
// Then each expression that stands for an access is the number itself, and what is linear in a counter has its extremes at
// the counter's ends. A quadratic form has them there where its first and last difference have one sign.

#include "analyses.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm-c/Core.h"
#include <cmath>
#include <optional>

using namespace llvm;

namespace {
// Expressions that one test may look at: more, and there is none.
constexpr unsigned MostSteps = 4000;

struct Hull {
  Value *Low, *High;
};

class Extents {
public:
  Extents(ScalarEvolution &SE, LoopInfo &LI, IRBuilder<> &B, Function &Into)
      : SE(SE), LI(LI), B(B), Into(Into), Holds(B.getTrue()) {}

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
  // Whether all that was found holds.
  Value *holds() const { return Holds; }

private:
  ScalarEvolution &SE;
  LoopInfo &LI;
  IRBuilder<> &B;
  Function &Into;
  Value *Holds;
  unsigned Steps = 0;
  DenseMap<const SCEV *, std::optional<Hull>> Hulls;
  DenseMap<const SCEV *, Value *> Values, Magnitudes;
  DenseMap<Value *, Value *> Copies;
  DenseMap<const SCEV *, bool> Fitting;

  unsigned width(const SCEV *S) { return SE.getTypeSizeInBits(S->getType()); }
  Type *integer(const SCEV *S) { return B.getIntNTy(width(S)); }
  void require(Value *Condition) { Holds = B.CreateAnd(Holds, Condition); }
  Value *real(double X) { return ConstantFP::get(B.getDoubleTy(), X); }

  std::optional<Hull> find(const SCEV *S) {
    if (Value *V = value(S))
      return Hull{V, V};
    if (S->getType()->isPointerTy() || width(S) > 64 || !fits(S))
      return std::nullopt;
    switch (S->getSCEVType()) {
    case scAddRecExpr:
      return recurrence(cast<SCEVAddRecExpr>(S));
    case scAddExpr: {
      std::optional<Hull> Sum;
      for (const SCEV *Op : cast<SCEVAddExpr>(S)->operands()) {
        auto H = hull(Op);
        if (!H)
          return std::nullopt;
        Sum = Sum ? Hull{B.CreateAdd(Sum->Low, H->Low), B.CreateAdd(Sum->High, H->High)} : *H;
      }
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
      return All;
    }
    case scSignExtend:
    case scZeroExtend: {
      auto H = hull(cast<SCEVCastExpr>(S)->getOperand());
      if (!H)
        return std::nullopt;
      if (S->getSCEVType() == scZeroExtend)
        require(B.CreateICmpSGE(H->Low, ConstantInt::get(H->Low->getType(), 0)));
      return Hull{B.CreateSExt(H->Low, integer(S)), B.CreateSExt(H->High, integer(S))};
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
      }
      return All;
    }
    case scUnknown: {
      std::optional<Hull> All;
      for (const SCEV *Op : choices(S)) {
        auto H = hull(Op);
        if (!H)
          return std::nullopt;
        All = All ? Hull{minimum(All->Low, H->Low), maximum(All->High, H->High)} : *H;
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
      return Hull{B.CreateUDiv(H->Low, By->getValue()), B.CreateUDiv(H->High, By->getValue())};
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

  std::optional<Hull> recurrence(const SCEVAddRecExpr *S) {
    const SCEV *Taken = taken(S);
    if (!Taken || S->getNumOperands() > 3)
      return std::nullopt;
    Type *Ty = S->getType();
    const SCEV *K = SE.getTruncateOrNoop(Taken, Ty);
    const SCEV *Start = S->getOperand(0), *Step = S->getOperand(1);
    const SCEV *End = SE.getAddExpr(Start, SE.getMulExpr(Step, K));
    if (S->getNumOperands() == 3) {
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
    return Hull{minimum(X->Low, Y->Low), maximum(X->High, Y->High)};
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

  // A value of the function, computed at its entry from the arguments alone; null where that is not possible.
  Value *again(Value *V) {
    if (isa<Constant>(V))
      return isa<ConstantInt>(V) ? V : nullptr;
    auto Known = Copies.find(V);
    if (Known != Copies.end())
      return Known->second;
    Value *Copy = nullptr;
    if (auto *A = dyn_cast<Argument>(V))
      Copy = B.CreateFreeze(Into.getArg(A->getArgNo()));
    else if (++Steps <= MostSteps)
      Copy = copy(*cast<Instruction>(V));
    return Copies[V] = Copy;
  }

  // Only integers, without flags: what wraps wraps, and what would be poison is some number.
  Value *copy(Instruction &I) {
    if (!isa<BinaryOperator, CastInst, ICmpInst, SelectInst, FreezeInst>(I) || !isSafeToSpeculativelyExecute(&I))
      return nullptr;
    if (!I.getType()->isIntegerTy() || !all_of(I.operands(), [](Value *O) { return O->getType()->isIntOrPtrTy(); }))
      return nullptr;
    SmallVector<Value *, 3> Operands;
    for (Value *O : I.operands())
      if (Value *Found = again(O))
        Operands.push_back(Found);
      else
        return nullptr;
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
      Value *V = again(cast<SCEVUnknown>(S)->getValue());
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
} // namespace

extern "C" {

// An access of a function: the instruction, the address, how many bytes (an i64; null where `Bytes` says it), and the
// pointer parameter that it is said to belong to.
struct AdAccess {
  LLVMValueRef Inst, Address, Length;
  uint64_t Bytes;
  unsigned Param;
};

// Appends to `Block`, in a function whose first parameters are those of F, code that computes for each parameter i of F with
// accesses Low[i] and High[i], i64: all these accesses lie at low ≤ byte < high from it. Returns the condition under which
// this holds. Low[i] is null where it cannot be told.
LLVMValueRef adshim_emit_extents(LLVMValueRef FRef, LLVMBasicBlockRef Block, const AdAccess *Accesses, unsigned Count,
                                 LLVMValueRef *Low, LLVMValueRef *High) {
  auto &F = *cast<Function>(unwrap(FRef));
  Analyses A;
  auto &LI = A.FAM.getResult<LoopAnalysis>(F);
  auto &SE = A.FAM.getResult<ScalarEvolutionAnalysis>(F);
  IRBuilder<> B(unwrap(Block));
  Extents E(SE, LI, B, *unwrap(Block)->getParent());
  SmallVector<bool> Fails(F.arg_size(), false);
  for (const AdAccess &Access : ArrayRef(Accesses, Count)) {
    if (Fails[Access.Param])
      continue;
    auto *I = cast<Instruction>(unwrap(Access.Inst));
    const Loop *L = LI.getLoopFor(I->getParent());
    const SCEV *Address = SE.getSCEVAtScope(unwrap(Access.Address), L);
    auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
    std::optional<Hull> First, Last;
    if (Base && Base->getValue() == F.getArg(Access.Param)) {
      const SCEV *Offset = SE.removePointerBase(Address);
      const SCEV *Behind = Access.Length ? SE.getSCEVAtScope(unwrap(Access.Length), L)
                                         : SE.getConstant(Offset->getType(), Access.Bytes);
      if (SE.getTypeSizeInBits(Offset->getType()) == 64 && SE.getTypeSizeInBits(Behind->getType()) == 64) {
        const SCEV *End = SE.getAddExpr(Offset, Behind);
        if (E.fits(Offset) && E.fits(End)) {
          First = E.hull(Offset);
          Last = E.hull(End);
        }
      }
    }
    if (!First || !Last) {
      Fails[Access.Param] = true;
      Low[Access.Param] = High[Access.Param] = nullptr;
      continue;
    }
    Value *From = First->Low, *To = Last->High;
    if (LLVMValueRef Known = Low[Access.Param]) {
      From = E.minimum(unwrap(Known), From);
      To = E.maximum(unwrap(High[Access.Param]), To);
    }
    Low[Access.Param] = wrap(From);
    High[Access.Param] = wrap(To);
  }
  return wrap(E.holds());
}
}
