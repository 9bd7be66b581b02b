// The shadows of C++'s strings, which functions of its library change. The shadow of a string has blocks of its own, of zeros, as long as
// those of the string: so the program's code finds there what it finds in the string, and gives both back. Programs without strings do
// not take this file from the library, and need no libstdc++.
#include <cstddef>
#include <cstring>
#include <new>

namespace {

// A std::string of libstdc++.
struct text {
  char *at;
  std::size_t length;
  union {
    char few[16];
    std::size_t capacity;
  };

  bool is_short() const { return at == few; }
};

char *zeros(std::size_t capacity) {
  return static_cast<char *>(std::memset(::operator new(capacity + 1), 0, capacity + 1));
}

} // namespace

// Gives the shadow of a string characters where a function has given the string others: it had those at `before`, as many as `capacity`,
// or is new (null). The block that the shadow had, to be given back, or null.
extern "C" void *adrt_text_followed(const text *string, text *shadow, const char *before, std::size_t capacity) {
  bool is_same = string->at == before && (string->is_short() || string->capacity == capacity);
  if (is_same && shadow->at)
    return nullptr;
  char *old = before && shadow->at != shadow->few ? shadow->at : nullptr;
  shadow->at = string->is_short() ? shadow->few : zeros(string->capacity);
  return old;
}

// The shadow of a new block of characters.
extern "C" char *adrt_text_block(const std::size_t *capacity) { return zeros(*capacity); }

// The shadow of an address of a string's characters, or of what lies in it.
extern "C" char *adrt_text_at(const text *string, text *shadow, const char *at) {
  auto *first = reinterpret_cast<const char *>(string);
  bool is_inside = at >= first && at < first + sizeof(text);
  return is_inside ? reinterpret_cast<char *>(shadow) + (at - first) : shadow->at + (at - string->at);
}
