"""`nonstop completion`: the script that makes a shell complete commands, options, files and studies; its answers."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import redirect_stderr, suppress
from typing import Final

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class, split_arg_string

#: If this is set, `nonstop` answers a shell and does nothing else: SHELL_complete or SHELL_source.
VARIABLE: Final = "_NONSTOP_COMPLETE"
SHELLS: Final = ("bash", "zsh", "fish")

_INSTRUCTIONS: Final = {
    "bash": """\
# Completion of nonstop in bash. For this shell:         source <(nonstop completion bash)
# For every new one:   nonstop completion bash > ~/.nonstop-complete.bash
#                      echo 'source ~/.nonstop-complete.bash' >> ~/.bashrc
""",
    "zsh": """\
#compdef nonstop
# Completion of nonstop in zsh. For this shell, after compinit:     source <(nonstop completion zsh)
# For every new one:   nonstop completion zsh > ~/.nonstop-complete.zsh
#                      echo 'source ~/.nonstop-complete.zsh' >> ~/.zshrc
""",
    "fish": """\
# Completion of nonstop in fish. For this shell:         nonstop completion fish | source
# For every new one:   nonstop completion fish > ~/.config/fish/completions/nonstop.fish
""",
}

# Bash takes : and = for ends of words, so that `sqlite:///runs.db` would be three of them: here the line up to the
# cursor is parsed as a whole, and what bash believes to be finished is taken off the answers.
_BASH: Final = """\
_nonstop_completion() {
    local kind value
    COMPREPLY=()
    while IFS=$'\\t' read -r kind value; do
        [[ -n $value ]] && COMPREPLY+=("$value")
        [[ $kind == part ]] && compopt -o nospace 2>/dev/null
    done < <(_NONSTOP_COMPLETE=bash_complete NONSTOP_LINE="${COMP_LINE:0:COMP_POINT}" \\
        NONSTOP_BREAKS="$COMP_WORDBREAKS" "$1" 2>/dev/null)
}
complete -o nosort -F _nonstop_completion nonstop 2>/dev/null || complete -F _nonstop_completion nonstop
"""
_UNSAFE: Final = re.compile(r"[^\w@%+=:,./-]")


class BashCompletion(ShellComplete):
    """Answers the script above."""

    name = "bash"
    source_template = _BASH.replace("%", "%%")

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the cursor, and the part of a word at the cursor."""
        line = os.environ["NONSTOP_LINE"]
        words = split_arg_string(line)
        # After a space a word begins, unless the space is quoted: then splitting a longer line gives as many words.
        begins = not words or len(split_arg_string(f"{line}x")) > len(words)
        return (words[1:], "") if begins else (words[1:-1], words[-1])

    def complete(self) -> str:
        """One line for each item: its kind, and what bash is to insert."""
        args, typed = self.get_completion_args()
        items = self.get_completions(args, typed)
        value, breaks = typed, os.environ.get("NONSTOP_BREAKS", ":=")
        if typed.startswith("--") and "=" in typed:  # --rule=ucb: click offers the values
            value = typed.partition("=")[2]
        before = "" if "=" in breaks else typed.removesuffix(value)
        finished = max(value.rfind(character) + 1 if character in breaks else 0 for character in ":=")
        quoted = _unchanged if _is_inside_quotes(os.environ["NONSTOP_LINE"]) else _escaped
        found = ((item.type, quoted(before + item.value[finished:])) for item in items if item.value.startswith(value))
        return "\n".join(f"{kind}\t{insertion}" for kind, insertion in found if insertion)

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Not used: complete() writes the lines."""
        return item.value


def _is_inside_quotes(line: str) -> bool:
    try:
        shlex.split(line)
    except ValueError as error:
        return "quotation" in str(error)
    return False


def _escaped(value: str) -> str:
    """Every character that means something to the shell behind a backslash: names may come from others."""
    return _UNSAFE.sub(lambda found: f"\\{found[0]}", value)


def _unchanged(value: str) -> str:
    """Inside quotes, only what no kind of quotes changes."""
    return "" if _UNSAFE.search(value.replace(" ", "")) else value


@click.command(
    epilog="\b\nExamples:\n  source <(nonstop completion bash)\n  nonstop completion zsh > ~/.nonstop-complete.zsh"
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that makes a shell complete.

    It completes commands, options, study files, rules, surrogates, engines and the studies of a storage. The first
    lines of the script say where to put it."""
    click.echo(script(shell), nl=False)


def script(shell: str) -> str:
    """What the shell is to source, with instructions as its first lines."""
    source = _completion_class(shell, ours=True)(click.Group(), {}, "nonstop", VARIABLE).source()
    return _INSTRUCTIONS[shell] + source.removeprefix("#compdef nonstop\n")


def answer(app: click.Group, instruction: str) -> None:
    """Print what a shell may insert (SHELL_complete), or its script (SHELL_source, as in other programs of click).

    Nothing if anything goes wrong, as somebody is typing."""
    shell, _, wanted = instruction.partition("_")
    with suppress(Exception), open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):  # noqa: PTH123
        ours = wanted == "source" or "NONSTOP_LINE" in os.environ  # else the script is click's, of an earlier version
        completer = _completion_class(shell, ours)(app, {}, "nonstop", VARIABLE)
        click.echo(script(shell) if wanted == "source" else completer.complete())


def _completion_class(shell: str, ours: bool) -> type[ShellComplete]:
    """What knows the shell: ours for bash, that of click for others; ValueError if nothing does."""
    found = BashCompletion if shell == "bash" and ours else get_completion_class(shell)
    if found is None:
        raise ValueError(f"no completion for {shell!r}")
    return found
