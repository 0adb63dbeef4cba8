// In AddressSanitizer builds no library is unloaded: LeakSanitizer looks at the end, and what a
// graphics driver leaked is known as the driver's (tests/lsan.supp) only while it is mapped. Mesa
// unloads itself in eglTerminate; its frames then read "<unknown module>".
extern "C" int dlclose(void* handle);

extern "C" __attribute__((visibility("default"))) int dlclose(void* /*handle*/) { return 0; }
