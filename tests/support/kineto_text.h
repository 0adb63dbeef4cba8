// KinetoText: builds the text of a PyTorch trace for a test, event by event; times are in us.
//
//   KinetoText t;
//   t.Host("cpu_op", "aten::mm", 0, 10).Launch(1, 2, 3).Kernel("gemm", 1, 20, 5);
//   LoadBytes("t.json", t.Text(), {})
//
// The host is process 100, its threads 1, 2, ...; the devices are processes 0, 1, ...; streams are
// their threads.
#pragma once

#include <string>

namespace stepscope::test {

class KinetoText {
 public:
  KinetoText& Host(const std::string& category, const std::string& name, double ts, double dur,
                   const std::string& args = "") {
    return Add(category, name, 100, thread_, ts, dur, args);
  }
  // Sets the host's thread of the events that follow.
  KinetoText& Thread(int thread) {
    thread_ = thread;
    return *this;
  }
  KinetoText& Launch(int correlation, double ts, double dur,
                     const std::string& name = "cudaLaunchKernel") {
    return Host("cuda_runtime", name, ts, dur, "\"correlation\":" + std::to_string(correlation));
  }
  // Sets the device and stream of the events that follow.
  KinetoText& On(int device, int stream) {
    device_ = device, stream_ = stream;
    return *this;
  }
  KinetoText& Kernel(const std::string& name, int correlation, double ts, double dur,
                     const std::string& args = "") {
    return Device("kernel", name, correlation, ts, dur, args);
  }
  KinetoText& Device(const std::string& category, const std::string& name, int correlation,
                     double ts, double dur, const std::string& args = "") {
    const std::string more = args.empty() ? "" : "," + args;
    return Add(category, name, device_, stream_, ts, dur,
               "\"correlation\":" + std::to_string(correlation) + ",\"device\":" +
                   std::to_string(device_) + ",\"stream\":" + std::to_string(stream_) + more);
  }
  KinetoText& Raw(const std::string& event) {
    events_ += (events_.empty() ? "" : ",\n") + event;
    return *this;
  }
  std::string Text(const std::string& devices = "") const {
    return "{\"schemaVersion\":1,\"deviceProperties\":[" + devices + "],\"traceEvents\":[\n" +
           events_ + "\n]}";
  }

 private:
  KinetoText& Add(const std::string& category, const std::string& name, int pid, int tid, double ts,
                  double dur, const std::string& args) {
    return Raw("{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name +
               "\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) +
               ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + ",\"args\":{" +
               args + "}}");
  }
  std::string events_;
  int thread_ = 1, device_ = 0, stream_ = 7;
};

inline constexpr const char* kH100 =
    R"({"id":0,"name":"NVIDIA H100 80GB HBM3","totalGlobalMem":85018279936,"numSms":132})";

}  // namespace stepscope::test
