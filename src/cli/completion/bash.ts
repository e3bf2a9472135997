/** The completion script of bash, 3.2 on. */
import {
  argumentWords,
  type CommandNode,
  everyNode,
  optionWords,
  type Values,
  valueOptions,
} from './tree.ts';

/**
 * Only words of ours go through `compgen -W`, which expands what it is given. Bash takes a word apart
 * at colons and the like: what stands before all of it is looked for.
 */
export function bash(root: CommandNode): string {
  const paths = everyNode(root).filter((node) => node.path !== '');
  const values = valueOptions(root).map(
    ({ names, values: of }) => `    ${names.join('|')}) ${reply(of)}; return ;;`,
  );
  return `# bash completion for scrip, written by: scrip completion bash
_scrip_lines() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
_scrip_live() {
  _scrip_lines < <(command scrip completion --values "$1" --shell bash --breaks "$COMP_WORDBREAKS" -- "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
_scrip_words() {
  COMPREPLY+=($(compgen -W "$1" -- "$current"))
}
_scrip_paths() {
  compopt -o filenames 2>/dev/null
  _scrip_lines < <(compgen "$1" -- "$current")
}
_scrip() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at=$((COMP_CWORD - 1)) previous path="" word
  COMPREPLY=()
  while [[ $at -gt 1 && \${COMP_WORDS[at]} != --* && ( \${COMP_WORDS[at]} == [:=@]* || \${COMP_WORDS[at+1]} == [:=@]* ) ]]; do
    at=$((at - 1))
  done
  previous="\${COMP_WORDS[at]}"
  [[ $current == [:=@] ]] && current=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.map((node) => `"${node.path}"`).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
${values.join('\n')}
  esac
  if [[ $current != -* ]]; then
    case "$path" in
${everyNode(root).flatMap(argumentCase).join('\n')}
    esac
    [[ \${#COMPREPLY[@]} -gt 0 || -n $current ]] && return
  fi
  case "$path" in
${everyNode(root).map(optionCase).join('\n')}
  esac
}
complete -F _scrip scrip
`;
}

function reply(values: Values): string {
  if (values.kind === 'words') return `_scrip_words "${values.words.join(' ')}"`;
  if (values.kind === 'live') return `_scrip_live ${values.of}`;
  return { file: '_scrip_paths -f', folder: '_scrip_paths -d', any: ':' }[values.kind];
}

function argumentCase(node: CommandNode): readonly string[] {
  const words = argumentWords(node);
  const parts = [
    ...(words.length === 0 ? [] : [`_scrip_words "${words.join(' ')}"`]),
    ...(node.argument === undefined || node.argument.kind === 'words'
      ? []
      : [reply(node.argument)]),
  ].filter((part) => part !== ':');
  return parts.length === 0 ? [] : [`      "${node.path}") ${parts.join('; ')} ;;`];
}

function optionCase(node: CommandNode): string {
  const words =
    node.path === '' ? [...argumentWords(node), ...optionWords(node)] : optionWords(node);
  return `    "${node.path}") _scrip_words "${words.join(' ')}" ;;`;
}
