// Optimisation remarks of pass "ad", and the source names that reports show.

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/Module.h"
#include "llvm/Remarks/RemarkStreamer.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace {
constexpr const char *PassName = "ad";

template <class Remark> void send(Function &F, const char *Name, const char *Text, const DILocation *At) {
  Remark R = At ? Remark(PassName, Name, DiagnosticLocation(DebugLoc(At)), &F.getEntryBlock()) : Remark(PassName, Name, &F);
  R << Text;
  F.getContext().diagnose(R);
}
} // namespace

extern "C" {

// Whether anybody listens to remarks of kind 0 (passed), 1 (missed) or 2 (analysis): `-Rpass…=` or a remarks file.
int adshim_remarks_wanted(LLVMContextRef C, unsigned Kind) {
  LLVMContext &Context = *unwrap(C);
  if (Context.getLLVMRemarkStreamer() && Context.getMainRemarkStreamer() &&
      Context.getMainRemarkStreamer()->matchesFilter(PassName))
    return true;
  const DiagnosticHandler *Handler = Context.getDiagHandlerPtr();
  if (!Handler)
    return false;
  return Kind == 0   ? Handler->isPassedOptRemarkEnabled(PassName)
         : Kind == 1 ? Handler->isMissedOptRemarkEnabled(PassName)
                     : Handler->isAnalysisRemarkEnabled(PassName);
}

// A remark of that kind about `FRef`, which has a body, at a location; at the function's line where it is null.
void adshim_remark(LLVMValueRef FRef, unsigned Kind, const char *Name, const char *Text, LLVMMetadataRef Location) {
  auto &F = *cast<Function>(unwrap(FRef));
  auto *At = Location ? cast<DILocation>(unwrap(Location)) : nullptr;
  if (Kind == 0)
    send<OptimizationRemark>(F, Name, Text, At);
  else if (Kind == 1)
    send<OptimizationRemarkMissed>(F, Name, Text, At);
  else
    send<OptimizationRemarkAnalysis>(F, Name, Text, At);
}

// The source variable that an instruction's value is, by debug information that names it without an expression; the
// message is to be freed with LLVMDisposeMessage. Null where there is none.
char *adshim_variable_name(LLVMValueRef V) {
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgUsers(unwrap(V), Records);
  for (DbgVariableRecord *R : Records)
    if (R->isDbgDeclare() || R->getExpression()->getNumElements() == 0)
      return LLVMCreateMessage(R->getVariable()->getName().str().c_str());
  return nullptr;
}

// The function's name in its source: from debug information, or demangled. To be freed likewise.
char *adshim_source_name(LLVMValueRef FRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  if (DISubprogram *SP = F.getSubprogram(); SP && !SP->getName().empty())
    return LLVMCreateMessage(SP->getName().str().c_str());
  return LLVMCreateMessage(demangle(F.getName()).c_str());
}

// A symbol's name in its source; the symbol itself where it is not mangled. To be freed likewise.
char *adshim_demangle(const char *Symbol) { return LLVMCreateMessage(demangle(Symbol).c_str()); }

// The file of the module's first compile unit that has code, null without debug information. To be freed likewise.
// (The module's own list leaves out units that only have lines.)
char *adshim_unit_file(LLVMModuleRef M) {
  for (Function &F : *unwrap(M))
    if (DISubprogram *SP = F.getSubprogram(); SP && SP->getUnit())
      return LLVMCreateMessage(SP->getUnit()->getFilename().str().c_str());
  return nullptr;
}
}
