// The colour alone: a software renderer pays for every look at a texture.
#version 330 core
in vec4 v_color;
out vec4 o_color;
void main() { o_color = v_color; }
