/**
 * The completion script for bash 3.2 and later. It passes the line as typed and gets values in bash's
 * quoting; file names are completed by bash itself, which knows how to quote them.
 */
export const BASH = `# bash completion for scrip, written by: scrip completion bash
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
