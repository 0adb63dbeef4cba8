// Draws one strip for each visible row of the timeline's canvas, in framebuffer pixels from the top left. Strips leave
// out what no slice covers, because a software renderer pays for every pixel.
#version 330 core
layout(location = 0) in uvec4 a_place;  // first pixel line on the canvas, lines, first line within the row, height
layout(location = 1) in uint a_row;      // row of texels
uniform vec4 u_box;          // x, y, width, height
uniform vec2 u_framebuffer;
uniform vec2 u_scale;        // framebuffer pixels per texel column and line
out vec2 v_texel;            // column, line within the row
flat out int v_row;
flat out float v_height;     // height of the row, in lines
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  float line = float(a_place.y) * corner.y;
  vec2 p = u_box.xy + vec2(corner.x * u_box.z, (float(a_place.x) + line) * u_scale.y);
  v_texel = vec2(corner.x * u_box.z / u_scale.x, float(a_place.z) + line);
  v_row = int(a_row);
  v_height = float(a_place.w);
  gl_Position = vec4(p.x / u_framebuffer.x * 2.0 - 1.0, 1.0 - p.y / u_framebuffer.y * 2.0, 0.0, 1.0);
}
