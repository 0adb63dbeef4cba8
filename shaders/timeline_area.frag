// Draws a row of texels (viewer/core/look/texel_sink.h) as a filled curve: counters, and previews of folded planes. It
// is a program of its own, because software renderers carry out both sides of a branch.
#version 330 core
in vec2 v_texel;
flat in int v_row;
flat in float v_height;        // height of the row, in lines
out vec4 o_color;
uniform sampler2D u_rows;      // alpha: the curve's height, 1 is the row's

void main() {
  vec4 t = texelFetch(u_rows, ivec2(int(v_texel.x), v_row), 0);
  float from_bottom = v_height - floor(v_texel.y);  // 1 at the lowest line
  float top = ceil(t.a * v_height - 0.002);         // 1/255 of a line is more; rounding errors are less
  float alpha = from_bottom == top ? 0.9 : 0.3;     // a line over a wash
  o_color = vec4(t.rgb, t.a <= 0.0 || from_bottom > top ? 0.0 : alpha);
}
