// Registration of the pass with LLVM's pass builder, and the plugin's command line options: the C API has neither.

#include "select.h"
#include "units.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Config/llvm-config.h"
#include "llvm-c/Core.h"

#include <dlfcn.h>
#include <unistd.h>

using namespace llvm;

// Implemented in Rust (lib.rs).
extern "C" int adpass_prepare(LLVMModuleRef M);
extern "C" int adpass_run(LLVMModuleRef M);

namespace {

// Every option takes a string, so that one list serves all three ways in (config.rs parses and checks it):
// `-mllvm -ad-NAME=VALUE`, `adcc --ad-NAME=VALUE`, and ADPASS_OPTIONS.
struct Option {
  const char *Name;
  cl::list<std::string> List;
  Option(const char *Name, const char *Help)
      : Name(Name), List(StringRef(Name), cl::desc(Help), cl::ValueOptional) {}
};

Option Options[] = {
    {"ad-tangent", "generate the tangent f_d of a head such as 'f(y)/(x)'"},
    {"ad-adjoint", "generate the adjoint f_b of a head such as 'f(y)/(x)'"},
    {"ad-pattern", "generate f_p, which carries sets of inputs, of a head such as 'f(y)/(x)'"},
    {"ad-directions", "also generate f_dv and f_bv of heads, for so many directions"},
    {"ad-argnames", "names of a function's parameters: SYMBOL:x,y,z"},
    {"ad-argtypes", "Fortran declarations of a function's parameters, as adfc writes them: SYMBOL:TYPE;TYPE"},
    {"ad-heads-optional", "a head whose function is not defined in this module is no error"},
    {"ad-classes", "the front end tests tables of virtual functions for this plugin alone"},
    {"ad-header", "write C prototypes of the functions that heads generated"},
    {"ad-interface", "write a Fortran interface module of the functions that heads generated"},
    {"ad-disable", "switch analyses off by name, comma-separated"},
    {"ad-print", "print the result of a stage on standard error: canon, body, plan, derivative"},
    {"ad-report", "write what was active, recorded and recomputed, and why: a file, or a folder with one per source"},
    {"ad-inactive", "functions and variables without influence on derivatives: f,mod::var"},
    {"ad-joint", "functions that run again in the reverse sweep instead of recording: f,g"},
    {"ad-split", "functions whose calls are always recorded: f,g"},
    {"ad-calls", "how calls of all other functions are reversed: auto, split (recorded), joint (run again)"},
    {"ad-sums", "the order of sums of adjoints: free (so that loops vectorise), ordered"},
    {"ad-prebuilt", "functions without body and rule: error (where they meet active data), shadow (through their machine code), inactive; NAME=… for one"},
    {"ad-mpi", "the mpi.h of the program, as adcc found it: messages between ranks have derivatives"},
    {"ad-parts", "instructions of the functions that large derivatives are divided into; 0: they stay whole"},
    {"ad-check", "the runtime is linked: requests always refer to its check of shadows (ADRT_CHECK=1)"},
    {"ad-validate", "requests compare their derivatives with differences and with each other when the program runs (ADRT_CHECK)"},
    {"ad-objects", "objects carry the module's IR, and requests that reach other files stay open until the link"},
    {"ad-open", "which requests stay open with -ad-objects: needed (those that reach other files), all"},
    {"ad-link", "answer the requests that the objects of a link left open: a file that lists them and the units"},
    {"ad-time", "print the time of each stage on standard error"},
};

// Marks what the simplification pipeline must leave alone, before it starts.
struct PreparePass : PassInfoMixin<PreparePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return adpass_prepare(wrap(&M)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct DifferentiatePass : PassInfoMixin<DifferentiatePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return adpass_run(wrap(&M)) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Last, where instructions are selected fast.
struct SelectPass : PassInfoMixin<SelectPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    bool Changed = separateCarriedLoads(F);
    Changed |= freezeBits(F);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Last, where objects carry IR: what is internal gets names for other units.
struct SharePass : PassInfoMixin<SharePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    shareInternals(M);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// The major version of the LLVM that the host program runs, as far as the dynamic linker can tell.
unsigned hostMajor() {
  using Version = void (*)(unsigned *, unsigned *, unsigned *);
  auto Get = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
  unsigned Major = LLVM_VERSION_MAJOR, Minor = 0, Patch = 0;
  if (Get)
    Get(&Major, &Minor, &Patch);
  return Major;
}

} // namespace

extern "C" {

void adshim_register(PassBuilder *PB) {
  if (unsigned Host = hostMajor(); Host != LLVM_VERSION_MAJOR) {
    errs() << "error: AD001: libadpass.so is built for LLVM " << LLVM_VERSION_MAJOR << ", but this compiler is LLVM "
           << Host << "; use clang-" << LLVM_VERSION_MAJOR << ", flang-" << LLVM_VERSION_MAJOR << " or opt-"
           << LLVM_VERSION_MAJOR << ", or rebuild the plugin\n";
    _exit(1);
  }
  PB->registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(PreparePass()); });
  PB->registerOptimizerEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) { MPM.addPass(DifferentiatePass()); });
  auto Last = [](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level == OptimizationLevel::O0)
      MPM.addPass(createModuleToFunctionPassAdaptor(SelectPass()));
    MPM.addPass(SharePass());
  };
  PB->registerOptimizerLastEPCallback(
      [Last](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase) { Last(MPM, Level); });
  PB->registerFullLinkTimeOptimizationLastEPCallback(Last);
  PB->registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(DifferentiatePass()); });
  PB->registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "ad")
          return false;
        MPM.addPass(PreparePass());
        MPM.addPass(DifferentiatePass());
        return true;
      });
}

// Calls `Sink(Context, name, value)` for every occurrence of a plugin option on the command line.
void adshim_options(void (*Sink)(void *, const char *, const char *), void *Context) {
  for (Option &O : Options)
    for (const std::string &Value : O.List)
      Sink(Context, O.Name, Value.c_str());
}
}
