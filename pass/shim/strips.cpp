// Cuts loops that add to shadows of shared memory into strips (pass/src/codegen/sums.rs, runtime/src/sums/runs.rs).
//
// Where a thread adds depends on the piece of shadow memory: in place, or to a copy at some distance. A loop whose addresses advance by
// a constant step stays within a piece, or within pieces of the same kind, for many iterations. So the loop becomes
//   do {
//     ask, per array, for how many of the next iterations the distance stays;
//     if (for some) run so many, plain additions at the distance; else run a few that look at the tables in each addition;
//   } while (iterations are left);
// The first kind of loop has no calls, no branches and no atomic accesses, so that all that LLVM does to loops it does to this one.

#include "analyses.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm-c/Core.h"
#include <array>

using namespace llvm;

namespace {
// Fewer iterations than that are not worth the questions.
constexpr uint64_t FewestIterations = 4;
// Questions of one loop.
constexpr unsigned MostStreams = 12;
// Instructions of a loop around others.
constexpr size_t MostInstructions = 1000;
// Bytes that one question is about in one iteration, without inner loops.
constexpr int64_t WidestStream = 1024;

// What the runtime gives to the code here.
struct Names {
  // The scope of atomic additions that are sums.
  const char *Scope;
  size_t Length;
  // for how many iterations sums of doubles, and of floats, stay at one distance
  LLVMValueRef Doubles, Floats;
  // settles a cell; may be null
  LLVMValueRef Settle;
  // for how many iterations there is nothing to settle
  LLVMValueRef Settled;
};

// Accesses of one array, at constant distances from each other.
struct Stream {
  SmallVector<Instruction *, 8> Members;
  bool IsSum;
  Type *Ty;
  // The address in the first iteration, and what is added to it per iteration.
  const SCEV *Start, *Step;
  // By how much inner loops go below it, and beyond.
  const SCEV *Below, *Beyond;
  // The first byte, and the one behind the last, without those.
  int64_t Low, High;
};

class Cutter {
public:
  Cutter(Loop &L, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE, const TargetLibraryInfo &TLI, const Names &N)
      : L(L), LI(LI), DT(DT), SE(SE), TLI(TLI), N(N),
        Scope(L.getHeader()->getContext().getOrInsertSyncScopeID({N.Scope, N.Length})), Expander(SE, "ad.strip") {}
  // Whether there are streams, and all that is needed can be had before the loop. Nothing is changed.
  bool find();
  // Returns the loop that still looks at the tables.
  Loop *run();

private:
  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  const TargetLibraryInfo &TLI;
  const Names &N;
  SyncScope::ID Scope;
  SCEVExpander Expander;
  SmallVector<Stream, 8> Streams;
  const SCEV *Taken = nullptr;

  bool isAtHand(const SCEV *S);
  bool leavesTables(const CallBase &Call) const;
  bool add(Instruction &I, bool IsSum, Type *Ty, Value *At, int64_t Bytes);
  void count(Loop &Of, BasicBlock *Before, BasicBlock *After, Value *Iterations);
};

// Whether a number can be computed before the loop. The function divides by the same numbers there already: these are not zero.
bool Cutter::isAtHand(const SCEV *S) {
  BasicBlock *Before = L.getLoopPreheader();
  auto Divides = [&](Instruction &I, const SCEV *By) {
    return I.isIntDivRem() && DT.dominates(I.getParent(), Before) && SE.getSCEV(I.getOperand(1)) == By;
  };
  auto IsDivisor = [&](const SCEV *By) {
    return isa<SCEVConstant>(By) || any_of(instructions(*Before->getParent()), [&](Instruction &I) { return Divides(I, By); });
  };
  auto Fails = [&](const SCEV *Part) {
    auto *Quotient = dyn_cast<SCEVUDivExpr>(Part);
    return isa<SCEVCouldNotCompute>(Part) || (Quotient && !IsDivisor(Quotient->getRHS()));
  };
  return SE.isLoopInvariant(S, &L) && SE.dominates(S, Before) && !SCEVExprContains(S, Fails);
}

// Whether a called function neither adds to shadows nor waits for other threads.
bool Cutter::leavesTables(const CallBase &Call) const {
  if (isa<IntrinsicInst>(Call) || Call.onlyReadsMemory())
    return true;
  LibFunc Known;
  return Call.getCalledFunction() && TLI.getLibFunc(*Call.getCalledFunction(), Known);
}

// Whether an access is part of a stream now.
bool Cutter::add(Instruction &I, bool IsSum, Type *Ty, Value *At, int64_t Bytes) {
  Type *Word = Type::getInt64Ty(I.getContext());
  const SCEV *Start = SE.getSCEV(At), *Step = SE.getZero(Word), *Below = Step, *Beyond = Step;
  // Loops within, innermost first.
  while (auto *Moving = dyn_cast<SCEVAddRecExpr>(Start)) {
    const Loop *Of = Moving->getLoop();
    if (!L.contains(Of) || !Moving->isAffine())
      break;
    const SCEV *By = Moving->getStepRecurrence(SE);
    Start = Moving->getStart();
    if (Of == &L) {
      Step = By;
      break;
    }
    const SCEV *Turns = SE.getBackedgeTakenCount(Of);
    auto *Constant = dyn_cast<SCEVConstant>(By);
    if (!Constant || isa<SCEVCouldNotCompute>(Turns) || SE.getTypeSizeInBits(Turns->getType()) > 64)
      return false;
    const SCEV *All = SE.getMulExpr(By, SE.getNoopOrZeroExtend(Turns, Word));
    const SCEV *&Side = Constant->getAPInt().isNegative() ? Below : Beyond;
    Side = SE.getAddExpr(Side, All);
  }
  for (const SCEV *S : {Start, Step, Below, Beyond})
    if (!isAtHand(S))
      return false;
  for (Stream &S : Streams) {
    if (S.IsSum != IsSum || S.Ty != Ty || S.Step != Step || S.Below != Below || S.Beyond != Beyond ||
        SE.getPointerBase(S.Start) != SE.getPointerBase(Start))
      continue;
    auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Start, S.Start));
    if (!Distance || Distance->getAPInt().abs().ugt(WidestStream))
      continue;
    int64_t From = Distance->getAPInt().getSExtValue();
    int64_t Low = std::min(S.Low, From), High = std::max(S.High, From + Bytes);
    if (High - Low > WidestStream)
      continue;
    S.Low = Low, S.High = High;
    S.Members.push_back(&I);
    return true;
  }
  if (Streams.size() == MostStreams)
    return false;
  Streams.push_back({{&I}, IsSum, Ty, Start, Step, Below, Beyond, 0, Bytes});
  return true;
}

bool Cutter::find() {
  BasicBlock *Exiting = L.getExitingBlock();
  if (!L.isLoopSimplifyForm() || !Exiting || LI.getLoopFor(Exiting) != &L || !L.getExitBlock() || !L.isSafeToClone())
    return false;
  Taken = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Taken) || SE.getTypeSizeInBits(Taken->getType()) > 64 || !isAtHand(Taken))
    return false;
  if (auto *Constant = dyn_cast<SCEVConstant>(Taken); Constant && Constant->getAPInt().ult(FewestIterations - 1))
    return false;
  SmallVector<CallInst *, 8> Settlements;
  bool AreAllSums = true, AreAll = true;
  size_t Size = 0;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      Size++;
      if (auto *Sum = dyn_cast<AtomicRMWInst>(&I); Sum && Sum->getSyncScopeID() == Scope) {
        int64_t Bytes = int64_t(I.getDataLayout().getTypeStoreSize(I.getType()).getFixedValue());
        bool IsPlain = I.use_empty() && Sum->getAlign().value() >= uint64_t(Bytes);
        AreAllSums &= IsPlain && add(I, true, I.getType(), Sum->getPointerOperand(), Bytes);
      } else if (auto *Call = dyn_cast<CallInst>(&I); Call && N.Settle && Call->getCalledOperand() == unwrap(N.Settle)) {
        Settlements.push_back(Call);
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        if (!leavesTables(*Call))
          return false;
      } else if (I.isAtomic()) {
        return false;
      }
    }
  // What is added by the tables may be kept for a cell that is settled.
  for (CallInst *Call : Settlements) {
    auto *Bytes = dyn_cast<ConstantInt>(Call->getArgOperand(1));
    AreAll &= AreAllSums && Bytes && add(*Call, false, nullptr, Call->getArgOperand(0), Bytes->getSExtValue());
  }
  // Sums come first.
  stable_sort(Streams, [](const Stream &X, const Stream &Y) { return X.IsSum && !Y.IsSum; });
  // Loops around others are cut where nothing is left to the inner ones.
  return !Streams.empty() && (L.isInnermost() || (AreAllSums && AreAll && Size <= MostInstructions));
}

// The loop goes on to `After` after so many iterations. Where it does not leave from its latch, it leaves as before too.
void Cutter::count(Loop &Of, BasicBlock *Before, BasicBlock *After, Value *Iterations) {
  BasicBlock *Header = Of.getHeader(), *Latch = Of.getLoopLatch();
  Instruction *End = Latch->getTerminator();
  IRBuilder<> B(Header, Header->begin());
  PHINode *Counter = B.CreatePHI(B.getInt64Ty(), 2, "ad.strip.at");
  B.SetInsertPoint(End);
  Value *Next = B.CreateAdd(Counter, B.getInt64(1), "", /*NUW=*/true, /*NSW=*/true);
  Counter->addIncoming(B.getInt64(0), Before);
  Counter->addIncoming(Next, Latch);
  Instruction *Branch = B.CreateCondBr(B.CreateICmpEQ(Next, Iterations), After, Header);
  Branch->copyMetadata(*End);
  Branch->setMetadata(LLVMContext::MD_prof, nullptr);
  End->eraseFromParent();
}

Loop *Cutter::run() {
  formLCSSARecursively(L, DT, &LI, &SE);
  BasicBlock *Before = L.getLoopPreheader(), *Header = L.getHeader(), *Latch = L.getLoopLatch(), *Exit = L.getExitBlock();
  BasicBlock *Exiting = L.getExitingBlock();
  bool LeavesLast = Exiting == Latch;
  IRBuilder<> B(Before->getTerminator());
  auto Expand = [&](const SCEV *S) {
    Value *V = Expander.expandCodeFor(S, S->getType(), Before->getTerminator());
    B.SetInsertPoint(Before->getTerminator());
    return B.CreateFreeze(V);
  };
  Value *Count = B.CreateZExtOrTrunc(Expand(Taken), B.getInt64Ty());
  Count = B.CreateAdd(Count, B.getInt64(1), "ad.iterations");
  // Per stream: its lowest byte in the first iteration, how many there are in one, and the step.
  SmallVector<std::array<Value *, 3>, 8> Walks;
  for (const Stream &S : Streams) {
    Value *Start = B.CreatePtrToInt(Expand(S.Start), B.getInt64Ty()), *Below = Expand(S.Below);
    Value *Low = B.CreateAdd(B.CreateAdd(Start, B.getInt64(uint64_t(S.Low))), Below);
    Value *Beyond = B.CreateAdd(Expand(S.Beyond), B.getInt64(uint64_t(S.High - S.Low)));
    Walks.push_back({Low, B.CreateSub(Beyond, Below), Expand(S.Step)});
  }
  for (Instruction *I : Expander.getAllInsertedInstructions())
    I->dropPoisonGeneratingFlags();

  BasicBlock *Strip = SplitBlock(Before, Before->getTerminator(), &DT, &LI, nullptr, "ad.strip");
  BasicBlock *Whole = SplitBlock(Strip, Strip->getTerminator(), &DT, &LI, nullptr, "ad.strip.whole");
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Single = cloneLoopWithPreheader(Whole, Strip, &L, Map, ".single", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  BasicBlock *BeforeSingle = Single->getLoopPreheader(), *SingleLatch = Single->getLoopLatch();
  BasicBlock *After = BasicBlock::Create(Header->getContext(), "ad.strip.next", Header->getParent(), Exit);

  // What an iteration hands to the next, a strip does.
  auto Merged = [&](Value *V) {
    Value *Copy = Map.lookup(V);
    PHINode *Both = PHINode::Create(V->getType(), 2, "", After);
    Both->addIncoming(V, Latch);
    Both->addIncoming(Copy ? Copy : V, SingleLatch);
    return Both;
  };
  for (PHINode &Phi : Exit->phis()) {
    int At = Phi.getBasicBlockIndex(Exiting);
    Value *V = Phi.getIncomingValue(At);
    if (LeavesLast) {
      Phi.setIncomingValue(At, Merged(V));
      Phi.setIncomingBlock(At, After);
    } else {
      Value *Copy = Map.lookup(V);
      Phi.addIncoming(Copy ? Copy : V, cast<BasicBlock>(Map.lookup(Exiting)));
    }
  }
  B.SetInsertPoint(Strip, Strip->begin());
  for (PHINode &Phi : Header->phis()) {
    PHINode *At = B.CreatePHI(Phi.getType(), 2, Phi.getName() + ".strip");
    At->addIncoming(Phi.getIncomingValueForBlock(Whole), Before);
    At->addIncoming(Merged(Phi.getIncomingValueForBlock(Latch)), After);
    Phi.setIncomingValueForBlock(Whole, At);
    cast<PHINode>(Map.lookup(&Phi))->setIncomingValueForBlock(BeforeSingle, At);
  }
  PHINode *Done = B.CreatePHI(B.getInt64Ty(), 2, "ad.strip.done");

  // The questions.
  B.SetInsertPoint(Strip->getTerminator());
  Value *Most = B.CreateSub(Count, Done), *Few = B.getInt64(0), *Away = B.getInt64(0);
  SmallVector<Value *, 8> Distances;
  for (auto [S, Walk] : zip(Streams, Walks)) {
    auto [Low, Bytes, Step] = Walk;
    SmallVector<Value *, 5> Arguments{B.CreateAdd(Low, B.CreateMul(Done, Step)), Bytes, Step, Most};
    if (!S.IsSum)
      Arguments.push_back(Away);
    auto *Asked = cast<Function>(unwrap(!S.IsSum ? N.Settled : S.Ty->isFloatTy() ? N.Floats : N.Doubles));
    Value *Answer = B.CreateCall(Asked, Arguments);
    Value *More = B.CreateExtractValue(Answer, 1);
    Most = B.CreateExtractValue(Answer, 0);
    Few = B.CreateAdd(Few, B.CreateSelect(B.CreateIsNull(Most), More, B.getInt64(0)));
    Distances.push_back(More);
    if (S.IsSum)
      Away = B.CreateOr(Away, More);
  }
  Value *IsWhole = B.CreateIsNotNull(Most);
  Value *Iterations = B.CreateSelect(IsWhole, Most, Few);
  B.CreateCondBr(IsWhole, Whole, BeforeSingle);
  Strip->getTerminator()->eraseFromParent();
  count(L, Whole, After, Iterations);
  count(*Single, BeforeSingle, After, Iterations);
  B.SetInsertPoint(After);
  Value *Sum = B.CreateAdd(Done, Iterations);
  Done->addIncoming(B.getInt64(0), Before);
  Done->addIncoming(Sum, After);
  if (LeavesLast)
    B.CreateCondBr(B.CreateICmpEQ(Sum, Count), Exit, Strip);
  else
    B.CreateBr(Strip);

  for (auto [S, Distance] : zip(Streams, Distances))
    for (Instruction *I : S.Members) {
      if (auto *Plain = dyn_cast<AtomicRMWInst>(I)) {
        B.SetInsertPoint(I);
        AAMDNodes Tags = I->getAAMetadata();
        Value *At = B.CreatePtrAdd(Plain->getPointerOperand(), Distance);
        LoadInst *Old = B.CreateAlignedLoad(S.Ty, At, Plain->getAlign());
        StoreInst *New = B.CreateAlignedStore(B.CreateFAdd(Old, Plain->getValOperand()), At, Plain->getAlign());
        Old->setAAMetadata(Tags);
        New->setAAMetadata(Tags);
      }
      I->eraseFromParent();
    }
  return Single;
}
} // namespace

extern "C" {

// Cuts the loops of a function that add to shadows of shared memory, or settle them; returns how many.
unsigned adshim_cut_strips(LLVMValueRef FRef, const Names *N) {
  auto &F = *cast<Function>(unwrap(FRef));
  Analyses A;
  SmallVector<BasicBlock *, 8> Headers;
  for (Loop *L : A.FAM.getResult<LoopAnalysis>(F))
    Headers.push_back(L->getHeader());
  unsigned Changed = 0;
  while (!Headers.empty()) {
    auto &LI = A.FAM.getResult<LoopAnalysis>(F);
    auto &DT = A.FAM.getResult<DominatorTreeAnalysis>(F);
    auto &SE = A.FAM.getResult<ScalarEvolutionAnalysis>(F);
    auto &TLI = A.FAM.getResult<TargetLibraryAnalysis>(F);
    Loop *L = LI.getLoopFor(Headers.pop_back_val());
    bool IsCut = false;
    {
      Cutter C(*L, LI, DT, SE, TLI, *N);
      if (C.find()) {
        L = C.run();
        IsCut = true;
      }
    }
    for (Loop *Inner : *L)
      Headers.push_back(Inner->getHeader());
    if (IsCut) {
      Changed++;
      A.FAM.invalidate(F, PreservedAnalyses::none());
    }
  }
  return Changed;
}
}
