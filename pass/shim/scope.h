// The debug information of a generated function, as far as it follows from its primal's (scope.cpp).
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm-c/Core.h"

#include <memory>

namespace adshim {

class DebugScope {
  llvm::DISubprogram *Own;
  // Where places of the function itself lie: there, or in a block of it.
  llvm::DILocalScope *Root;
  const llvm::Function *Primal;
  std::string Mark, Suffix;
  // The primal is a function of ours that only passes arguments on: what is inlined there is what the user wrote.
  bool IsOfWrapper;
  llvm::DISubprogram *Wrapped = nullptr;
  // Names of the primal's variables, once a shadow was named.
  llvm::StringSet<> Names;
  // How many times the numbers of a source's parameters fit below those of the primal's.
  unsigned Bands = 1;
  llvm::DenseMap<llvm::DILocalScope *, llvm::DILocalScope *> OwnScopes, InlinedScopes;
  // Places of inlined calls.
  llvm::DenseMap<llvm::DILocation *, llvm::DILocation *> Calls;
  // Of records in the copy: that of the primal, and the value there.
  llvm::DenseMap<llvm::DbgVariableRecord *, std::pair<const llvm::DbgVariableRecord *, llvm::Value *>> Copied;

  // Whether a place of the primal is in the function itself, and not in one that was inlined.
  bool isOwn(const llvm::DILocation *L);
  llvm::DILocalScope *scope(llvm::DILocalScope *S, bool IsOwn);
  llvm::DIType *type(llvm::DIType *T, bool IsOwn);
  llvm::DILocalVariable *variable(llvm::DILocalVariable *V, bool IsOwn, int Direction);

public:
  DebugScope(llvm::DISubprogram *Own, const llvm::Function &Primal, llvm::StringRef Mark, llvm::StringRef Suffix);
  // A block in the same function.
  std::unique_ptr<DebugScope> nested() const;
  // The scope of F, which is a part of `Whole`; null without debug information.
  static std::unique_ptr<DebugScope> ofPart(llvm::Function &F, const llvm::Function &Whole);
  llvm::DISubprogram *subprogram() const { return Own; }
  // A place of the primal, in this scope.
  llvm::DILocation *at(const llvm::DILocation *L);
  llvm::DILocation *start();
  // Gives a copy of an instruction the place and the variables of the original.
  void adopt(const llvm::Instruction &Of, llvm::Instruction &Copy);
  // Takes an instruction that was moved here; `Map` has what its operands became.
  void take(llvm::Instruction &I, const llvm::DenseMap<llvm::Value *, llvm::Value *> &Map);
  // That the variable of a record is `Is` here, or its shadow in a direction that is not negative.
  llvm::DbgVariableRecord *record(const llvm::DbgVariableRecord &Of, llvm::Value *Is, int Direction);
  // Names the shadows of values of the primal in F, whose instructions were adopted.
  void describe(llvm::Function &F, const llvm::DenseMap<llvm::Value *, llvm::Value *> &Shadows, int Direction);
};

// Variables that lie in the same parameter, or stack variable, as long as the function runs: what says so.
llvm::SmallVector<llvm::DbgVariableRecord *, 8> lastingVariables(llvm::Function &F);

// After parts of F were moved to other functions: nothing says in F that a variable has a value of theirs.
void dropForeignValues(llvm::Function &F);

} // namespace adshim
