// Draws slices as timeline_slices.frag does, with the hatching of texels (viewer/core/look/texel_sink.h, Pattern). It
// is a program of its own, so that slices without hatching cost nothing more.
#version 330 core
in vec2 v_texel;
flat in int v_row;
flat in float v_height;
out vec4 o_color;
uniform sampler2D u_rows;      // as in timeline_slices.frag; lowest bits of red and green: the pattern
uniform vec3 u_background;
uniform float u_dim;

const int kEdge = 64, kDim = 128, kCoverage = 63;
const int kPeriod = 7, kStroke = 2;  // pixels

void main() {
  vec4 t = texelFetch(u_rows, ivec2(int(v_texel.x), v_row), 0);
  int bits = int(t.a * 255.0 + 0.5);
  int pattern = (int(t.r * 255.0 + 0.5) & 1) | (int(t.g * 255.0 + 0.5) & 1) << 1;
  ivec2 p = ivec2(v_texel);
  bool rising = (pattern & 1) != 0 && (p.x + p.y) % kPeriod < kStroke;
  bool falling = (pattern & 2) != 0 && (p.x - p.y + 100 * kPeriod) % kPeriod < kStroke;
  vec3 color = rising || falling ? mix(t.rgb, u_background, 0.45) : t.rgb;
  float alpha = (bits & kEdge) != 0 ? 0.0 : float(bits & kCoverage) / float(kCoverage);
  o_color = vec4(mix(color, u_background, (bits & kDim) != 0 ? u_dim : 0.0), alpha);
}
