"""Makes the vkdml command's man page and its completions for bash and zsh of what it says of itself.

manual.py COMMAND FOLDER: writes vkdml.1, vkdml (bash) and _vkdml (zsh), of the templates beside this file.
"""
import json
import os
import re
import subprocess
import sys
import textwrap

# How zsh completes an argument of a kind; bash has the same by name in vkdml.bash.in.
ZSH_ACTIONS = {"text": " ", "file": "_files", "model": '_files -g "*.(json|onnx)"', "folder": "_files -/",
               "device": "_vkdml_devices", "operator": "_vkdml_operators", "program": "_normal"}


def options_of(command):
    """Those that it has; others are in the table with the reason for refusing them."""
    return [option for option in command["options"] if "refusal" not in option]


def spellings(option):
    """-a, --adapter, --device"""
    letter = ["-" + option["letter"]] if "letter" in option else []
    return letter + ["--" + option[key] for key in ("name", "alias") if key in option]


def alternatives(option, levels):
    """What an argument can be, where that is a list."""
    if option.get("kind") == "level":
        return levels
    argument = option.get("argument", "")
    return argument.split("|") if "|" in argument or argument.islower() else []


# The man page.

def roff(text):
    """Text for troff; what is `quoted` is bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub("`([^`]*)`", r"\\fB\1\\fR", text)
    lines = textwrap.wrap(text, 78, break_long_words=False, break_on_hyphens=False)
    return "\n".join(("\\&" if line[:1] in ".'" else "") + line for line in lines)


def man_option(option):
    words = ", ".join(f"\\fB{roff(word)}\\fR" for word in spellings(option))
    argument = f" \\fI{roff(option['argument'])}\\fR" if "argument" in option else ""
    return f".TP\n{words}{argument}\n{roff(option['text'])}\n"


def man_command(command):
    operands = " " + command["operands"] if "operands" in command else ""
    paragraphs = "\n.PP\n".join(roff(part) for part in command["description"].split("\n"))
    return (f".SS vkdml {command['name']} [OPTION]..{roff(operands)}\n{paragraphs}\n"
            + "".join(man_option(option) for option in options_of(command)))


def man_refusals(command):
    return "".join(f".TP\n{', '.join(f'{chr(92)}fB{roff(word)}{chr(92)}fR' for word in spellings(option))}\n"
                   f"{roff(option['refusal'])}\n" for option in command["options"] if "refusal" in option)


def man_page(manual, template):
    commands = {command["name"]: command for command in manual["commands"]}
    return (template.replace("@VERSION@", manual["version"])
            .replace("@COMMANDS@\n", "".join(man_command(command) for command in commands.values()))
            .replace("@REFUSALS@\n", man_refusals(commands["run"])))


# The completion for bash.

def bash_case(command, levels):
    """The lines of a `case` over "COMMAND OPTION" that say what the option's argument is."""
    lines = []
    for option in options_of(command):
        if "argument" in option:
            words = alternatives(option, levels)
            does = f"_vkdml_words '{' '.join(words)}'" if words else f"_vkdml_{option['kind']}"
            patterns = "|".join(f"'{command['name']} {word}'" for word in spellings(option))
            lines.append(f"    {patterns}) {does} ;;\n")
    return "".join(lines)


def bash_completion(manual, template):
    commands = manual["commands"]
    options = "".join(f"    {command['name']}) _vkdml_words '"
                      f"{' '.join('--' + option['name'] for option in options_of(command))}' ;;\n"
                      for command in commands)
    operands = "".join(f"    {command['name']}) _vkdml_{command['kind']} ;;\n" for command in commands
                       if "operands" in command)
    return (template.replace("@NAMES@", " ".join([command["name"] for command in commands] + ["help"]))
            .replace("@ARGUMENTS@\n", "".join(bash_case(command, manual["levels"]) for command in commands))
            .replace("@OPTIONS@\n", options).replace("@OPERANDS@\n", operands))


# The completion for zsh.

def zsh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_option(option, levels):
    """'(-a --adapter)'{-a+,--adapter=}'[text]:TEXT:action'"""
    words = spellings(option)
    text = re.sub(r"([\[\]:\\])", r"\\\1", option["text"].replace("`", ""))
    end = f"[{text}]"
    if "argument" in option:
        words = [word + ("=" if word.startswith("--") else "+") for word in words]
        listed = alternatives(option, levels)
        action = f"({' '.join(listed)})" if listed else ZSH_ACTIONS[option["kind"]]
        end += f":{option['argument'].replace(':', ' ')}:{action}"
    if len(words) == 1:
        return f"      {zsh_quote(words[0] + end)}"
    return f"      '({' '.join(spellings(option))})'{{{','.join(words)}}}{zsh_quote(end)}"


def zsh_case(command, levels):
    specs = [zsh_option(option, levels) for option in options_of(command)]
    if "operands" in command:
        rest = "*::" if command["kind"] == "program" else "*:"  # a program's arguments are completed as that program's
        specs.append("      " + zsh_quote(f"{rest}{command['operands']}:{ZSH_ACTIONS[command['kind']]}"))
    return f"    {command['name']})\n      _arguments -s -S : \\\n" + " \\\n".join("  " + spec for spec in specs) + " ;;\n"


def zsh_completion(manual, template):
    commands = manual["commands"]
    names = "".join(f"    {zsh_quote(command['name'] + ':' + command['summary'])}\n" for command in commands)
    return (template.replace("@NAMES@\n", names)
            .replace("@CASES@\n", "".join(zsh_case(command, manual["levels"]) for command in commands)))


def main():
    command, folder = sys.argv[1:]
    manual = json.loads(subprocess.run([command, "help", "--json"], check=True, capture_output=True, text=True).stdout)
    here = os.path.dirname(os.path.abspath(__file__))
    for name, template, make in (("vkdml.1", "vkdml.1.in", man_page), ("vkdml", "vkdml.bash.in", bash_completion),
                                 ("_vkdml", "_vkdml.in", zsh_completion)):
        with open(os.path.join(here, template)) as file:
            text = make(manual, file.read())
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
