// In AddressSanitizer builds no library is unloaded. LeakSanitizer looks for leaks at the end and
// knows those of a graphics driver (tests/lsan.supp) only while the driver is mapped. Mesa
// unloads itself in eglTerminate; its frames then read "<unknown module>".
extern "C" int dlclose(void* handle);

extern "C" __attribute__((visibility("default"))) int dlclose(void* /*handle*/) { return 0; }
