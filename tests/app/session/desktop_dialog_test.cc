// The arguments of the desktop's dialog have the words and endings of the loaders.
#include "app/session/desktop.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "loaders/loader.h"

namespace stepscope {
namespace {

bool HasWith(const std::vector<std::string>& arguments, const std::string& begin,
             const std::string& inside) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return argument.starts_with(begin) && argument.find(inside) != std::string::npos;
  });
}

TEST_CASE("desktop dialog: files are filtered by what each loader reads") {
  const auto zenity = DialogArguments(DialogProgram::kZenity, false);
  const auto kdialog = DialogArguments(DialogProgram::kKdialog, false);
  for (const LoaderDesc* loader : Loaders()) {
    const std::string filter = loader->filter;
    for (const std::string& ending : ReadEndings(*loader)) {
      CAPTURE(ending);
      CHECK(HasWith(zenity, "--file-filter=" + filter + " | ", "*" + ending));
      CHECK(HasWith(zenity, "--file-filter=All profiles | ", "*" + ending));
      CHECK(kdialog.back().find("*" + ending) != std::string::npos);
    }
    CHECK(kdialog.back().find(filter + " (*") != std::string::npos);
  }
  CHECK(HasWith(zenity, "--file-filter=All files | *", ""));
  CHECK_FALSE(HasWith(zenity, "--file-filter", ".SSTABLE"));
  CHECK(HasWith(zenity, "--multiple", ""));
}

TEST_CASE("desktop dialog: folders have no filter") {
  for (const DialogProgram program : {DialogProgram::kZenity, DialogProgram::kKdialog})
    CHECK_FALSE(HasWith(DialogArguments(program, true), "", ".xplane.pb"));
  CHECK(HasWith(DialogArguments(DialogProgram::kZenity, true), "--directory", ""));
}

}  // namespace
}  // namespace stepscope
