"""``duetpy completion bash|zsh|fish``: a script that completes commands, options and their values in a shell.

The script is made of the command line's own grammar, so it knows what this version knows.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from attrs import evolve, frozen

if TYPE_CHECKING:
    from duetpy.cli.console import Console

SHELLS = ("bash", "zsh", "fish")

_PLAIN = re.compile(r"[A-Za-z0-9-]+")
"""Words that no shell reads as anything else."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell to complete in")
    parser.epilog = (
        'bash: put eval "$(duetpy completion bash)" into ~/.bashrc\n'
        'zsh:  put eval "$(duetpy completion zsh)" into ~/.zshrc, after compinit\n'
        "fish: duetpy completion fish > ~/.config/fish/completions/duetpy.fish"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.cli.commands import COMMANDS, command_of

    grammars = [_grammar(name, summary, command_of(name).configure) for name, summary in COMMANDS.items()]
    console.out_as_laid_out(
        fish(grammars) if arguments.shell == "fish" else bash(grammars, is_zsh=arguments.shell == "zsh")
    )
    return 0


@frozen
class Option:
    """An option by its names, with the values that it takes: None if it takes none, empty if it takes any."""

    names: tuple[str, ...]
    values: tuple[str, ...] | None
    help: str


@frozen
class Grammar:
    """What may follow a command: options, and words in its place."""

    name: str
    summary: str
    options: tuple[Option, ...]
    words: tuple[str, ...]


def _grammar(name: str, summary: str, configured: Callable[[argparse.ArgumentParser], None]) -> Grammar:
    parser = argparse.ArgumentParser(name)
    configured(parser)
    options: dict[str, Option] = {}
    for option in _options(parser):
        known = options.get(option.names[-1], option)
        values = None if option.values is None else tuple(dict.fromkeys((*(known.values or ()), *option.values)))
        options[option.names[-1]] = evolve(option, values=values)
    return Grammar(name, summary, tuple(options.values()), tuple(dict.fromkeys(_words(name, parser))))


def _options(parser: argparse.ArgumentParser) -> Iterator[Option]:
    """The options of a command, and of the actions that it has."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _options(below)
        elif action.option_strings and action.help != argparse.SUPPRESS:
            values = None if action.nargs == 0 else tuple(map(str, action.choices or ()))
            yield Option(tuple(action.option_strings), values, (action.help or "").replace("%%", "%"))


def _words(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if not action.option_strings and action.choices:
            yield from map(str, action.choices)
    if name == "explain":
        from duetpy.cli.explain import subjects

        yield from (word for word in subjects() if _PLAIN.fullmatch(word))


# ---------------------------------------------------------------------------------------------------------------------
# Shells


def bash(grammars: list[Grammar], *, is_zsh: bool = False) -> str:
    """A script for bash; in zsh the same through ``bashcompinit``."""
    names = " ".join(grammar.name for grammar in grammars)
    lines = ["autoload -U +X bashcompinit && bashcompinit"] if is_zsh else []
    lines += [
        "_duetpy() {",
        '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" options="" words=""',
        "  COMPREPLY=()",
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f'    COMPREPLY=($(compgen -W "{names} --help --version" -- "$current")); return',
        "  fi",
        '  case "${COMP_WORDS[1]} $previous" in',
    ]
    for grammar in grammars:
        for option in grammar.options:
            if option.values:
                pattern = "|".join(f'"{grammar.name} {name}"' for name in option.names)
                lines.append(
                    f'    {pattern}) COMPREPLY=($(compgen -W "{" ".join(option.values)}" -- "$current")); return ;;'
                )
    lines += ["  esac", '  case "${COMP_WORDS[1]}" in']
    for grammar in grammars:
        spelt = " ".join(name for option in grammar.options for name in option.names)
        lines.append(f'    {grammar.name}) options="{spelt}" words="{" ".join(grammar.words)}" ;;')
    lines += [
        "  esac",
        '  case "$current" in',
        '    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;',
        '    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;',
        "  esac",
        "}",
        "# Where nothing of this fits, the name of a file is completed.",
        "complete -o default -F _duetpy duetpy",
    ]
    return "".join(f"{line}\n" for line in lines)


def fish(grammars: list[Grammar]) -> str:
    """A script for fish."""
    lines = []
    for grammar in grammars:
        lines.append(f"complete -c duetpy -n __fish_use_subcommand -f -a {grammar.name} -d {_quoted(grammar.summary)}")
        seen = f"-n '__fish_seen_subcommand_from {grammar.name}'"
        if grammar.words:
            lines.append(f"complete -c duetpy {seen} -f -a {_quoted(' '.join(grammar.words))}")
        for option in grammar.options:
            spelt = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            takes = (
                ""
                if option.values is None
                else f" -x -a {_quoted(' '.join(option.values))}"
                if option.values
                else " -r"
            )
            lines.append(f"complete -c duetpy {seen} {spelt}{takes} -d {_quoted(option.help)}")
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    """A text in quotation marks of fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
