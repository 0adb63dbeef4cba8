// A row of texels (viewer/core/texel_sink.h) to a filled curve: counters, and previews of folded planes. A
// program of its own, as software renderers carry out both sides of a branch.
#version 330 core
in vec2 v_texel;
flat in int v_row;
flat in float v_height;        // of the row, in lines
out vec4 o_color;
uniform sampler2D u_rows;      // alpha: the curve's height, 1 is the row's

void main() {
  vec4 t = texelFetch(u_rows, ivec2(int(v_texel.x), v_row), 0);
  float from_bottom = v_height - floor(v_texel.y);  // 1 at the lowest line
  float top = ceil(t.a * v_height);
  float alpha = from_bottom == top ? 0.9 : 0.3;     // a line over a wash
  o_color = vec4(t.rgb, t.a <= 0.0 || from_bottom > top ? 0.0 : alpha);
}
