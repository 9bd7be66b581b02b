// The files of C++'s streams, for files.rs. Only libstdc++ knows a stream's descriptor. Programs that write and read no streams do not
// take this file from the library, and need no libstdc++.
#include <cstdint>
#include <fstream>

extern "C" uint32_t adrt_files_watched();
extern "C" void adrt_descriptor_written(int descriptor, const char *place);
extern "C" void adrt_descriptor_read(int descriptor, const char *place);

namespace {

struct file_buffer : std::filebuf {
  static int descriptor(std::filebuf &buffer) { return (buffer.*(&file_buffer::_M_file)).fd(); }
};

// Strings, and what programs define themselves, have none.
int descriptor(std::streambuf *buffer) {
  auto *file = dynamic_cast<std::filebuf *>(buffer);
  return file && file->is_open() ? file_buffer::descriptor(*file) : -1;
}

} // namespace

extern "C" void adrt_stream_written(std::ostream *stream, const char *place) {
  if (adrt_files_watched())
    adrt_descriptor_written(descriptor(stream->rdbuf()), place);
}

extern "C" void adrt_stream_read(std::istream *stream, const char *place) {
  if (adrt_files_watched())
    adrt_descriptor_read(descriptor(stream->rdbuf()), place);
}
