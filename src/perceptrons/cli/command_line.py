"""The command as it was given, for those who want to repeat it."""

import shlex
from typing import Any

import typer


def command_line(context: typer.Context) -> str:
    """The options and arguments that were given, in the order in which the command names them."""
    words = context.command_path.split()
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            words += _words(parameter, context.params[name])
    return shlex.join(words)


def _words(parameter: Any, value: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        return [str(value)]
    if isinstance(value, bool):
        return [(parameter.opts if value else parameter.secondary_opts)[0]]
    values = value if isinstance(value, list | tuple) else [value]
    return [word for one in values for word in (parameter.opts[0], str(one))]
