// Our configuration of Dear ImGui (IMGUI_USER_CONFIG), the same for all that include it.
#pragma once

// Lets a draw list have more than 65,536 vertices without help from the backend.
#define ImDrawIdx unsigned int
#define IMGUI_DISABLE_OBSOLETE_FUNCTIONS
#define IMGUI_DISABLE_DEMO_WINDOWS
#ifndef IMGUI_DEFINE_MATH_OPERATORS
#define IMGUI_DEFINE_MATH_OPERATORS
#endif

// Only for the copy of ImGui that UI tests link (target imgui_tested).
#ifdef STEPSCOPE_IMGUI_TEST_ENGINE
#include "imgui_te_imconfig.h"
#endif
