// Finds windows: which accesses of a loop meet in which cells, and what keeps them apart from everything else in the loop.
//
// A group becomes a window where each iteration, whichever way it goes, stores its first and its last cell. Then each cell that the
// window loads before the loop and stores behind it is one that the loop stores anyway, if it makes as many iterations as the
// window carries cells; without gaps, if it makes one. Nothing else in the loop may touch the window's cells in any iteration: by
// alias analysis, by phases, by spans that scalar evolution compares, or by a test of spans at run time.

#include "windows.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace windows;

namespace {
// Cells without an access between two that are carried together.
constexpr int64_t WidestGap = 4;
// Offsets beyond are not compared.
constexpr int64_t Farthest = int64_t(1) << 31;

int64_t modulo(int64_t X, int64_t By) {
  int64_t Rest = X % By;
  return Rest < 0 ? Rest + By : Rest;
}

int64_t bytesOf(const Instruction &I) {
  return int64_t(I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getFixedValue());
}

void extend(Group &G, const Member &M) {
  int64_t End = M.Offset + bytesOf(*M.I);
  G.Low = G.Members.empty() ? M.Offset : std::min(G.Low, M.Offset);
  G.High = G.Members.empty() ? End : std::max(G.High, End);
  G.Writes |= M.isStore();
  G.Members.push_back(M);
}

// Whether all members have one type that fills what it takes in memory, and no two of them meet but in whole cells.
bool hasCells(const Group &G) {
  Type *Ty = getLoadStoreType(G.Members[0].I);
  const DataLayout &Layout = G.Members[0].I->getDataLayout();
  int64_t Bytes = bytesOf(*G.Members[0].I), Step = std::abs(G.Step);
  if (!Ty->isSingleValueType() || Ty->isVectorTy() || Layout.getTypeSizeInBits(Ty) != uint64_t(Bytes) * 8 || Step < Bytes)
    return false;
  for (const Member &M : G.Members) {
    if (getLoadStoreType(M.I) != Ty)
      return false;
    for (const Member &Other : G.Members)
      if (int64_t Between = modulo(M.Offset - Other.Offset, Step); Between && (Between < Bytes || Step - Between < Bytes))
        return false;
  }
  return true;
}
} // namespace

Finder::Finder(Loop &L, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE, AAResults &AA)
    : L(L), LI(LI), DT(DT), SE(SE), AA(AA) {
  this->AA.enableCrossIterationMode();
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      if (auto *Declared = dyn_cast<NoAliasScopeDeclInst>(&I))
        for (const MDOperand &Scope : Declared->getScopeList()->operands())
          Passing.insert(Scope.get());
}

AAMDNodes Finder::lasting(Instruction &I) const {
  AAMDNodes Tags = I.getAAMetadata();
  auto Lasts = [&](MDNode *Scopes) {
    return Scopes && none_of(Scopes->operands(), [&](const MDOperand &Scope) { return Passing.contains(Scope.get()); });
  };
  Tags.Scope = Lasts(Tags.Scope) ? Tags.Scope : nullptr;
  Tags.NoAlias = Lasts(Tags.NoAlias) ? Tags.NoAlias : nullptr;
  return Tags;
}

// Puts an access into the group from which it is at a constant distance, or into one of its own.
void Finder::add(Plan &P, Instruction &I) {
  Group Own;
  Own.IsAlways = isAlways(I);
  Own.Writes = I.mayWriteToMemory();
  if (!isa<LoadInst, StoreInst>(I)) {
    Own.Members.push_back({&I, 0, 0});
    P.Groups.push_back(Own);
    return;
  }
  const SCEV *At = SE.getSCEV(getLoadStorePointerOperand(&I));
  auto *Moving = dyn_cast<SCEVAddRecExpr>(At);
  if (SE.isLoopInvariant(At, &L)) {
    Own.Start = At;
  } else if (Moving && Moving->getLoop() == &L && Moving->isAffine()) {
    auto *Step = dyn_cast<SCEVConstant>(Moving->getStepRecurrence(SE));
    if (Step && Step->getAPInt().abs().ule(WidestStep)) {
      Own.Start = Moving->getStart();
      Own.Step = Step->getAPInt().getSExtValue();
    }
  }
  for (Group &G : P.Groups) {
    if (!Own.Start || !G.Start || G.Step != Own.Step || SE.getPointerBase(G.Start) != SE.getPointerBase(Own.Start))
      continue;
    auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Own.Start, G.Start));
    if (!Distance || Distance->getAPInt().abs().uge(Farthest))
      continue;
    extend(G, {&I, Distance->getAPInt().getSExtValue(), 0});
    G.IsAlways &= Own.IsAlways;
    return;
  }
  extend(Own, {&I, 0, 0});
  P.Groups.push_back(Own);
}

// Whether all that the loop does to memory is known, and no iteration may end before it is through.
bool Finder::collect(Plan &P) {
  unsigned Accesses = 0;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      if (!isGuaranteedToTransferExecutionToSuccessor(&I))
        return false;
      if (!I.mayReadOrWriteMemory())
        continue;
      bool IsPlain = isa<LoadInst>(I) ? cast<LoadInst>(I).isSimple() : isa<StoreInst>(I) ? cast<StoreInst>(I).isSimple() : isa<CallInst>(I);
      bool IsSized = !isa<LoadInst, StoreInst>(I) || !I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).isScalable();
      if (!IsPlain || !IsSized || ++Accesses > MostAccesses)
        return false;
      add(P, I);
    }
  return Accesses > 1;
}

// A group as groups of which each has one phase and no wide gap.
SmallVector<Group, 8> Finder::divided(Group &G) {
  if (!G.Start || !G.Step || !hasCells(G))
    return {G};
  int64_t Wide = std::abs(G.Step);
  SmallVector<Member, 8> Sorted = G.Members;
  for (Member &M : Sorted)
    M.Cell = (M.Offset - modulo(M.Offset, Wide)) / G.Step;
  auto Phase = [&](const Member &M) { return modulo(M.Offset, Wide); };
  llvm::stable_sort(Sorted, [&](const Member &X, const Member &Y) {
    return std::pair(Phase(X), X.Cell) < std::pair(Phase(Y), Y.Cell);
  });
  SmallVector<Group, 8> Parts;
  for (const Member &M : Sorted) {
    if (Parts.empty() || Parts.back().Phase != Phase(M) || M.Cell - Parts.back().Members.back().Cell > WidestGap) {
      Group Part;
      Part.Start = G.Start, Part.Step = G.Step, Part.Family = G.Family;
      Part.HasPhase = true, Part.Phase = Phase(M);
      Parts.push_back(Part);
    }
    extend(Parts.back(), M);
    Parts.back().IsAlways &= isAlways(*M.I);
  }
  return Parts;
}

// Whether each way through the loop stores a cell of the group.
bool Finder::stores(const Group &G, int64_t Cell) const {
  SmallPtrSet<const BasicBlock *, 8> In, Done;
  for (const Member &M : G.Members)
    if (M.isStore() && M.Cell == Cell)
      In.insert(M.I->getParent());
  LoopBlocksRPO Order(&L);
  Order.perform(&LI);
  for (BasicBlock *B : Order) {
    bool Before = B != L.getHeader() && all_of(predecessors(B), [&](BasicBlock *From) { return Done.contains(From); });
    if (Before || In.contains(B))
      Done.insert(B);
  }
  return Done.contains(L.getLoopLatch());
}

// Whether a group may become a window, and gains by it: cells are carried, stored twice, or accesses on some ways become one on all.
void Finder::consider(Group &G) {
  if (!G.HasPhase || !G.Writes)
    return;
  auto Numbers = [](const Member &M) { return M.Cell; };
  G.First = Numbers(*llvm::min_element(G.Members, [&](auto &X, auto &Y) { return X.Cell < Y.Cell; }));
  G.Last = Numbers(*llvm::max_element(G.Members, [&](auto &X, auto &Y) { return X.Cell < Y.Cell; }));
  bool IsOnce = llvm::count_if(G.Members, [](const Member &M) { return M.isStore(); }) == 1;
  if (G.carried() > MostCarried || (!G.carried() && G.IsAlways && IsOnce) || !stores(G, G.First) || !stores(G, G.Last))
    return;
  for (int64_t Cell = G.First; Cell <= G.Last; Cell++)
    G.HasGap |= !stores(G, Cell);
  G.Ty = getLoadStoreType(G.Members[0].I);
  G.IsWindow = true;
}

// Whether no iteration of one group touches what some iteration of the other does, as alias analysis and phases say.
bool Finder::isApart(const Group &G, const Group &Other) {
  if (G.HasPhase && Other.HasPhase && G.Family == Other.Family && G.Phase != Other.Phase)
    return true;
  auto Whole = [&](Instruction &I) {
    return MemoryLocation(getLoadStorePointerOperand(&I), LocationSize::beforeOrAfterPointer(), lasting(I));
  };
  for (const Member &X : G.Members)
    for (const Member &Y : Other.Members) {
      bool IsAccess = isa<LoadInst, StoreInst>(Y.I);
      if (IsAccess ? !AA.isNoAlias(Whole(*X.I), Whole(*Y.I)) : !isNoModRef(AA.getModRefInfo(Y.I, Whole(*X.I))))
        return false;
    }
  return true;
}

std::pair<const SCEV *, const SCEV *> windows::span(ScalarEvolution &SE, const Plan &P, const Group &G) {
  if (!G.Start)
    return {nullptr, nullptr};
  Type *Index = SE.getEffectiveSCEVType(G.Start->getType());
  const SCEV *Way = SE.getMulExpr(SE.getTruncateOrZeroExtend(P.Taken, Index), SE.getConstant(Index, G.Step, true));
  const SCEV *End = SE.getAddExpr(G.Start, Way);
  auto At = [&](const SCEV *From, int64_t Offset) { return SE.getAddExpr(From, SE.getConstant(Index, Offset, true)); };
  return {At(G.Step < 0 ? End : G.Start, G.Low), At(G.Step < 0 ? G.Start : End, G.High)};
}

// Whether the spans of all iterations are known to be apart.
bool Finder::isApartBySpans(const Plan &P, const Group &G, const Group &Other) {
  auto [Low, High] = span(SE, P, G);
  auto [OtherLow, OtherHigh] = span(SE, P, Other);
  auto IsBehind = [&](const SCEV *X, const SCEV *Y) {
    const SCEV *Between = SE.getMinusSCEV(X, Y);
    return !isa<SCEVCouldNotCompute>(Between) && SE.isKnownNonNegative(SE.applyLoopGuards(Between, &L));
  };
  return IsBehind(OtherLow, High) || IsBehind(Low, OtherHigh);
}

// Keeps a group apart from all others; false where nobody can tell.
bool Finder::keepApart(Plan &P, unsigned Number) {
  SmallVector<std::pair<unsigned, unsigned>, 8> Tests;
  for (unsigned Other = 0; Other < P.Groups.size(); Other++) {
    if (Other == Number || isApart(P.Groups[Number], P.Groups[Other]))
      continue;
    if (!P.Groups[Other].Start)
      return false;
    if (!is_contained(P.Tests, std::pair(Other, Number)) && !isApartBySpans(P, P.Groups[Number], P.Groups[Other]))
      Tests.push_back({Number, Other});
  }
  if (P.Tests.size() + Tests.size() > MostTests)
    return false;
  P.Tests.append(Tests);
  return P.Groups[Number].IsApart = true;
}

bool Finder::find(Plan &P) {
  P.Taken = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(P.Taken) || SE.getTypeSizeInBits(P.Taken->getType()) > 64 || !collect(P))
    return false;
  SmallVector<Group, 8> Parts;
  unsigned Family = 0;
  for (Group &G : P.Groups) {
    G.Family = Family++;
    Parts.append(divided(G));
  }
  P.Groups = std::move(Parts);
  int64_t Carried = 0;
  for (unsigned I = 0; I < P.Groups.size(); I++) {
    Group &G = P.Groups[I];
    consider(G);
    G.IsWindow = G.IsWindow && Carried + G.carried() <= MostCarriedInAll && keepApart(P, I);
    if (!G.IsWindow)
      continue;
    Carried += G.carried();
    P.LeastTaken = std::max(P.LeastTaken, G.HasGap ? G.carried() : 0);
  }
  if (none_of(P.Groups, [](const Group &G) { return G.IsWindow; }))
    return false;
  for (unsigned I = 0; I < P.Groups.size(); I++)
    if (Group &G = P.Groups[I]; G.Start && G.Writes && !G.IsApart)
      keepApart(P, I);
  return true;
}
