// Draws rows of texels (viewer/core/look/texel_sink.h) as filled curves on each other: counters, and previews of folded
// planes. It is a program of its own, because software renderers carry out both sides of a branch.
#version 330 core
in vec2 v_texel;
flat in int v_row;
flat in int v_layers;          // curves, from the lowest up
flat in float v_height;        // height of the row, in lines
out vec4 o_color;
uniform sampler2D u_rows;      // alpha: the curve's height, 1 is the row's

void main() {
  float from_bottom = v_height - floor(v_texel.y);  // 1 at the lowest line
  // A line over a wash. Several washes are stronger, because they have to be told apart.
  float wash = v_layers > 1 ? 0.55 : 0.3;
  float highest = ceil(texelFetch(u_rows, ivec2(int(v_texel.x), v_row + v_layers - 1), 0).a * v_height);
  vec4 color = vec4(0.0);
  for (int layer = v_layers - 1; layer >= 0; --layer) {
    vec4 t = texelFetch(u_rows, ivec2(int(v_texel.x), v_row + layer), 0);
    if (t.a > 0.0 && from_bottom <= ceil(t.a * v_height))
      color = vec4(t.rgb, from_bottom == highest ? 0.9 : wash);
  }
  o_color = color;
}
