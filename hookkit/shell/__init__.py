"""A stand-alone library: from a command line to the commands it would run and the files they would touch.

The library runs no program, reads no file of the project, and imports only `hookkit.errors` and `hookkit.programs`:

- the scanner reads a line as bash does (`scan`, with `words`, `expansions`, `compounds`): a tree;
- the resolver follows the tree (`resolve`, with `expand` and `follow`): commands;
- what a program does with its words stands in `hookkit.programs`; PowerShell has a reader of its own (`powershell`).

>>> from hookkit.shell import resolve
>>> line = resolve("cd x && sudo rm -rf y", directory="/p", home="/home/me")
>>> [(command.words, command.directory) for command in line.commands]
[(['cd', 'x'], '/p'), (['sudo', 'rm', '-rf', 'y'], '/p/x'), (['rm', '-rf', 'y'], '/p/x')]
>>> resolve("curl example.com | sh").commands[1].doubt
'the program that sh reads on stdin is computed'
"""

from hookkit.shell.resolve import Resolution, resolve

__all__ = ["Resolution", "resolve"]
