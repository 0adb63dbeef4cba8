// Draws a row of texels (viewer/core/look/texel_sink.h) as slices with gaps between them.
#version 330 core
in vec2 v_texel;
flat in int v_row;
flat in float v_height;
out vec4 o_color;
uniform sampler2D u_rows;      // one texel per pixel column and row; alpha: coverage 6 bits, edge, dimmed
uniform vec3 u_background;     // what dimmed slices fade to
uniform float u_dim;

const int kEdge = 64, kDim = 128, kCoverage = 63;

void main() {
  vec4 t = texelFetch(u_rows, ivec2(int(v_texel.x), v_row), 0);
  int bits = int(t.a * 255.0 + 0.5);
  // The last column of a slice is the gap to the next.
  float alpha = (bits & kEdge) != 0 ? 0.0 : float(bits & kCoverage) / float(kCoverage);
  o_color = vec4(mix(t.rgb, u_background, (bits & kDim) != 0 ? u_dim : 0.0), alpha);
}
