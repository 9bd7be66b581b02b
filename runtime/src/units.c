/* The files of Fortran's external units, for files.rs, as flang's runtime tells them. Programs without Fortran's input and output do not
 * take this file from the library, and need no such runtime.
 *
 * Called before a transfer begins: during one, its unit is locked. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern void *_FortranAioBeginInquireUnit(int32_t unit, const char *file, int line);
extern bool _FortranAioInquireCharacter(void *inquiry, uint64_t what, char *result, size_t length);
extern bool _FortranAioInquireLogical(void *inquiry, uint64_t what, bool *result);
extern int32_t _FortranAioEndIoStatement(void *inquiry);

extern uint32_t adrt_files_watched(void);
extern void adrt_connected_written(int32_t unit, const char *name, uint32_t is_connected, const char *place);
extern void adrt_connected_read(int32_t unit, const char *name, uint32_t is_connected, const char *place);

/* What an inquiry asks for, as numbers in base 26: flang's HashInquiryKeyword. */
static uint64_t keyword(const char *name) {
  uint64_t number = 1;
  for (; *name; name++)
    number = 26 * number + (uint64_t)(*name - 'A');
  return number;
}

typedef void told(int32_t unit, const char *name, uint32_t is_connected, const char *place);

static void tell(int32_t unit, const char *place, told *told) {
  enum { LONGEST = 4096 };
  char name[LONGEST + 1];
  bool is_connected = false, has_name = false;
  if (!adrt_files_watched())
    return;
  void *inquiry = _FortranAioBeginInquireUnit(unit, NULL, 0);
  _FortranAioInquireLogical(inquiry, keyword("OPENED"), &is_connected);
  _FortranAioInquireLogical(inquiry, keyword("NAMED"), &has_name);
  if (is_connected && has_name) {
    _FortranAioInquireCharacter(inquiry, keyword("NAME"), name, LONGEST);
    size_t length = LONGEST;
    while (length > 0 && name[length - 1] == ' ')
      length--;
    name[length] = 0;
  }
  _FortranAioEndIoStatement(inquiry);
  told(unit, is_connected && has_name ? name : NULL, is_connected, place);
}

void adrt_unit_written(int32_t unit, const char *place) { tell(unit, place, adrt_connected_written); }

void adrt_unit_read(int32_t unit, const char *place) { tell(unit, place, adrt_connected_read); }
