/** The completion script of fish. */
import {
  argumentWords,
  type CommandNode,
  everyNode,
  type OptionNode,
  shellQuote,
  type Values,
} from './tree.ts';

/** What a command substitution gives is split at line ends alone, and escaped where it is inserted. */
export function fish(root: CommandNode): string {
  const lines = everyNode(root).flatMap((node) => {
    const condition = `-n ${shellQuote(`__scrip_at ${JSON.stringify(node.path)}`)}`;
    const words = argumentWords(node).filter(
      (word) => !node.children.some(({ name }) => name === word),
    );
    return [
      ...node.children.map(
        (child) =>
          `complete -c scrip ${condition} -f -a ${child.name} -d ${shellQuote(child.what)}`,
      ),
      ...words.map((word) => `complete -c scrip ${condition} -f -a ${word}`),
      ...argumentLine(condition, node.argument),
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
function __scrip_live
    command scrip completion --values $argv[1] --shell fish -- (commandline -opc)[2..] 2>/dev/null
end
complete -c scrip -f
${lines.join('\n')}
`;
}

function argumentLine(condition: string, values: Values | undefined): readonly string[] {
  if (values?.kind === 'file') return [`complete -c scrip ${condition} -F`];
  if (values?.kind !== 'live') return [];
  return [`complete -c scrip ${condition} -f -k -a '(__scrip_live ${values.of})'`];
}

function fishOption({ names, what, values }: OptionNode): string {
  const spelled = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const value = values === undefined ? [] : fishValue(values);
  return [...spelled, ...value, '-d', shellQuote(what)].join(' ');
}

function fishValue(values: Values): readonly string[] {
  if (values.kind === 'words') return ['-x', '-a', shellQuote(values.words.join(' '))];
  if (values.kind === 'live') return ['-x', '-k', '-a', shellQuote(`(__scrip_live ${values.of})`)];
  return {
    file: ['-r', '-F'],
    folder: ['-x', '-a', shellQuote('(__fish_complete_directories)')],
    any: ['-x'],
  }[values.kind];
}
