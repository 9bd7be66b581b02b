// A plugin that differentiates nothing: it shows which options reached it and notes the heads whose
// functions a module defines, so that the driver is tested with the real compilers alone.

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>

using namespace llvm;

static cl::list<std::string> Tangent("ad-tangent"), Adjoint("ad-adjoint"), ArgNames("ad-argnames"),
    Disable("ad-disable"), Header("ad-header");
static cl::list<std::string> Optional("ad-heads-optional", cl::ValueOptional);
// adcc says these in every build.
static cl::opt<bool> Check("ad-check");
// In those of C++.
static cl::opt<bool> Classes("ad-classes");
static cl::opt<std::string> Objects("ad-objects");

static void show(StringRef Name, const cl::list<std::string> &Values) {
  for (const std::string &Value : Values)
    errs() << "standin: " << Name << "=" << Value << "\n";
}

static void noteHeads(Module &M, const cl::list<std::string> &Heads) {
  for (const std::string &Head : Heads) {
    StringRef Name = StringRef(Head).split('(').first;
    const Function *F = M.getFunction(Name);
    if (!F)
      F = M.getFunction(Name.lower() + "_");
    if (F && !F->isDeclaration()) {
      if (const char *Path = getenv("ADPASS_HEADS_SEEN"))
        if (FILE *Seen = fopen(Path, "a")) {
          fprintf(Seen, "%s\n", F->getName().str().c_str());
          fclose(Seen);
        }
    } else if (Optional.empty()) {
      errs() << "error: AD000: no function " << Name << "\n";
      exit(1);
    }
  }
}

struct Show : PassInfoMixin<Show> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    show("ad-tangent", Tangent);
    show("ad-adjoint", Adjoint);
    show("ad-argnames", ArgNames);
    show("ad-disable", Disable);
    show("ad-header", Header);
    if (const char *Options = getenv("ADPASS_OPTIONS"))
      errs() << "standin: environment " << Options << "\n";
    if (Function *F = M.getFunction("shown"))
      for (Argument &A : F->args())
        errs() << "standin: argument " << A.getName() << "\n";
    noteHeads(M, Tangent);
    noteHeads(M, Adjoint);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

extern "C" PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "standin", "1", [](PassBuilder &PB) {
            PB.registerOptimizerEarlyEPCallback(
                [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
                  MPM.addPass(Show());
                });
          }};
}
