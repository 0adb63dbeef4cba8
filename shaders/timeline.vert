// One quad over the canvas of the timeline, in framebuffer pixels from the top left.
#version 330 core
uniform vec4 u_box;      // x, y, width, height
uniform vec2 u_framebuffer;
out vec2 v_pixel;        // within the canvas
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 p = u_box.xy + corner * u_box.zw;
  v_pixel = corner * u_box.zw;
  gl_Position = vec4(p.x / u_framebuffer.x * 2.0 - 1.0, 1.0 - p.y / u_framebuffer.y * 2.0, 0.0, 1.0);
}
