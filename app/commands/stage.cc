#include "app/commands/stage.h"

#include <epoxy/gl.h>

#include <utility>

#include "app/commands/profile_input.h"
#include "app/system/output.h"
#include "app/system/paths.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

Stage::Stage()
    : store_({}), session_(scheduler_, store_, {[this] { waker_.Wake(); }, {}, {}, {}}) {}

Stage::~Stage() = default;

void Stage::Open(const InputOptions& input) { OpenCommandLine(input, session_); }

Status Stage::Show(const PictureOptions& options, bool real_window) {
  GuiConfig config;
  config.animate = false;
  if (!options.theme.empty()) {
    const SettingDesc& theme = SettingDescOf(&Settings::theme);
    if (!SetSetting(theme, options.theme, &config.settings)) {
      return Status(ErrorCode::kUsage,
                    "--theme " + options.theme + ": there is " + JoinedChoices(theme.member));
    }
  }
  const PixelSize size{options.width, options.height};
  if (real_window) {
    Result<std::unique_ptr<Window>> window =
        Window::Create({.width = size.width, .height = size.height}, waker_);
    if (!window.ok()) return window.status();
    surface_ = std::move(window).value();
  } else {
    Result<std::unique_ptr<HeadlessSurface>> headless =
        HeadlessSurface::Create(size, static_cast<float>(options.scale), waker_);
    if (!headless.ok()) return headless.status();
    headless_ = headless.value().get();
    surface_ = std::move(headless).value();
  }
  gui_ = std::make_unique<Gui>(*surface_, session_, store_, std::move(config));
  return Status::Ok();
}

bool WritesVectors(const std::string& path) { return path.ends_with(".svg"); }

Status SaveFrame(Stage& stage, const std::string& path) {
  Image picture;
  const bool vectors = WritesVectors(path);
  stage.gui().DrawFrame(vectors ? nullptr : &picture);
  if (!vectors) return WritePng(picture, path);
  const std::string svg = stage.gui().viewer().TimelineSvg();
  if (svg.empty()) {
    return Status(ErrorCode::kUsage, path + ": no timeline is in sight; choose a larger --size");
  }
  if (WriteFileAtomically(path, svg)) return Status::Ok();
  return Status(ErrorCode::kIo, path + ": the picture cannot be written; choose another place");
}

int FailStage(const Status& status) {
  LogError(status.message());
  return status.code() == ErrorCode::kUnsupported ? kExitNoResource : ExitCodeOf(status);
}

void Stage::DrawNoPixels() { glEnable(GL_RASTERIZER_DISCARD); }

void Stage::UseFixedTime() {
  if (headless_) headless_->set_frame_seconds(1.0f / 60);
}

}  // namespace stepscope
