# SPDX-License-Identifier: GPL-2.0-or-later
#
# zsh -f complete.zsh FOLDER TEXT: types TEXT and a tab into a zsh that has the completions of FOLDER, and prints the line that
# this makes.
zmodload zsh/zpty
zpty typed zsh -f -i
zpty -w typed "PS1= PS2=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u; bindkey -e"
# Control-G shows the line and leaves it.
zpty -w typed 'show() { print -r -- "<<${BUFFER}>>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^G" show'
zpty -w typed 'print READ""Y'
while zpty -r typed line; do [[ $line == *READY* ]] && break; done
zpty -w -n typed "$2"$'\t\a'
while zpty -r typed line; do [[ $line == *"<<"*">>"* && $line != *BUFFER* ]] && break; done
print -r -- "${${line#*<<}%%>>*}"
zpty -d typed
