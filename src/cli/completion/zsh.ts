/** The completion script for zsh, which quotes the program's values as the line needs, and executes none. */
export const ZSH = `#compdef scrip
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
