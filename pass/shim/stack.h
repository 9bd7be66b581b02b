// Stack variables of checkpointed steps: which of them belong to one step.
#pragma once

#include "markers.h"

// Whether stack memory that the blocks of a step allocate is gone, or forgotten, at the step's end.
bool isOfOneStep(llvm::AllocaInst &Memory, Blocks &Body);

// Moves stack variables of the function into the step, its entry the first block, that only the step uses, and of which it
// reads nothing that an earlier step left; which those are.
llvm::SmallVector<llvm::AllocaInst *, 8> sinkVariables(llvm::Function &F, Blocks &Body);
