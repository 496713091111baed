#include <iostream>
#include <memory>

#include "cli/command.h"

namespace kbeval::cli {

namespace {

/// A command's name path ("problems list") with the words that may follow it.
void collect(const CLI::App& app, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& out) {
    std::string words;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        words += sub->get_name() + " ";
    }
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            words += "--" + name + " ";
        }
    }
    out.emplace_back(path, words);
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        collect(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), out);
    }
}

/// Bash function `_kbeval`; zsh runs the same through bashcompinit. Problem ids come from kbeval itself.
std::string bash_script(const std::vector<std::pair<std::string, std::string>>& commands) {
    std::string cases;
    std::string known;
    for (const auto& [path, words] : commands) {
        if (!path.empty()) {
            known += (known.empty() ? "' " : "|' ") + path + " '";
        }
        cases += "    '" + path + "') words='" + words + "' ;;\n";
    }
    return "_kbeval() {\n"
           "  local cur=${COMP_WORDS[COMP_CWORD]} path='' words='' word\n"
           "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
           "    case \" ${path:+$path }$word \" in " +
           known +
           ") path=\"${path:+$path }$word\" ;; esac\n"
           "  done\n"
           "  case $path in\n" +
           cases +
           "  esac\n"
           "  if [[ $path == run || $path == check || $path == 'problems show' ]] && [[ $cur != -* ]]; then\n"
           "    local ids; ids=$(kbeval problems list 2>/dev/null | cut -d' ' -f1)\n"
           "    COMPREPLY=($(compgen -W \"$ids\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
           "  else\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
           "  fi\n"
           "}\n"
           "complete -o filenames -F _kbeval kbeval\n";
}

std::string fish_script(const std::vector<std::pair<std::string, std::string>>& commands) {
    std::string script;
    for (const auto& [path, words] : commands) {
        const std::string last = path.substr(path.rfind(' ') == std::string::npos ? 0 : path.rfind(' ') + 1);
        const std::string when =
            path.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + last;
        script += "complete -c kbeval -n '" + when + "' -a '" + words + "'\n";
    }
    return script +
           "complete -c kbeval -n '__fish_seen_subcommand_from run check show' -a "
           "'(kbeval problems list 2>/dev/null | string split -f1 \" \")'\n";
}

}  // namespace

void add_completion(CLI::App& app, Action& chosen) {
    const auto shell = std::make_shared<std::string>();
    CLI::App* const command = app.add_subcommand("completion", "Print a completion script for a shell");
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->footer(
        "Examples:\n"
        "  kbeval completion bash > ~/.local/share/bash-completion/completions/kbeval\n"
        "  source <(kbeval completion zsh)\n"
        "  kbeval completion fish > ~/.config/fish/completions/kbeval.fish");
    command->callback([&app, &chosen, shell] {
        chosen = [&app, shell] {
            std::vector<std::pair<std::string, std::string>> commands;
            collect(app, "", commands);
            if (*shell == "zsh") {
                std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
            }
            std::cout << (*shell == "fish" ? fish_script(commands) : bash_script(commands));
            return exit_success;
        };
    });
}

}  // namespace kbeval::cli
