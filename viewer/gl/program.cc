#include "viewer/gl/program.h"

#include <epoxy/gl.h>

#include <array>

namespace stepscope {
namespace {

uint32_t Compile(GLenum type, std::string_view source, std::string* error) {
  const uint32_t shader = glCreateShader(type);
  const char* text = source.data();
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader, 1, &text, &length);
  glCompileShader(shader);
  GLint ok = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok != 0) return shader;
  std::array<char, 1024> log{};
  glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
  *error = log.data();
  glDeleteShader(shader);
  return 0;
}

}  // namespace

uint32_t LinkProgram(std::string_view vertex_source, std::string_view fragment_source,
                     std::string* error) {
  const uint32_t vertex = Compile(GL_VERTEX_SHADER, vertex_source, error);
  const uint32_t fragment = Compile(GL_FRAGMENT_SHADER, fragment_source, error);
  if (vertex == 0 || fragment == 0) return 0;
  const uint32_t program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  GLint ok = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  if (ok != 0) return program;
  *error = "the shaders do not link";
  glDeleteProgram(program);
  return 0;
}

}  // namespace stepscope
