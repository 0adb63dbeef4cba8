// Draws vertices of Dear ImGui's lists without a texture (viewer/gl/solid_fills.h).
#version 330 core
layout(location = 6) in vec2 a_position;  // locations that Dear ImGui's own program does not use
layout(location = 7) in vec4 a_color;
uniform mat4 u_projection;  // that of Dear ImGui, so that edges fall on the same pixels
out vec4 v_color;
void main() {
  v_color = a_color;
  gl_Position = u_projection * vec4(a_position, 0.0, 1.0);
}
