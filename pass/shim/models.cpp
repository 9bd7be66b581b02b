// What the C API lacks for models of library functions: code compiled when the plugin was built becomes part of the module.

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm-c/Core.h"

using namespace llvm;

// What bitcode says of the module or of a processor is left out: the module that takes it in has its own.
static void adapt(Module &Models, const Module &Into) {
  while (!Models.named_metadata_empty())
    Models.eraseNamedMetadata(&*Models.named_metadata_begin());
  Models.setTargetTriple(Into.getTargetTriple());
  Models.setDataLayout(Into.getDataLayout());
  for (Function &F : Models) {
    F.removeFnAttr("target-cpu");
    F.removeFnAttr("target-features");
    F.removeFnAttr("tune-cpu");
  }
}

extern "C" {

// Links bitcode into a module, all its functions private there; whether LLVM could read it.
int adshim_link_models(LLVMModuleRef Into, const char *Bytes, size_t Size) {
  Module &M = *unwrap(Into);
  Expected<std::unique_ptr<Module>> Read =
      parseBitcodeFile(MemoryBufferRef(StringRef(Bytes, Size), "models"), M.getContext());
  if (!Read) {
    consumeError(Read.takeError());
    return 0;
  }
  Module &Models = **Read;
  adapt(Models, M);
  SmallVector<std::string, 16> Names;
  for (Function &F : Models)
    if (!F.isDeclaration())
      Names.push_back(F.getName().str());
  if (Linker::linkModules(M, std::move(*Read)))
    return 0;
  for (const std::string &Name : Names)
    if (Function *F = M.getFunction(Name)) {
      F->setLinkage(GlobalValue::PrivateLinkage);
      F->setDSOLocal(true);
    }
  return 1;
}

// Links the function of one symbol, and what it needs of the same bitcode, into a module. What is defined in the bitcode is private
// there, under a name with the prefix. Returns the function, or null where the bitcode has none or cannot be read.
LLVMValueRef adshim_link_model(LLVMModuleRef Into, const char *Bytes, size_t Size, const char *Symbol, const char *Prefix) {
  Module &M = *unwrap(Into);
  Expected<std::unique_ptr<Module>> Read =
      getLazyBitcodeModule(MemoryBufferRef(StringRef(Bytes, Size), "models"), M.getContext());
  if (!Read) {
    consumeError(Read.takeError());
    return nullptr;
  }
  Module &Models = **Read;
  // A constructor of complete objects may be another name of that of bases.
  auto *Wanted = Models.getNamedValue(Symbol);
  auto *Model = Wanted ? dyn_cast_or_null<Function>(Wanted->getAliaseeObject()) : nullptr;
  if (!Model || Model->isDeclaration())
    return nullptr;
  adapt(Models, M);
  for (GlobalAlias &A : make_early_inc_range(Models.aliases()))
    if (GlobalObject *Aliasee = A.getAliaseeObject()) {
      A.replaceAllUsesWith(Aliasee);
      A.eraseFromParent();
    }
  SmallVector<std::string, 0> Names;
  for (GlobalObject &G : Models.global_objects())
    if (!G.isDeclaration()) {
      G.setComdat(nullptr);
      G.setName(Prefix + G.getName());
      // The linker takes in what is used of these, and nothing else.
      G.setLinkage(GlobalValue::LinkOnceODRLinkage);
      Names.push_back(G.getName().str());
    }
  std::string Name = Model->getName().str();
  // What was linked before is found by its name only while it is not private.
  for (const std::string &N : Names)
    if (GlobalValue *Known = M.getNamedValue(N))
      Known->setLinkage(GlobalValue::LinkOnceODRLinkage);
  M.getOrInsertFunction(Name, Model->getFunctionType());
  bool Failed = Linker::linkModules(M, std::move(*Read), Linker::Flags::LinkOnlyNeeded);
  for (const std::string &N : Names)
    if (GlobalValue *G = M.getNamedValue(N); G && !G->isDeclaration()) {
      G->setLinkage(GlobalValue::PrivateLinkage);
      G->setDSOLocal(true);
    }
  Function *F = M.getFunction(Name);
  return Failed || F->isDeclaration() ? nullptr : wrap(F);
}
}
