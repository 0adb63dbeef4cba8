// Draws the strips of the visible rows of the timeline's canvas, in framebuffer pixels from the top left. Strips leave
// out long parts that nothing covers, because a software renderer pays for every pixel.
#version 330 core
layout(location = 0) in uvec4 a_place;  // first pixel line on the canvas, lines, first line within the row, height
layout(location = 1) in uvec3 a_row;     // row of texels, first column, column after the last
uniform vec2 u_origin;       // of the canvas
uniform vec2 u_framebuffer;
uniform vec2 u_scale;        // framebuffer pixels per texel column and line
out vec2 v_texel;            // column, line within the row
flat out int v_row;
flat out float v_height;     // height of the row, in lines
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  float line = float(a_place.y) * corner.y;
  float column = mix(float(a_row.y), float(a_row.z), corner.x);
  vec2 p = u_origin + vec2(column, float(a_place.x) + line) * u_scale;
  v_texel = vec2(column, float(a_place.z) + line);
  v_row = int(a_row.x);
  v_height = float(a_place.w);
  gl_Position = vec4(p.x / u_framebuffer.x * 2.0 - 1.0, 1.0 - p.y / u_framebuffer.y * 2.0, 0.0, 1.0);
}
