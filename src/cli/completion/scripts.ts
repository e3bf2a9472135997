/** Completion scripts: each asks the program for the values at the cursor. */

/**
 * The completion script for bash 3.2 and later. It passes the line as typed and gets values in bash's
 * quoting; file names are completed by bash itself, which knows how to quote them.
 */
const BASH = `# bash completion for scrip, written by: scrip completion bash
_scrip() {
  local line kind="" current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(command scrip completion --values line --shell bash --breaks "$COMP_WORDBREAKS" --type "$COMP_TYPE" -- "\${COMP_LINE:0:COMP_POINT}" "\${COMP_LINE:COMP_POINT}" 2>/dev/null)
  [[ $current == [:=@] ]] && current=""
  case "$kind" in
    :open) compopt -o nospace 2>/dev/null ;;
    :files) compopt -o default 2>/dev/null || _scrip_paths -f "$current" ;;
    :folders) compopt -o dirnames 2>/dev/null || _scrip_paths -d "$current" ;;
  esac
  return 0
}
# For a bash without compopt.
_scrip_paths() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$2")
}
complete -F _scrip scrip
`;

/** The completion script for zsh, which quotes the program's values as the line needs, and executes none. */
const ZSH = `#compdef scrip
# zsh completion for scrip, written by: scrip completion zsh
_scrip() {
  local line kind value shape=''
  local -a lines whole begun about
  local -i wide=0
  lines=("\${(@f)$(command scrip completion --values line --shell zsh --at $((CURRENT - 2)) -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" "\${(@Q)words[CURRENT+1,-1]}" 2>/dev/null)}")
  kind="\${lines[1]}"
  shift lines
  [[ "$PREFIX" == --*=* ]] && compset -P 1 '*='
  case "$kind" in
    :files) _files; return ;;
    :folders) _files -/; return ;;
  esac
  for line in "\${(@)lines}"; do
    value="\${line%%$'\\t'*}"
    (( \${#value} > wide )) && wide=\${#value}
    [[ "$line" == *$'\\t'* ]] && shape=-l
  done
  local -a whole_about begun_about
  for line in "\${(@)lines}"; do
    [[ -n "$line" ]] || continue
    value="\${line%%$'\\t'*}"
    about="$value"
    [[ "$line" == *$'\\t'* ]] && about="\${(r:wide:)value}  \${line#*$'\\t'}"
    if [[ "$kind" == :open || "$value" == *[.=] ]]; then
      begun+=("$value")
      begun_about+=("$about")
    else
      whole+=("$value")
      whole_about+=("$about")
    fi
  done
  local -i found=1
  local -a how=(-M 'm:{a-zA-Z}={A-Za-z}' -V scrip $shape)
  (( \${#whole} )) && compadd "\${(@)how}" -d whole_about -- "\${(@)whole}" && found=0
  (( \${#begun} )) && compadd "\${(@)how}" -S '' -d begun_about -- "\${(@)begun}" && found=0
  return found
}
if [ "$funcstack[1]" = "_scrip" ]; then _scrip "$@"; else compdef _scrip scrip; fi
`;

/**
 * The completion script for fish, which splits a command's output at line breaks only, and escapes values
 * when it inserts them. Fish evaluates three rules at each Tab; the program runs once and its answer is
 * reused, until a command has run.
 */
const FISH = `# fish completion for scrip, written by: scrip completion fish
function __scrip_ask
    set -l line (commandline -C) (commandline -b | string collect)
    test "$line" = "$__scrip_line"; and return
    set -l before (commandline -opc)
    set -l all (commandline -op)
    set -l word (commandline -t)
    set -l current (commandline -ct)
    set -l next (count $before)
    test -n "$word"; and set next (math $next + 1)
    set -l after
    test (count $all) -gt $next; and set after $all[(math $next + 1)..]
    set -g __scrip_answer (command scrip completion --values line --shell fish --at (math (count $before) - 1) -- $before[2..] "$current" $after 2>/dev/null)
    set -g __scrip_line "$line"
end
function __scrip_forget --on-event fish_postexec
    set -e __scrip_line
end
function __scrip_is
    __scrip_ask
    test "$__scrip_answer[1]" = $argv[1]
end
function __scrip_folders
    set -l option (string match -r -- '^--[^=]*=' (commandline -ct))
    for folder in (__fish_complete_directories (string replace -r -- '^--[^=]*=' '' (commandline -ct)) '')
        echo "$option$folder"
    end
end
complete -c scrip -n '__scrip_is :files' -F
complete -c scrip -n '__scrip_is :folders' -f -a '(__scrip_folders)'
complete -c scrip -n 'not __scrip_is :files' -f -k -a '(string join -- \\n $__scrip_answer[2..])'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
export type Shell = keyof typeof SCRIPTS;
export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];
