#include "viewer/gl/program.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

constexpr GLsizei kShaders = 2;

uint32_t Compile(GLenum type, std::string_view source) {
  const uint32_t shader = glCreateShader(type);
  const char* text = source.data();
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader, 1, &text, &length);
  glCompileShader(shader);
  return shader;
}

std::string LogOf(uint32_t shader) {
  std::array<char, 1024> log{};
  glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
  return log.data();
}

}  // namespace

GlProgram::GlProgram(std::string_view vertex_source, std::string_view fragment_source)
    : id_(glCreateProgram()) {
  for (const uint32_t shader :
       {Compile(GL_VERTEX_SHADER, vertex_source), Compile(GL_FRAGMENT_SHADER, fragment_source)}) {
    glAttachShader(id_, shader);
    glDeleteShader(shader);  // it lives as long as the program
  }
  glLinkProgram(id_);
}

GlProgram::~GlProgram() {
  if (id_ != 0) glDeleteProgram(id_);  // without a program no context is needed
}

std::string GlProgram::WhyUnusable() const {
  if (id_ == 0) return "there is no program";
  GLint ok = 0;
  glGetProgramiv(id_, GL_LINK_STATUS, &ok);
  if (ok != 0) return {};
  std::array<uint32_t, kShaders> shaders{};
  glGetAttachedShaders(id_, kShaders, nullptr, shaders.data());
  for (const uint32_t shader : shaders) {
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok == 0) return "a shader does not compile: " + LogOf(shader);
  }
  return "the shaders do not link";
}

bool IsSoftwareRenderer(std::string_view name) {
  // Mesa has the first four. The last two are Windows' own; Mesa may stand in front of them and
  // then adds to their names.
  constexpr std::array<std::string_view, 7> kNames = {
      "llvmpipe",    "softpipe",    "swrast",      "Software Rasterizer",
      "SwiftShader", "GDI Generic", "Basic Render"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

std::string_view RendererName() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return name == nullptr ? std::string_view() : name;
}

bool DrawsInSoftware() { return IsSoftwareRenderer(RendererName()); }

}  // namespace stepscope
