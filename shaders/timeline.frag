// Rows of texels (viewer/timeline/texel_sink.h) to pixels: which row a pixel line shows comes from a second
// texture, so that rows of any height, gaps and previews are one draw call.
#version 330 core
in vec2 v_pixel;
out vec4 o_color;
uniform sampler2D u_rows;      // one texel per pixel column and row; alpha: coverage 6 bits, edge, dimmed
uniform usampler2D u_lines;    // per pixel line: row, line within the row, height of the row, kind
uniform vec3 u_background;     // what dimmed slices fade to
uniform float u_dim;
uniform vec2 u_scale;          // framebuffer pixels per texel column and line

const uint kNone = 0u, kSlices = 1u, kArea = 2u;
const int kEdge = 64, kDim = 128, kCoverage = 63;

vec4 Slice(vec4 t, uvec4 line) {
  int bits = int(t.a * 255.0 + 0.5);
  // The last line of a row and the last column of a slice are gaps.
  if (line.y + 1u >= line.z || (bits & kEdge) != 0) return vec4(0.0);
  float alpha = float(bits & kCoverage) / float(kCoverage);
  vec3 color = t.rgb;
  if ((bits & kDim) != 0) color = mix(color, u_background, u_dim);
  return vec4(color, alpha);
}

vec4 Area(vec4 t, uvec4 line) {
  float from_bottom = float(line.z) - float(line.y);   // 1 at the lowest line
  float top = ceil(t.a * float(line.z));
  if (t.a <= 0.0 || from_bottom > top) return vec4(0.0);
  return vec4(t.rgb, from_bottom == top ? 0.9 : 0.3);  // a line over a wash
}

void main() {
  ivec2 p = ivec2(v_pixel / u_scale);
  ivec2 size = textureSize(u_lines, 0);
  if (p.y >= size.x) discard;
  uvec4 line = texelFetch(u_lines, ivec2(p.y, 0), 0);
  if (line.w == kNone) discard;
  vec4 t = texelFetch(u_rows, ivec2(p.x, int(line.x)), 0);
  o_color = line.w == kArea ? Area(t, line) : Slice(t, line);
}
