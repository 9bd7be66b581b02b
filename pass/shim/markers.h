// Markers of checkpointed loops and regions.
#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"

// Call attribute: where the source calls the marker, a loop goes around it, or a marked loop follows. If there is none
// later, it ran once, or never.
constexpr llvm::StringLiteral InLoop("adcc-in-loop");

enum Marker { None, LoopMarker, Header, Begin, End, State, Wrong };

using Blocks = llvm::SetVector<llvm::BasicBlock *>;

// What a function is, by its name; `Wrong` for what nobody understands.
Marker markerOf(const llvm::Function &F);
// What an instruction is; `Wrong` for a call with other arguments than the marker takes.
Marker markerOf(const llvm::Instruction &I);
// Whether the marker of a loop says that its steps are independent.
bool isIndependent(const llvm::CallInst &Marker);
// Whether the marker of a loop says that it iterates to a fixed point.
bool isFixedPoint(const llvm::CallInst &Marker);
