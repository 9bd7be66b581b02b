// Divides a large generated function into parts: functions of about a thousand instructions each, which it calls one after the other.
//
// Register allocation, the vectoriser of straight-line code, splitting of live ranges, code generation's preparation: all of them take more
// than linear time for one function, and for one block. A derivative has several times as many instructions as what it is the derivative of.
//
// A part is a region that control enters at one block and leaves to one other. Cuts are the blocks that every run passes which returns
// (those that dominate the return), and in a large loop those that each iteration passes; large blocks are cut in pieces before. What one part
// computes and another one reads lies in a frame, a stack variable of the function. A store after the definition and a load before a
// use: what lives that long would be spilled anyway. Slots are shared by values whose lives do not meet. Parameters and stack variables of
// the function are parameters of the parts; addresses and integers that are computed from these are computed again. Values stay the same, bit by
// bit.

#include "analyses.h"
#include "scope.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm-c/Core.h"

#include <map>
#include <string>

using namespace llvm;

namespace {
// Of the size of a part: what a function may have to stay whole, pieces that large blocks are cut in, and the least part.
constexpr unsigned MostWhole = 8, Pieces = 4, LeastParts = 4;
// Instructions behind a load of a value within which the loaded value is used again.
constexpr unsigned Reuse = 100;
// Instructions that are computed again in a part, for one value.
constexpr unsigned MostAgain = 8;
// Uses that are looked at to find out whether an address is kept.
constexpr unsigned MostUses = 1 << 20;

using Cuts = SmallVector<BasicBlock *, 64>;

// Blocks that become a function: from behind the phis of First to the phis of Next.
struct Part {
  Part(BasicBlock *First, BasicBlock *Next) : First(First), Next(Next) {}
  BasicBlock *First, *Next;
  SetVector<BasicBlock *> Body;
  // What follows of the above when all blocks are divided: its entry, its last block and the block behind.
  BasicBlock *Entry = nullptr, *Last = nullptr, *Behind = nullptr;
  // Its first instruction, before which values are computed again.
  Instruction *Start = nullptr;
  Function *Made = nullptr;
  // What it is given, in order.
  SetVector<Value *> Given;
};

class Divider {
public:
  Divider(Function &F, unsigned PartSize) : F(F), DL(F.getDataLayout()), PartSize(PartSize) {}
  void run(void (*Sink)(void *, LLVMValueRef), void *Context);

private:
  Function &F;
  const DataLayout &DL;
  // Instructions of a part, about.
  const unsigned PartSize;
  DominatorTree DT;
  LoopInfo LI;
  std::vector<Part> Parts;
  // The part of each block, plus one; 0 for the function itself.
  DenseMap<BasicBlock *, unsigned> PartOf;
  // Which step of the whole run a block belongs to.
  DenseMap<BasicBlock *, unsigned> StepOf;
  DenseMap<BasicBlock *, unsigned> Sizes;
  // Of noalias parameters and of stack variables: whether nothing else leads to the same memory.
  DenseMap<Value *, bool> IsAlone;
  // What debug information says of variables that lie in the same place all the time: copies.
  SmallVector<DbgVariableRecord *, 8> Lasting;
  AllocaInst *Frame = nullptr;

  bool fits();
  void cutBlocks();
  void cut(BasicBlock *First, BasicBlock *End, Loop *L);
  void cutLoops(ArrayRef<Loop *> Loops);
  void cutStraight();
  void group(ArrayRef<BasicBlock *> Chain, const DenseMap<BasicBlock *, SmallVector<BasicBlock *, 4>> &Regions);
  bool isRegion(ArrayRef<BasicBlock *> Blocks, BasicBlock *First, BasicBlock *Next);
  bool isMovable(Instruction &I);
  void separate();
  bool passValues();
  bool isOrderly();
  void layOut(ArrayRef<Instruction *> Crossing, DenseMap<Instruction *, uint64_t> &Offsets);
  Value *again(Instruction &I, Part &P, DenseMap<Instruction *, Value *> &Known, unsigned &Left);
  void findAlone();
  void make(Part &P, unsigned Number);
  void connect();
};

bool isVariable(const Value *V) {
  auto *A = dyn_cast<AllocaInst>(V);
  return A && A->isStaticAlloca();
}

// Bytes of a place for such a value, a power of two.
uint64_t placeOf(Type *Ty, const DataLayout &DL) { return PowerOf2Ceil(std::max<uint64_t>(DL.getTypeAllocSize(Ty), 8)); }

bool Divider::fits() {
  if (F.getInstructionCount() <= MostWhole * PartSize || F.callsFunctionThatReturnsTwice() || F.hasFnAttribute(Attribute::Naked) ||
      F.hasFnAttribute(Attribute::PresplitCoroutine))
    return false;
  return none_of(instructions(F), [](Instruction &I) {
    auto *A = dyn_cast<AllocaInst>(&I);
    auto *Call = dyn_cast<CallInst>(&I);
    return (A && (!isVariable(A) || A->isSwiftError() || A->isUsedWithInAlloca())) || isa<CallBrInst, IndirectBrInst>(I) || (Call && Call->isMustTailCall());
  });
}

// Whether an instruction may run in a function of its own.
bool Divider::isMovable(Instruction &I) {
  if (I.isEHPad() || I.getType()->isTokenTy() || isa<InvokeInst, ResumeInst, AllocaInst, ReturnInst>(I))
    return false;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return true;
  auto IsLocal = [](Value *V) { return isa<MetadataAsValue>(V) && isa<LocalAsMetadata>(cast<MetadataAsValue>(V)->getMetadata()); };
  if (Call->hasOperandBundles() || any_of(Call->operands(), IsLocal))
    return false;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::vastart:
  case Intrinsic::vaend:
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore:
  case Intrinsic::localescape:
  case Intrinsic::returnaddress:
  case Intrinsic::frameaddress:
  case Intrinsic::addressofreturnaddress:
  case Intrinsic::eh_typeid_for:
    return false;
  default:
    return true;
  }
}

// Stack variables first, in a block of their own; pieces of large blocks; what ends the function or an iteration alone.
void Divider::cutBlocks() {
  BasicBlock &Entry = F.getEntryBlock();
  SmallVector<AllocaInst *, 16> Variables;
  for (Instruction &I : Entry)
    if (auto *A = dyn_cast<AllocaInst>(&I))
      Variables.push_back(A);
  BasicBlock::iterator At = Entry.begin();
  for (AllocaInst *A : Variables)
    if (&*At == A)
      ++At;
    else
      A->moveBefore(At);
  SplitBlock(&Entry, At);
  DT.recalculate(F);
  SmallVector<BasicBlock *, 64> Blocks;
  for (BasicBlock &BB : F)
    Blocks.push_back(&BB);
  for (BasicBlock *BB : Blocks) {
    bool Ends = isa<ReturnInst>(BB->getTerminator()) || any_of(successors(BB), [&](BasicBlock *To) { return DT.dominates(To, BB); });
    SmallVector<Instruction *, 64> Starts;
    unsigned Size = 0;
    for (Instruction &I : make_range(BB->getFirstNonPHIIt(), BB->end()))
      if (++Size % (PartSize / Pieces) == 0)
        Starts.push_back(&I);
    if (Starts.empty() && !Ends)
      continue;
    if (Starts.empty() || Starts.back() != BB->getTerminator())
      Starts.push_back(BB->getTerminator());
    // From the end: each instruction is moved once.
    for (Instruction *I : reverse(Starts))
      SplitBlock(BB, I->getIterator());
  }
}

// Divides what lies between two blocks at the blocks that every way from one to the other passes.
void Divider::cut(BasicBlock *First, BasicBlock *End, Loop *L) {
  Cuts Chain;
  for (BasicBlock *BB = End;; BB = DT.getNode(BB)->getIDom()->getBlock()) {
    if (LI.getLoopFor(BB) == L)
      Chain.push_back(BB);
    if (BB == First)
      break;
  }
  std::reverse(Chain.begin(), Chain.end());
  DenseMap<BasicBlock *, unsigned> Number;
  for (auto [I, BB] : enumerate(Chain))
    Number[BB] = I;
  // By the nearest cut that dominates each block.
  DenseMap<BasicBlock *, SmallVector<BasicBlock *, 4>> Regions;
  SmallVector<std::pair<DomTreeNode *, unsigned>, 64> Work{{DT.getNode(First), 0}};
  while (!Work.empty()) {
    auto [Node, Of] = Work.pop_back_val();
    BasicBlock *BB = Node->getBlock();
    if (auto Found = Number.find(BB); Found != Number.end())
      Of = Found->second;
    if (!L || L->contains(BB))
      Regions[Chain[Of]].push_back(BB);
    if (!L)
      StepOf[BB] = Of;
    for (DomTreeNode *Child : Node->children())
      Work.push_back({Child, Of});
  }
  group(Chain, Regions);
}

// Joins neighbouring regions to parts.
void Divider::group(ArrayRef<BasicBlock *> Chain, const DenseMap<BasicBlock *, SmallVector<BasicBlock *, 4>> &Regions) {
  unsigned Size = 0, From = 0;
  auto Close = [&](unsigned To) {
    if (Size >= PartSize / LeastParts) {
      Part P(Chain[From], Chain[To]);
      for (unsigned I = From; I < To; ++I)
        for (BasicBlock *BB : Regions.lookup(Chain[I]))
          P.Body.insert(BB);
      Parts.push_back(std::move(P));
      for (BasicBlock *BB : Parts.back().Body)
        PartOf[BB] = Parts.size();
    }
    Size = 0;
  };
  for (unsigned I = 0; I + 1 < Chain.size(); ++I) {
    auto Found = Regions.find(Chain[I]);
    unsigned Own = 0;
    for (BasicBlock *BB : Found->second)
      Own += Sizes.lookup(BB);
    bool Fits = isRegion(Found->second, Chain[I], Chain[I + 1]) && Own <= 2 * PartSize;
    if (!Fits || Size + Own > PartSize + PartSize / 2)
      Close(I);
    if (!Fits)
      continue;
    if (Size == 0)
      From = I;
    Size += Own;
    if (Size >= PartSize)
      Close(I + 1);
  }
  Close(Chain.size() - 1);
}

// Whether control enters the blocks at First only, goes on to Next only, and all that they do can be done elsewhere.
bool Divider::isRegion(ArrayRef<BasicBlock *> Blocks, BasicBlock *First, BasicBlock *Next) {
  SmallPtrSet<BasicBlock *, 16> Inside(Blocks.begin(), Blocks.end());
  for (BasicBlock *BB : Blocks) {
    if (PartOf.lookup(BB) || BB->hasAddressTaken() || BB == &F.getEntryBlock())
      return false;
    if (BB != First && any_of(predecessors(BB), [&](BasicBlock *From) { return !Inside.count(From); }))
      return false;
    if (any_of(successors(BB), [&](BasicBlock *To) { return To == First || (To != Next && !Inside.count(To)); }))
      return false;
    // The phis of the first block stay where they are.
    for (Instruction &I : make_range(BB == First ? BB->getFirstNonPHIIt() : BB->begin(), BB->end()))
      if (!isMovable(I))
        return false;
  }
  // All its predecessors are inside then.
  return all_of(predecessors(Next), [&](BasicBlock *From) { return Inside.count(From); }) && !Next->hasAddressTaken() && !Next->isEHPad();
}

// Loops that are too large to be in one part.
void Divider::cutLoops(ArrayRef<Loop *> Loops) {
  for (Loop *L : Loops) {
    unsigned Size = 0;
    bool IsTaken = false;
    for (BasicBlock *BB : L->blocks())
      Size += Sizes.lookup(BB), IsTaken |= PartOf.lookup(BB) != 0;
    if (IsTaken || Size <= 2 * PartSize)
      continue;
    if (BasicBlock *Latch = L->getLoopLatch())
      cut(L->getHeader(), Latch, L);
    cutLoops(L->getSubLoops());
  }
}

// Pieces of blocks that lie on no such way.
void Divider::cutStraight() {
  SmallVector<BasicBlock *, 64> Blocks;
  for (BasicBlock &BB : F)
    Blocks.push_back(&BB);
  auto Next = [&](BasicBlock *BB) {
    BasicBlock *To = BB->getSingleSuccessor();
    return To && To->getSinglePredecessor() == BB && !PartOf.lookup(To) ? To : nullptr;
  };
  SmallPtrSet<BasicBlock *, 32> Seen;
  for (BasicBlock *BB : Blocks) {
    if (Seen.count(BB) || PartOf.lookup(BB) || BB == &F.getEntryBlock())
      continue;
    BasicBlock *From = BB->getSinglePredecessor();
    if (From && Next(From) == BB && !PartOf.lookup(From) && From != &F.getEntryBlock())
      continue;
    Cuts Chain;
    DenseMap<BasicBlock *, SmallVector<BasicBlock *, 4>> Regions;
    for (BasicBlock *At = BB; At && Seen.insert(At).second; At = Next(At)) {
      Chain.push_back(At);
      Regions[At].push_back(At);
    }
    if (Chain.size() > 1)
      group(Chain, Regions);
  }
}

// Divides the blocks between parts: phis belong to what comes before.
void Divider::separate() {
  DenseMap<BasicBlock *, BasicBlock *> Behind;
  auto Body = [&](BasicBlock *BB) {
    BasicBlock *&Known = Behind[BB];
    if (!Known) {
      Known = SplitBlock(BB, BB->getFirstNonPHIIt(), &DT, &LI);
      StepOf[Known] = StepOf[BB];
    }
    return Known;
  };
  for (Part &P : Parts) {
    P.Entry = Body(P.First);
    P.Behind = Body(P.Next);
    P.Last = P.Next;
    P.Start = &P.Entry->front();
  }
  PartOf.clear();
  for (auto [I, P] : enumerate(Parts)) {
    for (BasicBlock *BB : P.Body)
      PartOf[BB == P.First ? P.Entry : BB] = I + 1;
    PartOf[P.Last] = I + 1;
  }
  for (Part &P : Parts)
    P.Body.clear();
  for (BasicBlock &BB : F)
    if (unsigned N = PartOf.lookup(&BB))
      Parts[N - 1].Body.insert(&BB);
}

// Integer arithmetic and addresses from parameters and stack variables, computed again at the start of a part; null for anything else.
Value *Divider::again(Instruction &I, Part &P, DenseMap<Instruction *, Value *> &Known, unsigned &Left) {
  if (auto Found = Known.find(&I); Found != Known.end())
    return Found->second;
  bool IsStep = isa<GetElementPtrInst>(I) && I.getType()->isPointerTy();
  bool IsInteger = I.getType()->isIntegerTy() && isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(I);
  if (!(IsStep || IsInteger) || !isSafeToSpeculativelyExecute(&I) || Left == 0)
    return nullptr;
  Left--;
  SmallVector<Value *, 4> Operands;
  for (Value *V : I.operands()) {
    auto *From = dyn_cast<Instruction>(V);
    if (From && !isVariable(From))
      V = again(*From, P, Known, Left);
    if (!V || !(V->getType()->isIntegerTy() || V->getType()->isPointerTy()))
      return nullptr;
    Operands.push_back(V);
  }
  Instruction *Copy = I.clone();
  for (auto [N, V] : enumerate(Operands))
    Copy->setOperand(N, V);
  Copy->insertBefore(P.Start->getIterator());
  return Known[&I] = Copy;
}

// Whether control goes from step to step and never back.
bool Divider::isOrderly() {
  for (BasicBlock &BB : F)
    for (BasicBlock *To : successors(&BB))
      if (StepOf.lookup(To) < StepOf.lookup(&BB))
        return false;
  return true;
}

// Gives values places in the frame; values whose lives do not meet share them.
void Divider::layOut(ArrayRef<Instruction *> Crossing, DenseMap<Instruction *, uint64_t> &Offsets) {
  struct Life {
    Instruction *Of;
    unsigned First, Last, Lane;
    uint64_t Bytes;
  };
  SmallVector<Life, 64> Lives;
  uint64_t Largest = 8;
  bool IsShared = isOrderly();
  for (Instruction *I : Crossing) {
    unsigned Step = IsShared ? StepOf.lookup(I->getParent()) : 0;
    Life Own{I, Step, Step, PartOf.lookup(I->getParent()) % 2, placeOf(I->getType(), DL)};
    for (User *U : I->users())
      if (IsShared)
        Own.Last = std::max(Own.Last, StepOf.lookup(cast<Instruction>(U)->getParent()));
    Largest = std::max(Largest, Own.Bytes);
    Lives.push_back(Own);
  }
  stable_sort(Lives, [](const Life &A, const Life &B) { return A.First < B.First; });
  // Free places by size and lane, and places in use by their last step. What one part stores lies on one lane, every other word: the
  // vectoriser would take stores to neighbouring words for arrays, and search long for what they have in common.
  using Kind = std::pair<uint64_t, unsigned>;
  std::map<Kind, SmallVector<uint64_t, 16>> Free;
  std::multimap<unsigned, std::pair<Kind, uint64_t>> Used;
  uint64_t End = 0;
  for (Life &Own : Lives) {
    while (!Used.empty() && Used.begin()->first < Own.First) {
      auto [Of, Offset] = Used.begin()->second;
      Free[Of].push_back(Offset);
      Used.erase(Used.begin());
    }
    Kind Of{Own.Bytes, Own.Lane}, Other{Own.Bytes, 1 - Own.Lane};
    auto &Places = Free[Of];
    if (Places.empty()) {
      uint64_t Both = alignTo(End, Own.Bytes);
      End = Both + 2 * Own.Bytes;
      Places.push_back(Both + Own.Lane * Own.Bytes);
      Free[Other].push_back(Both + Other.second * Own.Bytes);
    }
    Offsets[Own.Of] = Places.pop_back_val();
    Used.insert({Own.Last, {Of, Offsets[Own.Of]}});
  }
  LLVMContext &C = F.getContext();
  Frame = new AllocaInst(ArrayType::get(Type::getInt8Ty(C), std::max<uint64_t>(End, 1)), DL.getAllocaAddrSpace(), nullptr,
                         Align(std::min<uint64_t>(Largest, 64)), "ad.frame", F.getEntryBlock().begin());
}

// Puts what goes from part to part into the frame. False, and nothing was changed, where that cannot be done.
bool Divider::passValues() {
  auto PartOfUse = [&](Use &U) {
    auto *User = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(User);
    return PartOf.lookup(Phi ? Phi->getIncomingBlock(U) : User->getParent());
  };
  SmallVector<Instruction *, 64> Crossing;
  for (Instruction &I : instructions(F)) {
    unsigned Own = PartOf.lookup(I.getParent());
    if (isVariable(&I) || I.use_empty() || none_of(I.uses(), [&](Use &U) { return PartOfUse(U) != Own; }))
      continue;
    auto Behind = I.getInsertionPointAfterDef();
    bool IsAfter = Behind && ((*Behind)->getParent() == I.getParent() || (*Behind)->getParent()->getSinglePredecessor());
    if (!IsAfter || I.getType()->isTokenTy() || DL.getTypeAllocSize(I.getType()).isScalable())
      return false;
    Crossing.push_back(&I);
  }
  DenseMap<Instruction *, uint64_t> Offsets;
  std::vector<DenseMap<Instruction *, Value *>> Again(Parts.size());
  // What is computed again needs no place.
  SmallVector<Instruction *, 64> Kept;
  for (Instruction *I : Crossing) {
    unsigned Own = PartOf.lookup(I->getParent());
    bool IsKept = false;
    for (Use &U : make_early_inc_range(I->uses())) {
      unsigned To = PartOfUse(U);
      if (To == Own)
        continue;
      unsigned Left = MostAgain;
      if (Value *Copy = To ? again(*I, Parts[To - 1], Again[To - 1], Left) : nullptr)
        U.set(Copy);
      else
        IsKept = true;
    }
    if (!IsKept)
      continue;
    Kept.push_back(I);
    // Such an address reaches a part beside the one that it is computed from.
    SmallVector<const Value *, 4> Objects;
    if (I->getType()->isPtrOrPtrVectorTy())
      getUnderlyingObjects(I, Objects, nullptr, /*MaxLookup=*/0);
    for (const Value *Of : Objects)
      IsAlone.erase(const_cast<Value *>(Of));
  }
  layOut(Kept, Offsets);
  Type *I8 = Type::getInt8Ty(F.getContext());
  auto Address = [&](uint64_t Offset, BasicBlock::iterator At) -> Value * {
    IRBuilder<> B(At->getParent(), At);
    return B.CreateConstInBoundsGEP1_64(I8, Frame, Offset);
  };
  // Positions within blocks tell how far back a load is.
  DenseMap<Instruction *, unsigned> Positions;
  unsigned Position = 0;
  for (BasicBlock &BB : F) {
    Position += Reuse;
    for (Instruction &I : BB)
      Positions[&I] = Position++;
  }
  for (Instruction *I : Kept) {
    unsigned Own = PartOf.lookup(I->getParent());
    Align Aligned(std::min<uint64_t>(placeOf(I->getType(), DL), 64));
    struct Place {
      unsigned Position;
      Instruction *Before;
      Use *Of;
    };
    SmallVector<Place, 16> Places;
    for (Use &U : I->uses()) {
      if (PartOfUse(U) == Own)
        continue;
      auto *User = cast<Instruction>(U.getUser());
      auto *Phi = dyn_cast<PHINode>(User);
      Instruction *Before = Phi ? Phi->getIncomingBlock(U)->getTerminator() : User;
      // Before the loops in which it does not change: how often they run must be known there.
      for (Loop *L = LI.getLoopFor(Before->getParent()); L && !L->contains(I->getParent()); L = L->getParentLoop()) {
        BasicBlock *Outside = L->getLoopPreheader();
        if (!Outside || PartOf.lookup(Outside) != PartOf.lookup(Before->getParent()))
          break;
        Before = Outside->getTerminator();
      }
      Places.push_back({Positions.lookup(Before), Before, &U});
    }
    stable_sort(Places, [](const Place &A, const Place &B) { return A.Position < B.Position; });
    LoadInst *Last = nullptr;
    unsigned LastPosition = 0;
    for (Place &P : Places) {
      if (!Last || Last->getParent() != P.Before->getParent() || P.Position > LastPosition + Reuse) {
        Last = new LoadInst(I->getType(), Address(Offsets[I], P.Before->getIterator()), I->getName(), false, Aligned, P.Before->getIterator());
        LastPosition = P.Position;
      }
      P.Of->set(Last);
    }
    BasicBlock::iterator Behind = *I->getInsertionPointAfterDef();
    new StoreInst(I, Address(Offsets[I], Behind), false, Aligned, Behind);
  }
  return true;
}

// Moves the blocks of a part to its function.
void Divider::make(Part &P, unsigned Number) {
  LLVMContext &C = F.getContext();
  for (BasicBlock *BB : P.Body)
    for (Instruction &I : *BB)
      for (Value *V : I.operands())
        if (isa<Argument>(V) || (isVariable(V) && V != Frame))
          P.Given.insert(V);
  P.Given.insert(Frame);
  SmallVector<Type *, 16> Types;
  for (Value *V : P.Given)
    Types.push_back(V->getType());
  P.Made = Function::Create(FunctionType::get(Type::getVoidTy(C), Types, false), GlobalValue::InternalLinkage, F.getAddressSpace(),
                            F.getName() + ".part" + Twine(Number), F.getParent());
  AttrBuilder Own(C, F.getAttributes().getFnAttrs());
  for (Attribute::AttrKind Kind : {Attribute::AlwaysInline, Attribute::InlineHint, Attribute::Memory, Attribute::AllocSize, Attribute::AllocKind})
    Own.removeAttribute(Kind);
  P.Made->addFnAttrs(Own);
  P.Made->addFnAttr(Attribute::NoInline);
  for (auto [N, V] : enumerate(P.Given)) {
    Argument *To = P.Made->getArg(N);
    To->setName(V->getName());
    if (auto *A = dyn_cast<AllocaInst>(V)) {
      To->addAttr(Attribute::NonNull);
      To->addAttr(Attribute::NoUndef);
      To->addAttr(Attribute::getWithAlignment(C, A->getAlign()));
      if (auto Size = A->getAllocationSize(DL); Size && !Size->isScalable() && Size->getFixedValue())
        To->addAttr(Attribute::getWithDereferenceableBytes(C, Size->getFixedValue()));
    }
    if (auto *From = dyn_cast<Argument>(V)) {
      AttributeSet All = F.getAttributes().getParamAttrs(From->getArgNo());
      for (Attribute::AttrKind Kind : {Attribute::NonNull, Attribute::NoUndef, Attribute::Alignment, Attribute::Dereferenceable, Attribute::ReadOnly,
                                       Attribute::ReadNone, Attribute::WriteOnly})
        if (All.hasAttribute(Kind))
          To->addAttr(All.getAttribute(Kind));
    }
    if (V == Frame || IsAlone.lookup(V)) {
      To->addAttr(Attribute::NoAlias);
      To->addAttr(Attribute::getWithCaptureInfo(C, CaptureInfo::none()));
    }
  }
  DenseMap<Value *, Value *> Map;
  for (auto [N, V] : enumerate(P.Given))
    Map[V] = P.Made->getArg(N);
  std::unique_ptr<adshim::DebugScope> Places = adshim::DebugScope::ofPart(*P.Made, F);
  P.Made->splice(P.Made->end(), &F, P.Entry->getIterator());
  for (BasicBlock *BB : P.Body)
    if (BB != P.Entry)
      P.Made->splice(P.Made->end(), &F, BB->getIterator());
  for (BasicBlock *BB : P.Body) {
    for (Instruction &I : *BB) {
      for (Use &U : I.operands())
        if (Value *To = Map.lookup(U.get()))
          U.set(To);
      if (Places)
        Places->take(I, Map);
      else
        I.dropDbgRecords();
    }
  }
  if (!Places)
    return;
  for (DbgVariableRecord *R : Lasting)
    if (Value *To = Map.lookup(R->getVariableLocationOp(0)))
      P.Entry->insertDbgRecordBefore(Places->record(*R, To, -1), P.Entry->getFirstInsertionPt());
}

// Calls of the parts in place of what they were made of.
void Divider::connect() {
  LLVMContext &C = F.getContext();
  DenseMap<BasicBlock *, BasicBlock *> Calls;
  for (Part &P : Parts)
    Calls[P.Entry] = BasicBlock::Create(C, "ad.part", &F);
  for (Part &P : Parts)
    P.Last->getTerminator()->eraseFromParent();
  for (Part &P : Parts) {
    BasicBlock *Call = Calls[P.Entry];
    for (BasicBlock *From : SmallVector<BasicBlock *, 2>(predecessors(P.Entry)))
      From->getTerminator()->replaceSuccessorWith(P.Entry, Call);
    IRBuilder<> B(Call);
    // Where debug information is, calls need a place.
    if (DISubprogram *Of = F.getSubprogram())
      B.SetCurrentDebugLocation(DILocation::get(C, Of->getLine(), 0, Of));
    SmallVector<Value *, 16> Given(P.Given.begin(), P.Given.end());
    B.CreateCall(P.Made, Given);
    BasicBlock *To = Calls.lookup(P.Behind);
    B.CreateBr(To ? To : P.Behind);
    B.SetInsertPoint(P.Last);
    B.SetCurrentDebugLocation(DebugLoc());
    B.CreateRetVoid();
  }
}

// What nothing but its own name leads to, before addresses are put into the frame.
void Divider::findAlone() {
  for (Argument &A : F.args())
    if (A.getType()->isPointerTy() && A.hasNoAliasAttr() && !PointerMayBeCaptured(&A, /*ReturnCaptures=*/true, MostUses))
      IsAlone[&A] = true;
  for (Instruction &I : F.getEntryBlock())
    if (isVariable(&I) && !PointerMayBeCaptured(&I, /*ReturnCaptures=*/true, MostUses))
      IsAlone[&I] = true;
}

void Divider::run(void (*Sink)(void *, LLVMValueRef), void *Context) {
  if (!fits())
    return;
  removeUnreachableBlocks(F);
  DT.recalculate(F);
  cutBlocks();
  DT.recalculate(F);
  LI.analyze(DT);
  BasicBlock *End = nullptr;
  for (BasicBlock &BB : F) {
    Sizes[&BB] = BB.size();
    if (isa<ReturnInst>(BB.getTerminator()))
      End = End ? DT.findNearestCommonDominator(End, &BB) : &BB;
  }
  if (!End)
    return;
  cut(&F.getEntryBlock(), End, nullptr);
  cutLoops(SmallVector<Loop *, 16>(LI.begin(), LI.end()));
  cutStraight();
  if (Parts.empty())
    return;
  // Marks name variables, which parts know as parameters.
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isa<LifetimeIntrinsic>(I))
      I.eraseFromParent();
  separate();
  findAlone();
  if (!passValues())
    return;
  // What the records say is needed until all parts are made.
  SmallVector<DbgVariableRecord *, 8> Original = adshim::lastingVariables(F);
  for (DbgVariableRecord *R : Original)
    Lasting.push_back(R->clone());
  for (auto [N, P] : enumerate(Parts))
    make(P, N + 1);
  for (DbgVariableRecord *R : Lasting)
    R->deleteRecord();
  adshim::dropForeignValues(F);
  connect();
  for (Part &P : Parts)
    Sink(Context, wrap(P.Made));
}
} // namespace

extern "C" {

// Divides a function that is much larger than that number of instructions into parts of about so many. Calls Sink(Context, part) for each.
void adshim_divide(LLVMValueRef F, unsigned PartSize, void (*Sink)(void *, LLVMValueRef), void *Context) {
  Divider(*cast<Function>(unwrap(F)), PartSize).run(Sink, Context);
}
}
