// Draws the parts of the timeline's canvas that have one colour (viewer/gl/row_texture.h), with solid.frag.
#version 330 core
layout(location = 0) in uvec4 a_place;  // first column, column after the last, first pixel line on the canvas, lines
layout(location = 1) in vec4 a_color;
uniform vec2 u_origin;       // as in timeline.vert
uniform vec2 u_framebuffer;
uniform vec2 u_scale;
out vec4 v_color;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 at = vec2(mix(float(a_place.x), float(a_place.y), corner.x), float(a_place.z) + float(a_place.w) * corner.y);
  vec2 p = u_origin + at * u_scale;
  v_color = a_color;
  gl_Position = vec4(p.x / u_framebuffer.x * 2.0 - 1.0, 1.0 - p.y / u_framebuffer.y * 2.0, 0.0, 1.0);
}
