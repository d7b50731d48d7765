"""Tests the man page and the completions: test_manual.py COMMAND MODELS_FOLDER MANUAL_FOLDER. Prints TAP.

They are made of the command's tables, so that they hold what its help does; that shells and `man` take them is seen here.
"""
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from command_harness import COMMAND, finish, run, tell, write

MANUAL = os.path.abspath(sys.argv[3])
COMMANDS = json.loads(run("help", "--json").stdout)["commands"]
LEVELS = json.loads(run("help", "--json").stdout)["levels"]
DEVICES = re.findall(r"^\S.*", run("devices").stdout, re.MULTILINE)


def options_of(command):
    """The long options that a command's help shows, each by its first name."""
    text = run(command["name"], "--help").stdout
    return set(re.findall(r"^  (?:-., |    )(--[\w-]+)", text, re.MULTILINE))


def read(name):
    with open(os.path.join(MANUAL, name)) as file:
        return file.read()


def tagged(page):
    """The first long option of each paragraph that has one beside it."""
    tags = re.findall(r"^\.TP\n(.*)$", page, re.MULTILINE)
    return {re.search(r"(?<!\w)--[\w-]+", tag.replace("\\-", "-").replace("\\fB", "")).group() for tag in tags}


def test_man_page():
    page = os.path.join(MANUAL, "vkdml.1")
    for checker in (["mandoc", "-Tlint", "-Wstyle", page], ["groff", "-man", "-ww", "-z", page]):
        found = subprocess.run(checker, capture_output=True, text=True)
        tell(found.returncode == 0 and not found.stdout + found.stderr, f"{checker[0]} finds nothing amiss", found)
    sections = dict(re.findall(r"^\.SS vkdml (\w+)(.*?)(?=^\.S[SH])", read("vkdml.1"), re.MULTILINE | re.DOTALL))
    tell(set(sections) == {command["name"] for command in COMMANDS} | {"help"}, "the man page has every command", sections)
    for command in COMMANDS:
        shown = tagged(sections[command["name"]])
        wanted = options_of(command)
        tell(len(wanted) > 0 and shown == wanted, f"the man page has the options of {command['name']}", shown ^ wanted)
    refused = {"--" + option["name"] for command in COMMANDS for option in command["options"]
               if command["name"] == "run" and "refusal" in option}
    listed = read("vkdml.1").split(".SH COMING FROM DXDISPATCH")[1].split(".SH ")[0]
    tell(len(refused) > 10 and refused == tagged(listed),
         "and those of DxDispatch that are refused", refused)


def complete_in_bash(*words, cwd=None):
    """What bash offers for the last of the words."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vkdml; printf "%s\\n" "${COMPREPLY[@]}"'
    result = subprocess.run(["bash", "--norc", "--noprofile", "-c", script, "bash", os.path.join(MANUAL, "vkdml"), COMMAND,
                             *words], cwd=cwd, capture_output=True, text=True)
    tell(result.returncode == 0 and not result.stderr, f"bash completes `vkdml {' '.join(words)}`", result.stderr)
    return set(filter(None, result.stdout.split("\n")))


def expect_offer(offered, wanted, name):
    tell(offered == wanted, name, f"offered: {sorted(offered)}\nwanted: {sorted(wanted)}")


def test_bash(folder):
    names = {command["name"] for command in COMMANDS} | {"help"}
    for name in ("a.json", "b c.json", "d.onnx", "other.txt"):
        write(folder, name, "{}")
    os.mkdir(os.path.join(folder, "models"))
    models = {"a.json", "b c.json", "d.onnx", "models"}
    expect_offer(complete_in_bash("", cwd=folder), names | models, "commands and models come first")
    expect_offer(complete_in_bash("op", cwd=folder), {"operators"}, "the command that begins so")
    expect_offer(complete_in_bash("help", "r"), {"run"}, "commands whose help there is")
    for command in COMMANDS:
        expect_offer(complete_in_bash(command["name"], "--"), options_of(command),
                     f"every option of {command['name']}, and no other")
    expect_offer(complete_in_bash("run", "", cwd=folder), models, "models to run")
    expect_offer(complete_in_bash("run", "--output_path", "", cwd=folder), {"models"}, "folders to write to")
    expect_offer(complete_in_bash("bench", "--json", "o", cwd=folder), {"other.txt"}, "files to write")
    expect_offer(complete_in_bash("run", "-i", ""), set(), "nothing for a number")
    expect_offer(complete_in_bash("check", "--level", ""), set(LEVELS), "levels")
    for option in ("-a", "--adapter", "--device"):
        expect_offer(complete_in_bash("run", option, ""), set(map(shlex_bash, DEVICES)), f"devices after {option}")
    expect_offer(complete_in_bash("--post_dispatch_barriers", "=", "uav"), {"uav", "uav+aliasing"},
                 "alternatives, after = too, and without the name `run`")
    expect_offer(complete_in_bash("operators", "GEM"), {"GEMM"}, "operators")
    expect_offer(complete_in_bash("exec", "printen") & {"printenv"}, {"printenv"}, "programs")
    expect_offer(complete_in_bash("exec", "python", "o", cwd=folder) & {"other.txt"}, {"other.txt"}, "files for a program")


def shlex_bash(text):
    """As bash's printf %q quotes."""
    return subprocess.run(["bash", "-c", 'printf %q "$1"', "bash", text], capture_output=True, text=True).stdout


class Zsh:
    """An interactive zsh on a terminal of its own, with the completion loaded."""

    def __init__(self, folder):
        environment = {**os.environ, "TERM": "dumb", "PATH": os.path.dirname(COMMAND) + ":" + os.environ["PATH"]}
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], environment)
        # A key that prints the line as it is then, and empties it.
        self.send("PS1= PS2= RPS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp; setopt no_beep no_auto_menu; "
                  "show() { print -r -- \"<<$BUFFER>>\"; BUFFER= }; zle -N show; bindkey '^X' show; "
                  f"fpath=({shlex.quote(MANUAL)} $fpath); autoload -Uz compinit; compinit -u -D; print re''ady\n")
        self.read_until("ready")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, end):
        """What comes until the end is seen, or the shell has ended."""
        text = ""
        while not re.search(end, text):
            try:
                text += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                break
        return text

    def complete(self, line):
        """The line after a tab."""
        self.send(line + "\t\x18")
        text = self.read_until("<<.*>>")
        found = re.search("<<(.*)>>", text)
        return found.group(1) if found else text

    def close(self):
        self.send("exit\n")
        os.close(self.terminal)
        os.waitpid(self.child, 0)


def test_zsh(folder):
    script = read("_vkdml")
    found = subprocess.run(["zsh", "-n", os.path.join(MANUAL, "_vkdml")], capture_output=True, text=True)
    tell(found.returncode == 0 and not found.stderr, "zsh takes the completion", found)
    cases = dict(re.findall(r"^    (\w+)\)\n(.*?) ;;$", script, re.MULTILINE | re.DOTALL))
    for command in COMMANDS:
        # The first long name of each line.
        shown = {re.search(r"(?<![\w-])--[\w-]+", line).group() for line in cases[command["name"]].splitlines()
                 if "--" in line}
        wanted = options_of(command)
        tell(shown == wanted, f"zsh's completion has the options of {command['name']}", shown ^ wanted)
    write(folder, "only.json", "{}")
    shell = Zsh(folder)
    for line, wanted in {
        "vkdml oper": "vkdml operators ",
        "vkdml run --dispatch_it": "vkdml run --dispatch_iterations=",
        "vkdml --print_c": "vkdml --print_commands ",
        "vkdml run --post_dispatch_barriers=no": "vkdml run --post_dispatch_barriers=none ",
        "vkdml operators DIAGONAL_MATRIX1": "vkdml operators DIAGONAL_MATRIX1 ",
        "vkdml bench -a refer": "vkdml bench -a reference ",
        "vkdml check onl": "vkdml check only.json ",
        "vkdml help devi": "vkdml help devices ",
        "vkdml exec --software printen": "vkdml exec --software printenv ",
        "vkdml exec cat onl": "vkdml exec cat only.json ",
    }.items():
        completed = shell.complete(line)
        tell(completed == wanted, f"zsh completes `{line}`", completed)
    shell.close()


def main():
    missing = [name for name in ("bash", "zsh", "mandoc", "groff") if not shutil.which(name)]
    if missing:
        sys.exit(f"install {', '.join(missing)}")
    test_man_page()
    with tempfile.TemporaryDirectory() as folder:
        test_bash(folder)
    with tempfile.TemporaryDirectory() as folder:
        test_zsh(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
