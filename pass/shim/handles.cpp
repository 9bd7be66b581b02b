// Reports deletions of values that Rust has handles of (src/llvm/handle.rs).

#include "llvm/IR/Constants.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm-c/Core.h"

#include <deque>

using namespace llvm;

namespace {
class Watch final : public CallbackVH {
  unsigned Number;
  void (*Report)(unsigned);
  void deleted() override {
    setValPtr(nullptr);
    Report(Number);
  }

public:
  Watch(Value *V, unsigned Number, void (*Report)(unsigned)) : CallbackVH(V), Number(Number), Report(Report) {}
};

// LLVM links watches to each other: they do not move.
thread_local std::deque<Watch> Watches;
} // namespace

extern "C" {

// From now on, `Report(Number)` is called when `Value` is deleted.
void adshim_watch(LLVMValueRef Value, unsigned Number, void (*Report)(unsigned)) {
  // Numbers, null, undef and poison live as long as their context.
  if (!isa<ConstantData>(unwrap(Value)))
    Watches.emplace_back(unwrap(Value), Number, Report);
}

// Nothing is watched any more.
void adshim_watch_none() { Watches.clear(); }
}
