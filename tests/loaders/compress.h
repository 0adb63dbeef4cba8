// Makes compressed inputs for tests.
#pragma once

#include <doctest/doctest.h>
#include <igzip_lib.h>
#include <zstd.h>

#include <string>
#include <string_view>

namespace stepscope {

// One gzip member.
inline std::string Gzip(std::string_view text) {
  std::string out(text.size() + 4096, '\0');
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uint32_t>(text.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  REQUIRE(isal_deflate_stateless(&stream) == COMP_OK);
  out.erase(out.size() - stream.avail_out);
  return out;
}

// One zstd frame.
inline std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const size_t n = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  REQUIRE(ZSTD_isError(n) == 0u);
  out.resize(n);
  return out;
}

}  // namespace stepscope
