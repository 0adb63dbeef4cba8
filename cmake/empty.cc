// The one source of a target that only has a precompiled header.
