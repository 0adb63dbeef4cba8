// stb_image_write itself, in a file of its own: our warnings and clang-tidy are not for its code
// (the latter is not run on this file, see `dev`).
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
