// Diagnostics through LLVM's own channel, so that clang, flang and opt print them in their way and exit with an error.

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm-c/Core.h"

using namespace llvm;

extern "C" {

// Reports `Text` with severity 0 (error), 1 (warning) or 3 (note). `Cookie` is clang's source location of a call
// (metadata `srcloc`), 0 where there is none.
void adshim_diagnose(LLVMContextRef C, unsigned Severity, const char *Text, uint64_t Cookie) {
  Twine Message(Text);
  auto Level = static_cast<DiagnosticSeverity>(Severity);
  if (Cookie)
    unwrap(C)->diagnose(DiagnosticInfoInlineAsm(Cookie, Message, Level));
  else
    unwrap(C)->diagnose(DiagnosticInfoGeneric(Message, Level));
}

// The same at a debug location, for front ends that print `file:line:col: error:` from it.
void adshim_diagnose_at(LLVMValueRef Inst, unsigned Severity, const char *Text) {
  auto *I = cast<Instruction>(unwrap(Inst));
  Twine Message(Text);
  I->getContext().diagnose(DiagnosticInfoUnsupported(*I->getFunction(), Message, I->getDebugLoc(),
                                                     static_cast<DiagnosticSeverity>(Severity)));
}

// The cookie of a call's `srcloc` metadata; 0 where it has none.
uint64_t adshim_srcloc(LLVMValueRef Inst) {
  auto *I = cast<Instruction>(unwrap(Inst));
  if (const MDNode *N = I->getMetadata("srcloc"))
    if (N->getNumOperands())
      if (auto *K = mdconst::dyn_extract<ConstantInt>(N->getOperand(0)))
        return K->getZExtValue();
  return 0;
}
}
