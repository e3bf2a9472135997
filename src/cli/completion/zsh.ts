/** The completion script of zsh. */
import {
  argumentWords,
  type CommandNode,
  everyNode,
  shellQuote,
  type Values,
  valueOptions,
} from './tree.ts';

/** What is asked for is added as it is: zsh quotes it as the line needs, and runs nothing of it. */
export function zsh(root: CommandNode): string {
  const paths = everyNode(root).filter((node) => node.path !== '');
  const values = valueOptions(root).map(
    ({ names, values: of }) => `    ${names.join('|')}) ${action(of)}; return ;;`,
  );
  const cases = everyNode(root).map((node) => `    "${node.path}")\n${zshCase(node)} ;;`);
  return `#compdef scrip
# zsh completion for scrip, written by: scrip completion zsh
_scrip_live() {
  local -a lines values shown
  local line
  lines=("\${(@f)$(command scrip completion --values "$1" --shell zsh -- "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    [[ -n "$line" ]] || continue
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line//$'\\t'/  }")
  done
  (( \${#values} )) || return 1
  compadd -M 'm:{a-zA-Z}={A-Za-z}' -V scrip -l -d shown -- "\${values[@]}"
}
_scrip() {
  local current_path="" word previous="\${words[CURRENT-1]}"
  if [[ "$PREFIX" == --*=* ]]; then
    previous="\${PREFIX%%=*}"
    compset -P 1 '*='
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${current_path:+$current_path }$word" in
      ${paths.map((node) => `"${node.path}"`).join('|')}) current_path="\${current_path:+$current_path }$word" ;;
    esac
  done
  case "$previous" in
${values.join('\n')}
  esac
  local -a choices
  case "$current_path" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_scrip" ]; then _scrip "$@"; else compdef _scrip scrip; fi
`;
}

function action(values: Values): string {
  if (values.kind === 'words') return `compadd -- ${values.words.join(' ')}`;
  if (values.kind === 'live') return `_scrip_live ${values.of}`;
  return { file: '_files', folder: '_files -/', any: ':' }[values.kind];
}

function zshCase(node: CommandNode): string {
  const words = argumentWords(node).filter((word) => !isChild(node, word));
  const children = node.children.map((child) => [child.name, child.what] as const);
  const options = node.options.flatMap(({ names, what }) =>
    names.slice(-1).map((name) => [name, what] as const),
  );
  const first = [...children, ...words.map((word) => [word, ''] as const)];
  const { argument } = node;
  const own = argument === undefined || argument.kind === 'words' ? ':' : action(argument);
  // Options stand for what may be typed next where nothing else does, and after a dash.
  return [
    ...(own === ':' ? [] : [`      if [[ "$PREFIX" != -* ]] && ${own}; then return; fi`]),
    ...describeChoices([...first, ...(first.length > 0 ? [] : options)]),
    ...(first.length === 0
      ? []
      : ['      [[ "$PREFIX" == -* ]] || return', ...describeChoices(options)]),
  ].join('\n');
}

function isChild(node: CommandNode, word: string): boolean {
  return node.children.some((child) => child.name === word);
}

function describeChoices(choices: readonly (readonly [name: string, what: string])[]): string[] {
  const lines = choices.map(
    ([name, what]) => `        ${shellQuote(`${name}:${what.replaceAll(':', '\\:')}`)}`,
  );
  return [`      choices=(\n${lines.join('\n')}\n      )\n      _describe scrip choices`];
}
