// What the C API lacks for models of library functions: code compiled when the plugin was built becomes part of the module.

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm-c/Core.h"

using namespace llvm;

extern "C" {

// Links bitcode into a module, all its functions private there; whether LLVM could read it. What it says of the module or of
// a processor is left out: the module that takes it in has its own.
int adshim_link_models(LLVMModuleRef Into, const char *Bytes, size_t Size) {
  Module &M = *unwrap(Into);
  Expected<std::unique_ptr<Module>> Read =
      parseBitcodeFile(MemoryBufferRef(StringRef(Bytes, Size), "models"), M.getContext());
  if (!Read) {
    consumeError(Read.takeError());
    return 0;
  }
  Module &Models = **Read;
  while (!Models.named_metadata_empty())
    Models.eraseNamedMetadata(&*Models.named_metadata_begin());
  Models.setTargetTriple(M.getTargetTriple());
  Models.setDataLayout(M.getDataLayout());
  SmallVector<std::string, 16> Names;
  for (Function &F : Models)
    if (!F.isDeclaration()) {
      F.removeFnAttr("target-cpu");
      F.removeFnAttr("target-features");
      F.removeFnAttr("tune-cpu");
      Names.push_back(F.getName().str());
    }
  if (Linker::linkModules(M, std::move(*Read)))
    return 0;
  for (const std::string &Name : Names)
    if (Function *F = M.getFunction(Name)) {
      F->setLinkage(GlobalValue::PrivateLinkage);
      F->setDSOLocal(true);
    }
  return 1;
}
}
