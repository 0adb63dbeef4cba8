#include "packaging/command_docs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "model/analysis/analysis.h"
#include "viewer/core/panel.h"

namespace stepscope {
namespace {

std::string Replaced(std::string_view text, char what, std::string_view by) {
  std::string out;
  for (const char c : text) {
    if (c == what)
      out += by;
    else
      out += c;
  }
  return out;
}

std::string Joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

// Reads the values that an option takes from the name of its type, where CLI11 lists them:
// "FORMAT:value in {csv->2,text->0} OR …".
std::vector<std::string> ChoicesOf(const std::string& type) {
  std::vector<std::string> choices;
  const size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::string item;
  for (const char c : type.substr(open + 1, close - open - 1) + ",") {
    if (c != ',') {
      item += c;
      continue;
    }
    choices.push_back(item.substr(0, item.find("->")));
    item.clear();
  }
  return choices;
}

// The panels of the window, or of these the ones whose pages a report prints.
std::vector<std::string> PanelIds(bool printed) {
  std::vector<std::string> ids;
  for (const PanelDesc& panel : Panels()) {
    if (!printed || FindAnalysis(panel.id) != nullptr) ids.emplace_back(panel.id);
  }
  return ids;
}

OptionDoc ReadOption(const CLI::Option& option) {
  OptionDoc doc;
  for (const std::string& name : option.get_snames()) doc.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) doc.names.push_back("--" + name);
  doc.what = option.get_description();
  doc.required = option.get_required();
  if (option.get_items_expected_max() == 0) return doc;
  const std::string type = option.get_type_name();
  doc.value = type.substr(0, type.find(':'));
  doc.choices = ChoicesOf(type);
  doc.file = doc.value == "FILE";
  if (option.check_lname("panel")) doc.choices = PanelIds(option.check_lname("page"));
  return doc;
}

std::string Positional(const CLI::Option& option) {
  std::string text = option.get_name(true);
  if (option.get_items_expected_max() > 1) text += "...";
  return option.get_required() ? text : "[" + text + "]";
}

CommandDoc ReadCommand(const CLI::App& app, const std::string& name) {
  CommandDoc doc;
  doc.name = name;
  doc.what = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) {
      doc.options.push_back(ReadOption(*option));
    } else {
      if (!doc.positionals.empty()) doc.positionals += ' ';
      doc.positionals += Positional(*option);
    }
  }
  return doc;
}

// --- The manual page, in the macros of man(7) ---

std::string Roff(std::string_view text) {
  std::string out = Replaced(Replaced(text, '\\', "\\e"), '-', "\\-");
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

void AppendOptions(const CommandDoc& command, std::string* page) {
  for (const OptionDoc& option : command.options) {
    *page += ".TP\n\\fB" + Roff(Joined(option.names, ", ")) + "\\fR";
    if (!option.value.empty()) *page += " \\fI" + Roff(option.value) + "\\fR";
    *page += "\n" + Roff(option.what) + "\n";
    if (!option.choices.empty() && option.what.find(option.choices[0]) == std::string::npos)
      *page += "(" + Roff(Joined(option.choices, ", ")) + ")\n";
  }
}

constexpr const char kManEnd[] = R"(.SH EXIT STATUS
.TP
.B 0
Done; also for a damaged file of which something could be saved.
.TP
.B 1
\fBcheck\fR: B is worse than A by more than allowed.
.TP
.B 2
Wrong usage, or a question that the profile cannot answer.
.TP
.B 3
Nothing usable in the input.
.TP
.B 4
The machine lacks what is needed: no OpenGL, no room to write, no memory.
.SH FILES
.TP
.I ~/.config/stepscope
Settings, layout, recent profiles and markers; \fB$XDG_CONFIG_HOME\fR moves it.
.TP
.I ~/.local/state/stepscope
Reports of crashes, without contents of profiles; \fB$XDG_STATE_HOME\fR moves it.
.SH EXAMPLES
.TP
.B stepscope /tmp/logdir
Open the newest run of a log directory.
.TP
.B stepscope report run.xplane.pb \-\-panel overview
What limits the step time, as text.
.TP
.B stepscope compare before.xplane.pb after.xplane.pb
What changed per step.
)";

// --- Completions ---

std::vector<std::string> NamesOf(const std::vector<CommandDoc>& commands) {
  std::vector<std::string> names;
  for (const CommandDoc& command : commands) {
    if (!command.name.empty()) names.push_back(command.name);
  }
  return names;
}

std::vector<std::string> FlagsOf(const CommandDoc& command) {
  std::vector<std::string> flags;
  for (const OptionDoc& option : command.options)
    flags.insert(flags.end(), option.names.begin(), option.names.end());
  return flags;
}

std::string Quoted(const std::string& text) { return "'" + Replaced(text, '\'', "'\\''") + "'"; }

// Completes the values of options: branches of a bash `case` over "COMMAND:OPTION".
std::string BashValues(const CommandDoc& command) {
  std::string out;
  for (const OptionDoc& option : command.options) {
    if (option.value.empty() || option.file) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) patterns.push_back(command.name + ":" + name);
    out += "    " + Joined(patterns, "|") + ")";
    if (!option.choices.empty())
      out += " COMPREPLY=($(compgen -W " + Quoted(Joined(option.choices, " ")) + " -- \"$cur\"));";
    out += " return ;;\n";
  }
  return out;
}

std::string FilePatterns(const std::vector<CommandDoc>& commands) {
  std::vector<std::string> names;
  for (const CommandDoc& command : commands) {
    for (const OptionDoc& option : command.options) {
      for (const std::string& name : option.names) {
        if (option.file && std::find(names.begin(), names.end(), "*:" + name) == names.end())
          names.push_back("*:" + name);
      }
    }
  }
  return Joined(names, "|");
}

std::string ZshOption(const OptionDoc& option) {
  std::string what = Replaced(Replaced(Replaced(option.what, '[', "\\["), ']', "\\]"), ':', "\\:");
  std::string value;
  if (!option.value.empty()) {
    value = ":" + option.value + ":";
    if (option.file) value += "_files";
    if (!option.choices.empty()) value += "(" + Joined(option.choices, " ") + ")";
  }
  std::string out;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    out += " \\\n        ";
    if (option.names.size() > 1) out += Quoted("(" + Joined(option.names, " ") + ")");
    const char* sign = option.value.empty() ? "" : is_long ? "=" : "+";
    out += Quoted(fmt::format("{}{}[{}]{}", name, sign, what, value));
  }
  return out;
}

std::string FishOption(const CommandDoc& command, const OptionDoc& option) {
  std::string out = "complete -c stepscope -n ";
  out += command.name.empty() ? "__fish_use_subcommand"
                              : Quoted("__fish_seen_subcommand_from " + command.name);
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) out += option.file ? " -r -F" : " -x";
  if (!option.choices.empty()) out += " -a " + Quoted(Joined(option.choices, " "));
  return out + " -d " + Quoted(Replaced(option.what, '\'', "’")) + "\n";
}

}  // namespace

std::vector<CommandDoc> ReadCommands(ProgramCommandDescs commands) {
  CLI::App app;
  CommandLineValues values;
  AddCommandLine(commands, &app, &values);
  std::vector<CommandDoc> docs;
  for (const ProgramCommandDesc* desc : commands) {
    const bool is_program = *desc->name == '\0';
    docs.push_back(ReadCommand(is_program ? app : *app.get_subcommand(desc->name), desc->name));
  }
  return docs;
}

std::string ManPage(const std::vector<CommandDoc>& commands, const std::string& version) {
  std::string page = ".TH STEPSCOPE 1 \"\" \"Stepscope " + version + "\" \"User Commands\"\n";
  page += ".SH NAME\nstepscope \\- viewer of TensorFlow, JAX and PyTorch profiles\n.SH SYNOPSIS\n";
  for (const CommandDoc& command : commands) {
    if (&command != &commands[0]) page += ".br\n";
    page += "\\fBstepscope" + (command.name.empty() ? "" : " " + command.name) +
            "\\fR [\\fIoptions\\fR] " + Roff(command.positionals) + "\n";
  }
  page += ".SH DESCRIPTION\n" + Roff(commands[0].what) +
          "\nWithout a command, a window opens; the commands need no display.\n"
          "A file that is called like a command is written as ./NAME.\n.SH OPTIONS\n";
  AppendOptions(commands[0], &page);
  page += ".SH COMMANDS\n";
  for (size_t i = 1; i < commands.size(); ++i) {
    page += ".SS stepscope " + commands[i].name + " " + Roff(commands[i].positionals) + "\n" +
            Roff(commands[i].what) + ".\n";
    AppendOptions(commands[i], &page);
  }
  return page + kManEnd;
}

std::string BashCompletion(const std::vector<CommandDoc>& commands) {
  const std::string names = Joined(NamesOf(commands), "|");
  std::string out =
      "# Completion of stepscope for bash. Made from its table of options.\n"
      "_stepscope() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $word in " +
      names +
      ") command=$word; break ;; esac\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  case $command:$prev in\n"
      "    " +
      FilePatterns(commands) + ") ;;\n";
  for (const CommandDoc& command : commands) out += BashValues(command);
  out += "    *)\n      if [[ $cur == -* ]]; then\n        case $command in\n";
  for (const CommandDoc& command : commands) {
    out += "          " + (command.name.empty() ? "''" : command.name) +
           ") COMPREPLY=($(compgen -W " + Quoted(Joined(FlagsOf(command), " ")) +
           " -- \"$cur\")) ;;\n";
  }
  out +=
      "        esac\n        return\n      fi\n      [[ $command ]] || COMPREPLY=($(compgen -W " +
      Quoted(Joined(NamesOf(commands), " ")) +
      " -- \"$cur\")) ;;\n  esac\n"
      "  local IFS=$'\\n'\n"
      "  COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
      "  compopt -o filenames 2>/dev/null\n"
      "}\n"
      "complete -F _stepscope stepscope\n";
  return out;
}

std::string ZshCompletion(const std::vector<CommandDoc>& commands) {
  std::string out =
      "#compdef stepscope\n# Made from the program's table of options.\n"
      "_stepscope_first() {\n  local -a commands=(\n";
  for (const CommandDoc& command : commands) {
    if (command.name.empty()) continue;
    out += "    " + Quoted(command.name + ":" + Replaced(command.what, ':', "\\:")) + "\n";
  }
  out += "  )\n  _describe command commands\n  _files\n}\n_stepscope() {\n  case ${words[(r)(" +
         Joined(NamesOf(commands), "|") + ")]} in\n";
  for (const CommandDoc& command : commands) {
    if (command.name.empty()) continue;
    out += "    " + command.name + ")\n      _arguments";
    for (const OptionDoc& option : command.options) out += ZshOption(option);
    out += " \\\n        '*:path:_files' ;;\n";
  }
  out += "    *)\n      _arguments";
  for (const OptionDoc& option : commands[0].options) out += ZshOption(option);
  return out +
         " \\\n        '1: :_stepscope_first' \\\n        '*:path:_files' ;;\n  esac\n}\n"
         "_stepscope \"$@\"\n";
}

std::string FishCompletion(const std::vector<CommandDoc>& commands) {
  std::string out = "# Completion of stepscope for fish. Made from its table of options.\n";
  for (const CommandDoc& command : commands) {
    if (!command.name.empty())
      out += "complete -c stepscope -n __fish_use_subcommand -a " + command.name + " -d " +
             Quoted(command.what) + "\n";
    for (const OptionDoc& option : command.options) out += FishOption(command, option);
  }
  return out;
}

}  // namespace stepscope
