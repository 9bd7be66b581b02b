// Windows: what one loop does to the cells of an array that several iterations in a row work on.
//
// In iteration j the access with number q touches cell j + q: a cell is touched first by the access with the largest number, and last by
// the one with the smallest. A window holds the cells from the one to the other in registers. It moves by one cell per iteration:
// one is loaded when it enters, one is stored when it leaves.
#pragma once

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace windows {
using namespace llvm;

// Cells of one window that are carried from one iteration to the next: more take registers that the loop needs.
inline constexpr int64_t MostCarried = 8;
// Of all windows of a loop.
inline constexpr int64_t MostCarriedInAll = 16;
// Accesses of one loop that are looked at.
inline constexpr unsigned MostAccesses = 96;
// Pairs of spans that are compared at run time.
inline constexpr unsigned MostTests = 32;
// Bytes from one iteration to the next: with these, no span wraps that real memory bounds.
inline constexpr int64_t WidestStep = 256;

// A load or store of a group: at so many bytes from the group's start, plus a step per iteration.
struct Member {
  Instruction *I;
  int64_t Offset;
  // Its number q.
  int64_t Cell;
  bool isStore() const { return isa<StoreInst>(I); }
};

// Accesses at constant distances from each other.
struct Group {
  SmallVector<Member, 8> Members;
  // The address of offset 0 in the first iteration; null where the addresses are no recurrence, and for calls.
  const SCEV *Start = nullptr;
  int64_t Step = 0;
  // Groups of one family differ by constants too: those of other phases never meet, for a phase is an offset modulo the step.
  unsigned Family = 0;
  bool HasPhase = false;
  int64_t Phase = 0;
  // Offsets of the first byte and of the one behind the last, in one iteration.
  int64_t Low = 0, High = 0;
  // Whether every iteration executes all of it.
  bool IsAlways = true;
  bool Writes = false;
  // Nothing else in the loop touches what it touches: all windows, and for the vectoriser others that are stored to.
  bool IsApart = false;

  // What follows holds of windows only.
  bool IsWindow = false;
  Type *Ty = nullptr;
  int64_t First = 0, Last = 0;
  // Some cell between first and last is not stored in every iteration.
  bool HasGap = false;

  int64_t carried() const { return Last - First; }
  // The offset of a cell.
  int64_t offsetOf(int64_t Cell) const { return Members[0].Offset + (Cell - Members[0].Cell) * Step; }
};

// What is to be done to a loop.
struct Plan {
  SmallVector<Group, 8> Groups;
  // Pairs of groups that only a test at run time can tell apart.
  SmallVector<std::pair<unsigned, unsigned>, 16> Tests;
  const SCEV *Taken = nullptr;
  // Fewer iterations and nothing is carried.
  int64_t LeastTaken = 0;
};

// How windows are found in a loop that is innermost, in simplified form, and leaves from its latch only.
class Finder {
public:
  Finder(Loop &L, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE, AAResults &AA);
  // Whether there is anything to do.
  bool find(Plan &P);
  // What an access says of aliases, as far as it holds for all iterations together.
  AAMDNodes lasting(Instruction &I) const;

private:
  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  BatchAAResults AA;
  // Scopes that are declared in the loop, and mean one iteration.
  SmallPtrSet<const Metadata *, 8> Passing;

  bool collect(Plan &P);
  void add(Plan &P, Instruction &I);
  SmallVector<Group, 8> divided(Group &G);
  void consider(Group &G);
  bool isAlways(Instruction &I) const { return DT.dominates(I.getParent(), L.getLoopLatch()); }
  bool stores(const Group &G, int64_t Cell) const;
  bool isApart(const Group &G, const Group &Other);
  bool isApartBySpans(const Plan &P, const Group &G, const Group &Other);
  bool keepApart(Plan &P, unsigned Number);
};

// The first byte of a group in all iterations, and the one behind the last; null where there is none.
std::pair<const SCEV *, const SCEV *> span(ScalarEvolution &SE, const Plan &P, const Group &G);
} // namespace windows
