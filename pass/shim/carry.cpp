// Carries the cells of windows (windows.h) from one iteration to the next in registers.
//
// The reverse of out[i] = f(in[i - 1], in[i], in[i + 1]) adds to three neighbouring adjoints per iteration, each of which is loaded and
// stored in three iterations in a row. With a window one is loaded and one is stored per iteration. All values and their order stay
// the same, so this is right for primal and adjoint arithmetic alike; what is left, a load that runs ahead of a store, LLVM vectorises.
// Where tests are needed, the loop gets two versions.

#include "analyses.h"
#include "windows.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm-c/Core.h"

using namespace llvm;
using namespace windows;

namespace {
class Carrier {
public:
  Carrier(Loop &L, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE, AssumptionCache &AC, const Finder &Found, Plan &P)
      : L(L), LI(LI), DT(DT), SE(SE), AC(AC), Found(Found), P(P), Expander(SE, "ad.window") {}
  // Whether all code that is needed can be had before the loop. Nothing was changed where it cannot.
  bool isPossible();
  void run();

private:
  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  AssumptionCache &AC;
  const Finder &Found;
  Plan &P;
  SCEVExpander Expander;
  SmallVector<AllocaInst *, 32> Cells;
  // The loads and stores that a window has in the loop.
  SmallVector<std::pair<const Group *, Instruction *>, 16> Accesses;

  Instruction *before() { return L.getLoopPreheader()->getTerminator(); }
  Value *expand(const SCEV *S) { return Expander.expandCodeFor(S, S->getType(), before()); }
  Value *addresses(const Group &G, bool Low);
  Value *test();
  void version(Value *Holds);
  void carry(const Group &G);
  void tellApart();
};

bool Carrier::isPossible() {
  auto IsSafe = [&](const SCEV *S) { return Expander.isSafeToExpandAt(S, before()); };
  for (const Group &G : P.Groups)
    if (G.IsWindow && !IsSafe(G.Start))
      return false;
  for (auto [I, J] : P.Tests)
    for (unsigned N : {I, J}) {
      auto [Low, High] = span(SE, P, P.Groups[N]);
      if (!IsSafe(Low) || !IsSafe(High))
        return false;
    }
  return IsSafe(P.Taken);
}

// Whether the loop makes enough iterations, and the spans of all pairs are apart: between memory of different bases, the hulls of theirs.
Value *Carrier::test() {
  struct Span {
    Value *Low, *High;
  };
  SmallVector<std::optional<Span>, 16> Spans(P.Groups.size());
  SmallVector<Value *, 16> Conditions;
  IRBuilder<> B(before());
  // What is computed for iterations that may not come is some number.
  auto Number = [&](const SCEV *S) {
    Value *V = expand(S);
    B.SetInsertPoint(before());
    V = B.CreateFreeze(V);
    return V->getType()->isPointerTy() ? B.CreatePtrToInt(V, SE.getEffectiveSCEVType(V->getType())) : V;
  };
  auto Of = [&](unsigned N) {
    if (!Spans[N]) {
      auto [Low, High] = span(SE, P, P.Groups[N]);
      Spans[N] = Span{Number(Low), Number(High)};
      if (!P.Groups[N].IsAlways)
        Conditions.push_back(B.CreateICmpULE(Spans[N]->Low, Spans[N]->High));
    }
    return *Spans[N];
  };
  auto Compare = [&](Span X, Span Y) {
    Conditions.push_back(B.CreateOr(B.CreateICmpULE(X.High, Y.Low), B.CreateICmpULE(Y.High, X.Low)));
  };
  MapVector<const SCEV *, Span> Hulls;
  SetVector<std::pair<const SCEV *, const SCEV *>> Pairs;
  auto Grow = [&](const SCEV *Base, Span By) {
    auto [At, IsNew] = Hulls.insert({Base, By});
    if (!IsNew)
      At->second = {B.CreateBinaryIntrinsic(Intrinsic::umin, At->second.Low, By.Low),
                    B.CreateBinaryIntrinsic(Intrinsic::umax, At->second.High, By.High)};
  };
  SmallSet<unsigned, 16> Grown;
  for (auto [I, J] : P.Tests) {
    const SCEV *X = SE.getPointerBase(P.Groups[I].Start), *Y = SE.getPointerBase(P.Groups[J].Start);
    if (X == Y) {
      Compare(Of(I), Of(J));
      continue;
    }
    for (unsigned N : {I, J})
      if (Grown.insert(N).second)
        Grow(N == I ? X : Y, Of(N));
    if (!Pairs.contains({Y, X}))
      Pairs.insert({X, Y});
  }
  for (auto [X, Y] : Pairs)
    Compare(Hulls.find(X)->second, Hulls.find(Y)->second);
  if (P.LeastTaken) {
    Value *Taken = Number(P.Taken);
    Conditions.push_back(B.CreateICmpUGE(Taken, ConstantInt::get(Taken->getType(), uint64_t(P.LeastTaken))));
  }
  return Conditions.empty() ? nullptr : B.CreateAnd(Conditions);
}

// A copy of the loop as it is, for when the test fails. Both lead to what was the loop's exit.
void Carrier::version(Value *Holds) {
  BasicBlock *Test = L.getLoopPreheader(), *Exit = L.getExitBlock();
  BasicBlock *Before = SplitBlock(Test, Test->getTerminator(), &DT, &LI, nullptr, "ad.windows");
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Plain = cloneLoopWithPreheader(Before, Test, &L, Map, ".plain", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  Instruction *End = Test->getTerminator();
  IRBuilder<>(End).CreateCondBr(Holds, Before, Plain->getLoopPreheader());
  End->eraseFromParent();
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValueForBlock(L.getLoopLatch());
    Value *Copy = Map.lookup(V);
    Phi.addIncoming(Copy ? Copy : V, Plain->getLoopLatch());
  }
  DT.changeImmediateDominator(Exit, Test);
  formDedicatedExitBlocks(Plain, &DT, &LI, nullptr, true);
  formDedicatedExitBlocks(&L, &DT, &LI, nullptr, true);
}

void Carrier::carry(const Group &G) {
  BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  IRBuilder<> B(&Header->getParent()->getEntryBlock().front());
  SmallVector<AllocaInst *, 8> Cell;
  for (int64_t Q = G.First; Q <= G.Last; Q++)
    Cell.push_back(B.CreateAlloca(G.Ty));
  auto Of = [&](int64_t Q) { return Cell[Q - G.First]; };
  Cells.append(Cell);

  Align Alignment = getLoadStoreAlignment(G.Members[0].I);
  AAMDNodes Tags = Found.lasting(*G.Members[0].I);
  for (const Member &M : G.Members) {
    Alignment = std::min(Alignment, getLoadStoreAlignment(M.I));
    Tags = Tags.merge(Found.lasting(*M.I));
  }
  const DebugLoc &Place = G.Members[0].I->getDebugLoc();

  // Each way through the loop stores the first cell and the last, so all these addresses are in one object.
  Value *Start = expand(SE.getAddExpr(G.Start, SE.getConstant(SE.getEffectiveSCEVType(G.Start->getType()), G.offsetOf(G.First), true)));
  B.SetInsertPoint(Header, Header->begin());
  B.SetCurrentDebugLocation(Place);
  PHINode *At = B.CreatePHI(Start->getType(), 2, "ad.window.at");
  auto Address = [&](Value *From, int64_t Q) {
    return Q == G.First ? From : B.CreateInBoundsPtrAdd(From, B.getInt64(uint64_t((Q - G.First) * G.Step)));
  };
  auto Load = [&](Value *From, int64_t Q) {
    LoadInst *I = B.CreateAlignedLoad(G.Ty, Address(From, Q), Alignment);
    I->setAAMetadata(Tags);
    B.CreateStore(I, Of(Q));
    return I;
  };
  auto Store = [&](Value *From, int64_t Q, int64_t To) {
    StoreInst *I = B.CreateAlignedStore(B.CreateLoad(G.Ty, Of(Q)), Address(From, To), Alignment);
    I->setAAMetadata(Tags);
    return I;
  };

  for (const Member &M : G.Members)
    M.I->setOperand(M.isStore() ? 1 : 0, Of(M.Cell)), M.I->dropUnknownNonDebugMetadata();
  B.SetInsertPoint(before());
  B.SetCurrentDebugLocation(Place);
  for (int64_t Q = G.First; Q < G.Last; Q++)
    Load(Start, Q);
  B.SetInsertPoint(Header, Header->getFirstInsertionPt());
  B.SetCurrentDebugLocation(Place);
  Accesses.push_back({&G, Load(At, G.Last)});
  B.SetInsertPoint(Latch->getTerminator());
  B.SetCurrentDebugLocation(Place);
  Accesses.push_back({&G, Store(At, G.First, G.First)});
  for (int64_t Q = G.First; Q < G.Last; Q++)
    B.CreateStore(B.CreateLoad(G.Ty, Of(Q + 1)), Of(Q));
  Value *Next = B.CreateInBoundsPtrAdd(At, B.getInt64(uint64_t(G.Step)));
  At->addIncoming(Start, L.getLoopPreheader());
  At->addIncoming(Next, Latch);
  // The cells have moved on by one.
  BasicBlock *Exit = L.getExitBlock();
  B.SetInsertPoint(Exit, Exit->getFirstInsertionPt());
  B.SetCurrentDebugLocation(Place);
  for (int64_t Q = G.First; Q < G.Last; Q++)
    Store(At, Q, Q + 1);
}

// Says of the loop's accesses which groups they do not touch, while the loop runs: LLVM's own tests would widen spans to those of outer
// loops, where rows of one array meet.
void Carrier::tellApart() {
  LLVMContext &C = L.getHeader()->getContext();
  MDBuilder MD(C);
  MDNode *Domain = MD.createAnonymousAliasScopeDomain("ad.windows");
  IRBuilder<> B(before());
  DenseMap<Instruction *, Metadata *> Own;
  SmallVector<Metadata *, 8> All;
  for (const Group &G : P.Groups) {
    if (!G.IsApart)
      continue;
    MDNode *Scope = MD.createAnonymousAliasScope(Domain, "ad.window");
    B.CreateNoAliasScopeDeclaration(MDNode::get(C, Scope));
    All.push_back(Scope);
    if (!G.IsWindow)
      for (const Member &M : G.Members)
        Own[M.I] = Scope;
    for (auto [Of, I] : Accesses)
      if (Of == &G)
        Own[I] = Scope;
  }
  auto Add = [&](Instruction &I, unsigned Kind, ArrayRef<Metadata *> More) {
    I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind), MDNode::get(C, More)));
  };
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      if (!isa<LoadInst, StoreInst>(I))
        continue;
      Metadata *Scope = Own.lookup(&I);
      SmallVector<Metadata *, 8> Others;
      copy_if(All, std::back_inserter(Others), [&](Metadata *Other) { return Other != Scope; });
      if (Scope)
        Add(I, LLVMContext::MD_alias_scope, {Scope});
      if (!Others.empty())
        Add(I, LLVMContext::MD_noalias, Others);
    }
}

void Carrier::run() {
  formLCSSA(L, DT, &LI, &SE);
  if (Value *Holds = test())
    version(Holds);
  for (const Group &G : P.Groups)
    if (G.IsWindow)
      carry(G);
  PromoteMemToReg(Cells, DT, &AC);
  tellApart();
  formLCSSA(L, DT, &LI, &SE);
  // Starts were made for iterations that may not come.
  for (Instruction *I : Expander.getAllInsertedInstructions())
    I->dropPoisonGeneratingFlags();
  SE.forgetLoop(&L);
  SE.forgetBlockAndLoopDispositions();
}
} // namespace

extern "C" {

// Carries cells of arrays in registers in the innermost loops of a function; returns in how many of them.
unsigned adshim_carry_windows(LLVMValueRef FRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  Analyses A;
  auto &LI = A.FAM.getResult<LoopAnalysis>(F);
  auto &DT = A.FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = A.FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AA = A.FAM.getResult<AAManager>(F);
  auto &AC = A.FAM.getResult<AssumptionAnalysis>(F);
  SmallVector<Loop *, 8> Loops;
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isInnermost())
      Loops.push_back(L);
  unsigned Changed = 0;
  for (Loop *L : Loops) {
    if (!L->getLoopLatch() || L->getExitingBlock() != L->getLoopLatch())
      continue;
    simplifyLoop(L, &DT, &LI, &SE, &AC, nullptr, /*PreserveLCSSA=*/false);
    if (!L->isLoopSimplifyForm() || !L->getExitBlock() || !L->isSafeToClone())
      continue;
    Finder Found(*L, LI, DT, SE, AA);
    Plan P;
    if (!Found.find(P))
      continue;
    Carrier C(*L, LI, DT, SE, AC, Found, P);
    if (!C.isPossible())
      continue;
    C.run();
    Changed++;
  }
  return Changed;
}
}
