// Draws vertices of Dear ImGui's lists without a texture (viewer/gl/solid_fills.h).
#version 330 core
layout(location = 6) in vec2 a_position;  // locations that Dear ImGui's own program does not use
layout(location = 7) in vec4 a_color;
uniform vec4 u_view;  // x, y, width, height of the window, in ImGui coordinates
out vec4 v_color;
void main() {
  vec2 p = (a_position - u_view.xy) / u_view.zw;
  v_color = a_color;
  gl_Position = vec4(p.x * 2.0 - 1.0, 1.0 - p.y * 2.0, 0.0, 1.0);
}
