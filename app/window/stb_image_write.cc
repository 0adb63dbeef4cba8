// The implementation of stb_image_write, in a file of its own because our warnings and clang-tidy
// are not meant for its code (`dev` does not run clang-tidy on this file).
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
