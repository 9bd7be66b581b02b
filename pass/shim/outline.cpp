// Outlining of checkpointed loops and regions: one iteration becomes a function `NAME.step`, the loop around it one
// more, `NAME.checkpointed`, which the function calls in its place.
//
// All that one iteration hands to the next, and all that it leaves to the code behind the loop, lies in memory
// afterwards: phis of the header and values that are used outside become stack variables of the function. What is
// computed before the loop and used in it becomes a parameter. Paths that never return (exceptions that are not caught,
// calls of abort) go with the step, as copies where they are shared.

#include "exits.h"
#include "analyses.h"
#include "markers.h"
#include "stack.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm-c/Core.h"
#include <optional>
#include <string>

using namespace llvm;

namespace {
// Attribute of the functions that are made here: what they are.
constexpr StringLiteral Kind("adcc-checkpoint");
// Attribute of steps: what they return when the loop goes on.
constexpr StringLiteral GoesOn("adcc-goes-on");
// Instructions that are computed before the loop instead for the number of snapshots.
constexpr unsigned MostHoisted = 16;

using Calls = SmallVector<CallInst *, 4>;

Calls markersOf(Function &F, Marker M) {
  Calls Found;
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F))
    for (Instruction &I : *BB)
      if (markerOf(I) == M)
        Found.push_back(cast<CallInst>(&I));
  return Found;
}

struct Failure {
  Instruction *Site;
  const char *Reason, *Remedy;
};

// What becomes one step.
struct Part {
  CallInst *Mark;
  Loop *L;
  CallInst *Last;
  // The entry first.
  Blocks Body;
};

class Outliner {
public:
  Outliner(Function &F, StringRef Name) : F(F), Name(Name) {}

  Function *Step = nullptr, *Whole = nullptr;
  std::optional<Failure> Failed;

  // Outlines one loop or region, if there is one.
  void run() {
    if (!hasMarkers())
      return;
    if (Calls Others = markersOf(F, Wrong); !Others.empty()) {
      fail(Others.front(), "a checkpoint marker is called with wrong arguments",
           "declare it as ad.h does; in Fortran, let the size be a constant or a variable of the calling procedure");
      return;
    }
    separate();
    Returning = returningBlocks(F);
    dropEndless();
    Analyses A;
    LI = &A.FAM.getResult<LoopAnalysis>(F);
    DT = &A.FAM.getResult<DominatorTreeAnalysis>(F);
    SE = &A.FAM.getResult<ScalarEvolutionAnalysis>(F);
    std::vector<Part> Parts;
    if (!findLoops(Parts) || !findRegions(Parts))
      return;
    if (Parts.empty()) {
      dropRest();
      return;
    }
    outline(first(Parts));
  }

private:
  Function &F;
  StringRef Name;
  LoopInfo *LI = nullptr;
  DominatorTree *DT = nullptr;
  ScalarEvolution *SE = nullptr;
  // Blocks from which a return can be reached.
  ReturningBlocks Returning;
  // Stack variables that belong to the step.
  SmallVector<AllocaInst *, 8> Sunk;
  // Stack variables of F to which nothing else leads.
  SmallPtrSet<Value *, 16> Own;

  bool fail(Instruction *Site, const char *Reason, const char *Remedy) {
    if (!Failed)
      Failed = Failure{Site, Reason, Remedy};
    return false;
  }

  bool hasMarkers() {
    for (BasicBlock &BB : F)
      for (Instruction &I : BB)
        if (markerOf(I) != None)
          return true;
    return false;
  }

  // Markers of regions begin and end blocks; results of invokes go to phis by blocks of their own.
  void separate() {
    for (CallInst *Call : markersOf(F, Begin))
      SplitBlock(Call->getParent(), Call->getIterator());
    for (CallInst *Call : markersOf(F, End))
      SplitBlock(Call->getParent(), std::next(Call->getIterator()));
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Edges;
    for (BasicBlock &BB : F)
      if (auto *II = dyn_cast<InvokeInst>(BB.getTerminator()))
        for (PHINode &Phi : II->getNormalDest()->phis())
          if (Phi.getIncomingValueForBlock(&BB) == II) {
            Edges.push_back({&BB, II->getNormalDest()});
            break;
          }
    for (auto [From, To] : Edges)
      SplitEdge(From, To);
  }

  // Markers in code from which no return is reached: no derivative passes there, and such code may lead back to where a region begins.
  void dropEndless() {
    for (Marker M : {LoopMarker, State, Begin, End})
      for (CallInst *Call : markersOf(F, M))
        if (!Returning.count(Call->getParent()))
          Call->eraseFromParent();
  }

  bool findLoops(std::vector<Part> &Parts) {
    for (CallInst *Call : markersOf(F, LoopMarker)) {
      Loop *L = LI->getLoopFor(Call->getParent());
      if (!L) {
        // The loop turned out to run once.
        if (isFixedPoint(*Call))
          return fail(Call, "'ad_fixed_point' is called outside of a loop, or in one that runs once", "call it in the body of the loop that iterates to the fixed point");
        if (Call->hasFnAttr(InLoop))
          continue;
        return fail(Call, isIndependent(*Call) ? "'ad_checkpoint_independent' is called outside of a loop" : "'ad_checkpoint_loop' is called outside of a loop",
                    "call it in the body of the loop whose iterations are the steps, in the same function or in one that is inlined there");
      }
      if (!L->isLoopSimplifyForm())
        return fail(Call, isFixedPoint(*Call) ? "the loop with 'ad_fixed_point' has several entries or irregular control flow" : "the loop with 'ad_checkpoint_loop' has several entries or irregular control flow", "rewrite its control flow with loops and branches");
      Part P{Call, L, nullptr, {}};
      P.Body.insert(L->getHeader());
      P.Body.insert(L->block_begin(), L->block_end());
      auto Known = find_if(Parts, [&](Part &Other) { return Other.L == L; });
      if (Known != Parts.end() && isFixedPoint(*Known->Mark) != isFixedPoint(*Call))
        return fail(Call, "one loop has both 'ad_fixed_point' and another directive of a loop", "keep one of them");
      if (Known != Parts.end() && isIndependent(*Known->Mark) != isIndependent(*Call))
        return fail(Call, "one loop has both 'ad_checkpoint_loop' and 'ad_checkpoint_independent'", "keep one of them");
      if (Known == Parts.end())
        Parts.push_back(std::move(P));
    }
    return true;
  }

  bool findRegions(std::vector<Part> &Parts) {
    SmallPtrSet<CallInst *, 4> Ended;
    for (CallInst *Call : markersOf(F, Begin)) {
      Part P{Call, nullptr, nullptr, {}};
      if (!findRegion(P))
        return false;
      Ended.insert(P.Last);
      Parts.push_back(std::move(P));
    }
    for (CallInst *Call : markersOf(F, End))
      if (!Ended.count(Call))
        return fail(Call, "'ad_checkpoint_end' without an 'ad_checkpoint_begin'", "call both, one after the other, in the same function");
    return true;
  }

  // The blocks from a begin to its end; those from which no return is reached are not among them.
  bool findRegion(Part &P) {
    const char *Pairs = "call 'ad_checkpoint_end' once on every path after 'ad_checkpoint_begin', in the same function and the same loop";
    BasicBlock *Entry = P.Mark->getParent();
    DenseMap<BasicBlock *, int> Depths;
    SmallVector<BasicBlock *, 16> Queue{Entry};
    Depths[Entry] = 0;
    while (!Queue.empty()) {
      BasicBlock *BB = Queue.pop_back_val();
      P.Body.insert(BB);
      int Depth = Depths[BB];
      bool Ends = false;
      for (Instruction &I : *BB) {
        Marker M = markerOf(I);
        Depth += M == Begin ? 1 : M == End ? -1 : 0;
        if (M == End && Depth == 0) {
          if (P.Last && P.Last != &I)
            return fail(P.Mark, "one 'ad_checkpoint_begin' has several 'ad_checkpoint_end'", Pairs);
          P.Last = cast<CallInst>(&I);
          Ends = true;
          break;
        }
      }
      if (Ends)
        continue;
      if (isa<ReturnInst>(BB->getTerminator()))
        return fail(P.Mark, "'ad_checkpoint_begin' whose 'ad_checkpoint_end' is not reached on every path", Pairs);
      for (BasicBlock *To : successors(BB)) {
        if (!Returning.count(To))
          continue;
        auto [Known, IsNew] = Depths.try_emplace(To, Depth);
        if (!IsNew && Known->second != Depth)
          return fail(P.Mark, "'ad_checkpoint_begin' whose 'ad_checkpoint_end' is not reached on every path", Pairs);
        if (IsNew)
          Queue.push_back(To);
      }
    }
    if (!P.Last || LI->getLoopFor(Entry) != LI->getLoopFor(P.Last->getParent()))
      return fail(P.Mark, "'ad_checkpoint_begin' and its 'ad_checkpoint_end' are not in the same loop", Pairs);
    for (BasicBlock *BB : P.Body)
      for (BasicBlock *Pred : predecessors(BB))
        if (BB != Entry && !P.Body.count(Pred))
          return fail(P.Mark, "a jump enters the region between 'ad_checkpoint_begin' and 'ad_checkpoint_end'", Pairs);
    return true;
  }

  // The first part that lies in no other.
  Part &first(std::vector<Part> &Parts) {
    auto IsOutermost = [&](Part &P) {
      return none_of(Parts, [&](Part &Other) { return Other.Body.size() > P.Body.size() && Other.Body.count(P.Body.front()); });
    };
    for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F))
      for (Part &P : Parts)
        if (P.Body.front() == BB && IsOutermost(P))
          return P;
    return Parts.front();
  }

  // Markers that mean nothing any more, and those that never did.
  void dropRest() {
    Calls Loops = markersOf(F, LoopMarker), States = markersOf(F, State);
    for (CallInst *Call : markersOf(F, Header))
      Call->eraseFromParent();
    CallInst **Stray = find_if(States, [](CallInst *Call) { return !Call->hasFnAttr(InLoop); });
    if (Loops.empty() && Stray != States.end()) {
      fail(*Stray, "'ad_checkpoint_state' is called, but no checkpointed loop or region follows in the function",
           "call it before the loop, in the same function or in one that is inlined there");
      return;
    }
    for (CallInst *Call : Loops)
      Call->eraseFromParent();
    for (CallInst *Call : States)
      Call->eraseFromParent();
  }

  void outline(Part &P) {
    Calls States;
    for (CallInst *Call : markersOf(F, State))
      if (DT->dominates(Call->getParent(), P.Mark->getParent()) && !P.Body.count(Call->getParent()))
        States.push_back(Call);
    BasicBlock *Before = P.L ? P.L->getLoopPreheader() : nullptr;
    if (!P.L) {
      // Three blocks in place of one: what came before, what will hold the marks, and the region.
      BasicBlock *Entry = SplitBlock(P.Mark->getParent(), P.Mark->getIterator());
      Before = Entry->getSinglePredecessor();
      Blocks Body;
      Body.insert(Entry);
      for (BasicBlock *BB : P.Body)
        if (BB != Before)
          Body.insert(BB);
      P.Body = std::move(Body);
      Returning.insert(Entry);
    }
    IRBuilder<> B(Before->getTerminator());
    // A region runs without records at first: its number of steps counts as unknown, or its only step would be recorded at once.
    Value *Steps = B.getInt64(0), *Slots = B.getInt64(1);
    if (P.L && isFixedPoint(*P.Mark)) {
      Slots = B.getInt64(-1);
      Steps = tolerance(P, B);
      if (!Steps)
        return;
    } else if (P.L) {
      Slots = snapshots(P, B);
      if (!Slots)
        return;
      Steps = steps(*P.L, B);
    }
    DebugLoc At = P.Mark->getDebugLoc();
    pullEnds(P.Body);
    if (!fits(P))
      return;
    Sunk = sinkVariables(F, P.Body);
    if (!demote(P))
      return;
    // Only now: what iterations pass on lies in memory, the addresses of variables too.
    for (Instruction &I : F.getEntryBlock())
      if (isa<AllocaInst>(I) && !PointerMayBeCaptured(&I, /*ReturnCaptures=*/true))
        Own.insert(&I);
    build(P, Before, Steps, Slots, States, At);
  }

  // The number of snapshots, at least 1, before the loop; null where it is not known there.
  Value *snapshots(Part &P, IRBuilder<> &B) {
    if (isIndependent(*P.Mark))
      return B.getInt64(0);
    unsigned Left = MostHoisted;
    Value *N = hoisted(P.Mark->getArgOperand(0), *P.L, B, Left);
    const char *Remedy = "give a constant, or a variable that is computed before the loop and not changed in it";
    if (!N) {
      fail(P.Mark, "the number of snapshots of 'ad_checkpoint_loop' is not known before the loop", Remedy);
      return nullptr;
    }
    if (auto *Constant = dyn_cast<ConstantInt>(N))
      if (Constant->getSExtValue() < 1) {
        fail(P.Mark, "'ad_checkpoint_loop' requests no snapshot", "request at least one: it holds the state before the first step");
        return nullptr;
      }
    N = B.CreateSExtOrTrunc(N, B.getInt64Ty());
    return isa<ConstantInt>(N) ? N : B.CreateBinaryIntrinsic(Intrinsic::smax, N, B.getInt64(1));
  }

  // The bits of the tolerance of a fixed point, before the loop; null where it is not known there.
  Value *tolerance(Part &P, IRBuilder<> &B) {
    unsigned Left = MostHoisted;
    Value *T = hoisted(P.Mark->getArgOperand(0), *P.L, B, Left);
    if (!T) {
      fail(P.Mark, "the tolerance of 'ad_fixed_point' is not known before the loop", "give a constant, or a variable that is computed before the loop and not changed in it");
      return nullptr;
    }
    if (auto *Constant = dyn_cast<ConstantFP>(T)) {
      double Value = Constant->getValueAPF().convertToDouble();
      if (!(Value > 0 && Value < 1)) {
        fail(P.Mark, "the tolerance of 'ad_fixed_point' is not between 0 and 1", "give the size that the adjoint of the state may have in the end, relative to its first one, 1e-12 say");
        return nullptr;
      }
    }
    return B.CreateBitCast(T, B.getInt64Ty());
  }

  // What a value of the loop is before it.
  Value *hoisted(Value *V, Loop &L, IRBuilder<> &B, unsigned &Left) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !L.contains(I))
      return V;
    auto *Load = dyn_cast<LoadInst>(I);
    // What the header loads, it loads in the first iteration.
    bool IsPlain = Load ? Load->isSimple() && Load->getParent() == L.getHeader() : !isa<PHINode>(I) && isSafeToSpeculativelyExecute(I);
    if (!IsPlain || Left == 0)
      return nullptr;
    --Left;
    SmallVector<Value *, 4> Operands;
    for (Value *Op : I->operands()) {
      Value *Outer = hoisted(Op, L, B, Left);
      if (!Outer)
        return nullptr;
      Operands.push_back(Outer);
    }
    Instruction *Copy = I->clone();
    for (unsigned K = 0; K < Operands.size(); ++K)
      Copy->setOperand(K, Operands[K]);
    return B.Insert(Copy);
  }

  // How many steps a loop has, the one that leaves it included; 0 where it is unknown. Exits by which no return is
  // reached do not count.
  Value *steps(Loop &L, IRBuilder<> &B) {
    Value *Unknown = B.getInt64(0);
    const SCEV *Taken = regularCount(L, *SE, *DT, Returning);
    if (!Taken)
      return Unknown;
    Instruction *At = &*B.GetInsertPoint();
    SCEVExpander Expander(*SE, "ad.steps");
    if (!Expander.isSafeToExpandAt(Taken, At))
      return Unknown;
    return B.CreateAdd(Expander.expandCodeFor(Taken, B.getInt64Ty(), At), B.getInt64(1));
  }

  // Takes the blocks behind a part from which no return is reached into it; as copies where others lead there as well.
  void pullEnds(Blocks &Body) {
    Blocks Ends;
    for (BasicBlock *BB : Body)
      for (BasicBlock *To : successors(BB))
        if (!Body.count(To) && !Returning.count(To))
          Ends.insert(To);
    for (unsigned I = 0; I < Ends.size(); ++I)
      for (BasicBlock *To : successors(Ends[I]))
        if (!Body.count(To))
          Ends.insert(To);
    auto IsInside = [&](BasicBlock *BB) { return Body.count(BB) || Ends.count(BB); };
    bool IsShared = any_of(Ends, [&](BasicBlock *BB) { return any_of(predecessors(BB), [&](BasicBlock *P) { return !IsInside(P); }); });
    if (!IsShared) {
      Body.insert(Ends.begin(), Ends.end());
      return;
    }
    ValueToValueMapTy Map;
    SmallVector<BasicBlock *, 8> Copies;
    for (BasicBlock *BB : Ends) {
      BasicBlock *Copy = CloneBasicBlock(BB, Map, ".step", &F);
      Map[BB] = Copy;
      Copies.push_back(Copy);
    }
    remapInstructionsInBlocks(Copies, Map);
    for (BasicBlock *BB : Ends) {
      auto *Copy = cast<BasicBlock>(Map[BB]);
      for (PHINode &Phi : Copy->phis())
        for (unsigned I = Phi.getNumIncomingValues(); I-- > 0;) {
          BasicBlock *From = Phi.getIncomingBlock(I);
          if (!Body.count(From) && !is_contained(Copies, From))
            Phi.removeIncomingValue(I, /*DeletePHIIfEmpty=*/false);
        }
      for (PHINode &Phi : BB->phis())
        for (unsigned I = Phi.getNumIncomingValues(); I-- > 0;)
          if (Body.count(Phi.getIncomingBlock(I)))
            Phi.removeIncomingValue(I, /*DeletePHIIfEmpty=*/false);
    }
    for (BasicBlock *BB : Body)
      for (BasicBlock *End : Ends)
        BB->getTerminator()->replaceSuccessorWith(End, cast<BasicBlock>(Map[End]));
    Body.insert(Copies.begin(), Copies.end());
    removeUnreachableBlocks(F);
    Body.remove_if([](BasicBlock *BB) { return !BB->getParent(); });
  }

  // Whether the blocks of a part can become a function.
  bool fits(Part &P) {
    const char *Alone = "let each step call a function that does this, or move it out of the step";
    for (BasicBlock *BB : P.Body) {
      if (BB->hasAddressTaken())
        return fail(P.Mark, "a checkpointed step contains the target of a computed goto", Alone);
      for (Instruction &I : *BB) {
        if (auto *II = dyn_cast<InvokeInst>(&I))
          if (!P.Body.count(II->getUnwindDest()))
            return fail(II, "an exception that is thrown in a checkpointed step is caught outside of it",
                        "catch it in a function that the step calls, or in the caller of the function");
        auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
        if (Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::eh_typeid_for)
          return fail(P.Mark, "a checkpointed step catches an exception by its type", "catch it in a function that the step calls");
        if (Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::vastart)
          return fail(&I, "a checkpointed step reads variable arguments", Alone);
        if (isa<IndirectBrInst, CallBrInst>(I) || isa<FuncletPadInst>(I) || isa<CatchSwitchInst>(I))
          return fail(&I, "a checkpointed step has control flow that cannot be moved to a function", Alone);
        if (auto *Memory = dyn_cast<AllocaInst>(&I))
          if (!isOfOneStep(*Memory, P.Body))
            return fail(Memory, "a checkpointed step allocates memory on the stack that the next step may use",
                        "allocate it before the loop, or in a function that the step calls");
      }
    }
    return true;
  }

  // Makes stack variables of what an iteration passes on.
  bool demote(Part &P) {
    Blocks &Body = P.Body;
    BasicBlock::iterator At = F.getEntryBlock().begin();
    SmallVector<PHINode *, 8> Phis;
    Blocks Exits;
    for (PHINode &Phi : Body.front()->phis())
      Phis.push_back(&Phi);
    for (BasicBlock *BB : Body)
      for (BasicBlock *To : successors(BB))
        if (!Body.count(To) && Exits.insert(To))
          for (PHINode &Phi : To->phis())
            Phis.push_back(&Phi);
    for (PHINode *Phi : Phis)
      Own.insert(DemotePHIToStack(Phi, At));
    SmallVector<Instruction *, 8> Used;
    for (BasicBlock *BB : Body)
      for (Instruction &I : *BB)
        if (any_of(I.users(), [&](User *U) { return !Body.count(cast<Instruction>(U)->getParent()); }))
          Used.push_back(&I);
    for (Instruction *I : Used) {
      if (I->getType()->isTokenTy())
        return fail(I, "a checkpointed step has control flow that cannot be moved to a function", "rewrite it with loops and branches");
      Own.insert(handOut(*I, P, At));
    }
    return true;
  }

  // Makes a stack variable of a value for its uses behind the part; those within stay as they are. It is stored at the end of a region:
  // what is behind is undone first.
  AllocaInst *handOut(Instruction &I, Part &P, BasicBlock::iterator At) {
    Blocks &Body = P.Body;
    std::optional<BasicBlock::iterator> Behind = I.getInsertionPointAfterDef();
    if (!Behind)
      return DemoteRegToStack(I, /*VolatileLoads=*/false, At);
    Instruction *End = P.Last ? P.Last->getParent()->getTerminator() : nullptr;
    if (End && DominatorTree(F).dominates(&I, End))
      Behind = End->getIterator();
    auto *Slot = new AllocaInst(I.getType(), F.getDataLayout().getAllocaAddrSpace(), I.getName() + ".out", At);
    SmallVector<Use *, 8> Outside;
    for (Use &U : I.uses())
      if (!Body.count(cast<Instruction>(U.getUser())->getParent()))
        Outside.push_back(&U);
    // A phi that names one block twice wants one value from it.
    DenseMap<std::pair<PHINode *, BasicBlock *>, Value *> Known;
    for (Use *U : Outside) {
      auto *Phi = dyn_cast<PHINode>(U->getUser());
      auto Load = [&](Instruction *Before) { return new LoadInst(I.getType(), Slot, I.getName() + ".in", Before->getIterator()); };
      if (!Phi) {
        U->set(Load(cast<Instruction>(U->getUser())));
        continue;
      }
      BasicBlock *From = Phi->getIncomingBlock(*U);
      Value *&In = Known[{Phi, From}];
      if (!In)
        In = Load(From->getTerminator());
      U->set(In);
    }
    new StoreInst(&I, Slot, *Behind);
    return Slot;
  }

  void build(Part &P, BasicBlock *Before, Value *Steps, Value *Slots, Calls &States, DebugLoc At) {
    LLVMContext &C = F.getContext();
    Module &M = *F.getParent();
    BasicBlock *Header = P.Body.front();
    auto *Enter = BasicBlock::Create(C, "ad.checkpoint", &F, Header);
    IRBuilder<> B(BranchInst::Create(Header, Enter));
    B.SetCurrentDebugLocation(At);
    Before->getTerminator()->replaceSuccessorWith(Header, Enter);
    BasicBlock *Again = nullptr;
    if (P.L) {
      Again = BasicBlock::Create(C, "ad.again", &F);
      for (BasicBlock *Pred : SmallVector<BasicBlock *, 2>(predecessors(Header)))
        if (Pred != Enter)
          Pred->getTerminator()->replaceSuccessorWith(Header, Again);
      BranchInst::Create(Header, Again);
    }
    Type *I64 = B.getInt64Ty();
    B.CreateCall(M.getOrInsertFunction("adcc.checkpoint", B.getVoidTy(), I64, I64), {Steps, Slots});
    FunctionCallee Region = M.getOrInsertFunction("adcc.checkpoint.state", B.getVoidTy(), B.getPtrTy(), I64);
    for (CallInst *Call : States) {
      // The size is computed where the marker stood.
      IRBuilder<> Old(Call);
      Value *Bytes = Old.CreateZExtOrTrunc(Call->getArgOperand(1), I64);
      B.CreateCall(Region, {Call->getArgOperand(0), Bytes})->setDebugLoc(Call->getDebugLoc());
      // It says so for all that follow.
      Call->addFnAttr(Attribute::get(C, InLoop));
    }
    eraseMarks(P);
    rematerialise(P.Body);
    dropLifetimes(P.Body);
    CallInst *Call = nullptr;
    Step = extract(P.Body.getArrayRef(), "step", Call);
    if (!Step)
      return;
    for (AllocaInst *A : Sunk)
      A->moveBefore(Step->getEntryBlock().begin());
    setResult(*Call, Again);
    SmallVector<BasicBlock *, 3> Rest{Enter, Call->getParent()};
    if (Again)
      Rest.push_back(Again);
    Whole = extract(Rest, "checkpointed", Call);
  }

  // Integers and addresses that follow from what is computed before the loop are computed in the step: as parameters they would hide what
  // they are multiples of, what holds of bounds, and where in an object they lead.
  void rematerialise(Blocks &Body) {
    BasicBlock *Entry = Body.front();
    Instruction *At = &*Entry->getFirstInsertionPt();
    DenseMap<Instruction *, Value *> Copies;
    for (BasicBlock *BB : Body)
      for (Instruction &I : *BB)
        for (Use &U : I.operands()) {
          auto *From = dyn_cast<Instruction>(U.get());
          unsigned Left = MostHoisted;
          if (From && !Body.count(From->getParent()) && !isa<PHINode>(I))
            if (Value *Copy = copied(*From, At, Copies, Left))
              U.set(Copy);
        }
  }

  // A copy of integer arithmetic before `At`; null for what is none, or too long.
  Value *copied(Instruction &I, Instruction *At, DenseMap<Instruction *, Value *> &Copies, unsigned &Left) {
    auto Known = Copies.find(&I);
    if (Known != Copies.end())
      return Known->second;
    bool IsStep = isa<GetElementPtrInst>(I) && I.getType()->isPointerTy();
    bool IsInteger = I.getType()->isIntegerTy() && isa<BinaryOperator, CastInst, ICmpInst, SelectInst, FreezeInst>(I);
    auto Fits = [&](Value *V) { return V->getType()->isIntegerTy() || (IsStep && V->getType()->isPointerTy()); };
    if (!(IsStep || IsInteger) || !isSafeToSpeculativelyExecute(&I) || !all_of(I.operands(), Fits) || Left == 0)
      return nullptr;
    Left--;
    Instruction *Copy = I.clone();
    for (Use &U : Copy->operands())
      if (auto *From = dyn_cast<Instruction>(U.get()))
        if (Value *Operand = copied(*From, At, Copies, Left))
          U.set(Operand);
    Copy->insertBefore(At->getIterator());
    return Copies[&I] = Copy;
  }

  // Stack variables that go from step to step live in F, from its beginning to its end: LLVM would move one into the step, or into the loop's
  // function, whose lifetime in F spans nothing but uses there, and would begin its life again with each step.
  void dropLifetimes(Blocks &Body) {
    SmallVector<LifetimeIntrinsic *, 8> Marks;
    for (Instruction &I : F.getEntryBlock()) {
      auto *A = dyn_cast<AllocaInst>(&I);
      if (!A || Body.count(A->getParent()) || !isUsedIn(*A, Body))
        continue;
      for (User *U : A->users())
        if (auto *Mark = dyn_cast<LifetimeIntrinsic>(U))
          Marks.push_back(Mark);
    }
    for (LifetimeIntrinsic *Mark : Marks)
      Mark->eraseFromParent();
  }

  // Whether the address of a variable, or one that is computed from it, is used in the blocks.
  static bool isUsedIn(AllocaInst &A, Blocks &Body) {
    SetVector<Instruction *> Addresses;
    Addresses.insert(&A);
    for (unsigned I = 0; I < Addresses.size(); ++I)
      for (User *U : Addresses[I]->users()) {
        auto *Use = cast<Instruction>(U);
        if (Body.count(Use->getParent()))
          return true;
        if (Use->getType()->isPointerTy() && !isa<CallBase, LoadInst>(Use))
          Addresses.insert(Use);
      }
    return false;
  }

  // The marks of a part are done; those of loops inside are not.
  void eraseMarks(Part &P) {
    SmallVector<CallInst *, 4> Done{P.Mark};
    if (P.L)
      for (Marker M : {LoopMarker, Header})
        for (CallInst *Call : markersOf(F, M))
          if (Call != P.Mark && LI->getLoopFor(Call->getParent()) == P.L)
            Done.push_back(Call);
    if (P.Last)
      Done.push_back(P.Last);
    for (CallInst *Call : Done)
      Call->eraseFromParent();
  }

  // What the step returns when the loop goes on: its caller branches on it.
  void setResult(CallInst &Call, BasicBlock *Again) {
    Step->addFnAttr(Kind, "step");
    Instruction *End = Call.getParent()->getTerminator();
    if (auto *Switch = dyn_cast<SwitchInst>(End)) {
      std::string Value = "?";
      if (ConstantInt *Case = Switch->findCaseDest(Again))
        Value = std::to_string(Case->getZExtValue());
      else
        Value = std::to_string(Switch->getNumCases());
      Step->addFnAttr(GoesOn, Value);
    } else if (auto *Branch = dyn_cast<BranchInst>(End); Branch && Branch->isConditional()) {
      Step->addFnAttr(GoesOn, Branch->getSuccessor(0) == Again ? "1" : "0");
    }
  }

  // Moves blocks, the entry first, to a function of their own, and finds the call in their place.
  Function *extract(ArrayRef<BasicBlock *> Moved, StringRef Suffix, CallInst *&Call) {
    CodeExtractorAnalysisCache Cache(F);
    CodeExtractor Extractor(Moved, nullptr, false, nullptr, nullptr, nullptr, false, /*AllowAlloca=*/true, nullptr, Suffix.str());
    Function *New = Extractor.isEligible() ? Extractor.extractCodeRegion(Cache) : nullptr;
    if (!New) {
      fail(&*Moved.front()->getFirstNonPHIIt(), "LLVM cannot move a checkpointed step to a function of its own",
           "move the body of the loop to a function that the loop calls");
      return nullptr;
    }
    Call = cast<CallInst>(New->user_back());
    New->setName(Name + "." + Suffix);
    New->setLinkage(GlobalValue::InternalLinkage);
    New->setCallingConv(CallingConv::C);
    Call->setCallingConv(CallingConv::C);
    New->removeFnAttr(Attribute::AlwaysInline);
    New->removeFnAttr(Kind);
    New->removeFnAttr(GoesOn);
    New->addFnAttr(Kind, "loop");
    New->addFnAttr(Attribute::NoInline);
    markOwn(*New, *Call);
    return New;
  }

  // Whether a value is a pointer to a variable whose address is stored nowhere; one of several perhaps.
  static bool mayLeadTo(const Value *V, const AllocaInst *Memory) {
    if (!V->getType()->isPtrOrPtrVectorTy())
      return false;
    SmallVector<const Value *, 4> Objects;
    getUnderlyingObjects(V, Objects, nullptr, /*MaxLookup=*/0);
    return is_contained(Objects, Memory);
  }

  // Says of parameters that are stack variables of F that nothing else leads there.
  void markOwn(Function &New, CallInst &Call) {
    for (unsigned I = 0; I < Call.arg_size(); ++I) {
      auto *Memory = dyn_cast<AllocaInst>(Call.getArgOperand(I));
      if (!Memory)
        continue;
      New.addParamAttr(I, Attribute::NonNull);
      if (auto Size = Memory->getAllocationSize(F.getDataLayout()); Size && !Size->isScalable())
        New.addDereferenceableParamAttr(I, Size->getFixedValue());
      bool IsAlone = Own.count(Memory);
      for (unsigned J = 0; J < Call.arg_size(); ++J)
        IsAlone &= J == I || !mayLeadTo(Call.getArgOperand(J), Memory);
      if (IsAlone)
        New.addParamAttr(I, Attribute::NoAlias);
    }
  }
};
} // namespace

extern "C" {

// Outlines the first of the outermost checkpointed loops and regions of a function as `Name.step` and
// `Name.checkpointed`: 1, and both. 0 where there is none. -1 where that cannot be done: the instruction, the reason
// and the remedy, which nobody frees.
int adshim_outline(LLVMValueRef FRef, const char *Name, LLVMValueRef *Step, LLVMValueRef *Whole, LLVMValueRef *Site,
                   const char **Reason, const char **Remedy) {
  Outliner O(*cast<Function>(unwrap(FRef)), Name);
  O.run();
  if (O.Step)
    *Step = wrap(O.Step);
  if (O.Whole)
    *Whole = wrap(O.Whole);
  if (O.Failed) {
    *Site = wrap(O.Failed->Site);
    *Reason = O.Failed->Reason;
    *Remedy = O.Failed->Remedy;
    return -1;
  }
  return O.Whole != nullptr;
}
}
