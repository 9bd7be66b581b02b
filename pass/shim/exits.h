// Loops by the exits through which a function goes on to return.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

using ReturningBlocks = llvm::SmallPtrSet<llvm::BasicBlock *, 32>;

// Blocks from which a return can be reached.
ReturningBlocks returningBlocks(llvm::Function &F);

// How often a run of the loop goes back to its header, if it leaves by an exit from which a return is reached; it may leave earlier by
// another. Null where it is unknown at the loop's entry.
const llvm::SCEV *regularCount(const llvm::Loop &L, llvm::ScalarEvolution &SE, llvm::DominatorTree &DT,
                               const ReturningBlocks &Returning);
