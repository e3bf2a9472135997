/** Completion scripts, generated from the command tree: one function for each shell. */
import type { Argument, Command, Option } from 'commander';
import { CATEGORIES } from '../domain/categories.ts';

/** What may follow an option or stand as an argument. */
type Values =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'any' };

interface OptionNode {
  /** Spellings, such as `-h` and `--help`. */
  readonly names: readonly string[];
  readonly what: string;
  /** Undefined for a switch. */
  readonly values?: Values;
}

/** A command with its words before it: `wallet new`; the program itself is the empty path. */
interface CommandNode {
  readonly path: string;
  readonly name: string;
  readonly what: string;
  readonly children: readonly CommandNode[];
  readonly options: readonly OptionNode[];
  readonly argument: Values | undefined;
}

const WRITERS = { bash, zsh, fish, powershell } as const;
export type Shell = keyof typeof WRITERS;
export const SHELLS = Object.keys(WRITERS) as readonly Shell[];

/** The script of a shell for a whole command tree. */
export function completionScript(shell: Shell, program: Command): string {
  return WRITERS[shell](describe(program, '', []));
}

function describe(command: Command, path: string, inherited: readonly OptionNode[]): CommandNode {
  const own = command.options.filter((option) => !option.hidden).map(describeOption);
  const options = [...own, ...inherited];
  const [argument] = command.registeredArguments;
  return {
    path,
    name: command.name(),
    what: command.description(),
    children: command.commands.map((child) =>
      describe(child, `${path} ${child.name()}`.trim(), options.filter(isShared)),
    ),
    options: [...options, HELP],
    argument: argument && valuesOf(argument),
  };
}

const HELP: OptionNode = { names: ['-h', '--help'], what: 'print the help of a command' };

/** The version is the program's alone; every other global option may stand after the verb. */
function isShared(option: OptionNode): boolean {
  return !option.names.includes('--version');
}

function describeOption(option: Option): OptionNode {
  const names = [option.short, option.long].filter((name) => name !== undefined && name !== null);
  const takesValue = option.required || option.optional;
  return { names, what: option.description, ...(takesValue ? { values: valuesOf(option) } : {}) };
}

/** The placeholder tells: `<file>`, `<dir>` and `<slug>` mean the same everywhere. */
function valuesOf(source: Option | Argument): Values {
  if (source.argChoices) return { kind: 'words', words: source.argChoices };
  const placeholder = 'flags' in source ? source.flags : `<${source.name()}>`;
  if (placeholder.includes('<file>')) return { kind: 'file' };
  if (placeholder.includes('<dir>')) return { kind: 'folder' };
  if (placeholder.includes('<slug>')) return { kind: 'words', words: CATEGORIES };
  return { kind: 'any' };
}

function everyNode(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(everyNode)];
}

/** Options that take a value, each once: a spelling means the same for every command. */
function valueOptions(root: CommandNode): readonly (OptionNode & { readonly values: Values })[] {
  const found = new Map<string, OptionNode & { readonly values: Values }>();
  for (const option of everyNode(root).flatMap((node) => node.options)) {
    if (option.values) found.set(option.names.join(), { ...option, values: option.values });
  }
  return [...found.values()];
}

/** What may be typed next at a command. */
function wordsAt(node: CommandNode): readonly string[] {
  const values = node.argument?.kind === 'words' ? node.argument.words : [];
  return [
    ...node.children.map((child) => child.name),
    ...values,
    ...node.options.flatMap((option) => option.names.filter((name) => name.startsWith('--'))),
  ];
}

function bash(root: CommandNode): string {
  const replies: Readonly<Record<Values['kind'], (words: readonly string[]) => string>> = {
    words: (words) => `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current")); return`,
    file: () => 'COMPREPLY=($(compgen -f -- "$current")); return',
    folder: () => 'COMPREPLY=($(compgen -d -- "$current")); return',
    any: () => 'return',
  };
  const steps = everyNode(root).filter((node) => node.path !== '');
  const values = valueOptions(root).map(
    ({ names, values: kind }) =>
      `    ${names.join('|')}) ${replies[kind.kind](kind.kind === 'words' ? kind.words : [])} ;;`,
  );
  const words = everyNode(root).map((node) => {
    const files = node.argument?.kind === 'file' ? ' $(compgen -f -- "$current")' : '';
    return `    "${node.path}") COMPREPLY=($(compgen -W "${wordsAt(node).join(' ')}" -- "$current")${files}) ;;`;
  });
  return `# bash completion for scrip, written by: scrip completion bash
_scrip() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${steps.map((node) => `"${node.path}"`).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
}
complete -o filenames -F _scrip scrip
`;
}

function zsh(root: CommandNode): string {
  const actions: Readonly<Record<Values['kind'], (words: readonly string[]) => string>> = {
    words: (words) => `compadd -- ${words.join(' ')}; return`,
    file: () => '_files; return',
    folder: () => '_files -/; return',
    any: () => 'return',
  };
  const steps = everyNode(root).filter((node) => node.path !== '');
  const values = valueOptions(root).map(
    ({ names, values: kind }) =>
      `    ${names.join('|')}) ${actions[kind.kind](kind.kind === 'words' ? kind.words : [])} ;;`,
  );
  const cases = everyNode(root).map((node) => `    "${node.path}")\n${zshCase(node)} ;;`);
  return `#compdef scrip
# zsh completion for scrip, written by: scrip completion zsh
_scrip() {
  local current_path="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${current_path:+$current_path }$word" in
      ${steps.map((node) => `"${node.path}"`).join('|')}) current_path="\${current_path:+$current_path }$word" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
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

function zshCase(node: CommandNode): string {
  const words = node.argument?.kind === 'words' ? node.argument.words : [];
  const choices = [
    ...node.children.map((child) => [child.name, child.what] as const),
    ...words.map((word) => [word, ''] as const),
    ...node.options.flatMap(({ names, what }) =>
      names.slice(-1).map((name) => [name, what] as const),
    ),
  ];
  const lines = choices.map(
    ([name, what]) => `        ${shellQuote(`${name}:${what.replaceAll(':', '\\:')}`)}`,
  );
  const files = node.argument?.kind === 'file' ? '\n      _files' : '';
  return `      choices=(\n${lines.join('\n')}\n      )\n      _describe scrip choices${files}`;
}

function fish(root: CommandNode): string {
  const lines = everyNode(root).flatMap((node) => {
    const condition = `-n ${shellQuote(`__scrip_at ${JSON.stringify(node.path)}`)}`;
    const words = node.argument?.kind === 'words' ? node.argument.words : [];
    return [
      ...node.children.map(
        (child) =>
          `complete -c scrip ${condition} -f -a ${child.name} -d ${shellQuote(child.what)}`,
      ),
      ...words.map((word) => `complete -c scrip ${condition} -f -a ${word}`),
      ...(node.argument?.kind === 'file' ? [`complete -c scrip ${condition} -F`] : []),
      ...node.options.map((option) => `complete -c scrip ${condition} ${fishOption(option)}`),
    ];
  });
  const paths = everyNode(root)
    .filter((node) => node.path !== '')
    .map((node) => shellQuote(node.path));
  return `# fish completion for scrip, written by: scrip completion fish
function __scrip_at
    set -l path ""
    for word in (commandline -opc)[2..]
        set -l next (string trim -- "$path $word")
        contains -- $next ${paths.join(' ')}; and set path $next
    end
    test "$path" = "$argv[1]"
end
complete -c scrip -f
${lines.join('\n')}
`;
}

function fishOption({ names, what, values }: OptionNode): string {
  const spelled = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const follow: Readonly<Record<Values['kind'], (words: readonly string[]) => readonly string[]>> =
    {
      words: (words) => ['-x', '-a', shellQuote(words.join(' '))],
      file: () => ['-r', '-F'],
      folder: () => ['-x', '-a', shellQuote('(__fish_complete_directories)')],
      any: () => ['-x'],
    };
  const value = values ? follow[values.kind](values.kind === 'words' ? values.words : []) : [];
  return [...spelled, ...value, '-d', shellQuote(what)].join(' ');
}

function powershell(root: CommandNode): string {
  const nodes = everyNode(root).map(
    (node) => `    '${node.path}' = @(${wordsAt(node).map(powershellQuote).join(', ')})`,
  );
  const values = valueOptions(root).flatMap(({ names, values: kind }) =>
    kind.kind === 'file' || kind.kind === 'folder'
      ? []
      : names.map(
          (name) =>
            `    '${name}' = @(${(kind.kind === 'words' ? kind.words : []).map(powershellQuote).join(', ')})`,
        ),
  );
  return `# PowerShell completion for scrip, written by: scrip completion powershell
Register-ArgumentCompleter -Native -CommandName scrip -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = @{
${nodes.join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $path = ''
  foreach ($word in $typed | Select-Object -Skip 1) {
    $next = "$path $word".Trim()
    if ($commands.ContainsKey($next)) { $path = $next }
  }
  $previous = $typed | Select-Object -Last 1
  $choices = if ($values.ContainsKey($previous)) { $values[$previous] } else { $commands[$path] }
  $choices | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

/** Text between single quotes; bash, zsh and fish read this spelling alike. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function powershellQuote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
