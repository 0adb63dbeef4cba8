// Draws a row of texels (viewer/core/look/texel_sink.h) as three filled curves on each other: what a device does while
// it is busy. It is a program of its own, because software renderers carry out both sides of a branch.
#version 330 core
in vec2 v_texel;
flat in int v_row;
flat in float v_height;        // height of the row, in lines
out vec4 o_color;
uniform sampler2D u_rows;      // red, green, blue: the curves' heights, from the lowest up, 1 is the row's
uniform vec3 u_stack[3];       // their colours

void main() {
  float from_bottom = v_height - floor(v_texel.y);  // 1 at the lowest line
  vec3 top = ceil(texelFetch(u_rows, ivec2(int(v_texel.x), v_row), 0).rgb * v_height - 0.002);  // as for areas
  vec3 color = from_bottom <= top.r ? u_stack[0] : from_bottom <= top.g ? u_stack[1] : u_stack[2];
  float alpha = from_bottom == top.b ? 0.9 : 0.55;  // a line over washes that can be told apart
  o_color = vec4(color, from_bottom > top.b ? 0.0 : alpha);
}
