/** The commands of README and docs: every `sh` block, command by command as a shell reads it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface DocBlock {
  /** Such as `docs/operate/sandbox.md`. */
  readonly page: string;
  /** Without their comments. */
  readonly commands: readonly string[];
}

/** README and every page of docs, such as `docs/use/wallet.md`. */
export function docPages(): readonly string[] {
  const names = readdirSync(`${root}docs`, { encoding: 'utf8', recursive: true });
  const pages = names.filter((name) => name.endsWith('.md')).sort();
  return ['README.md', ...pages.map((name) => `docs/${name}`)];
}

/** Those of docs/commands.md are left out: they come from the help, whose examples are run as such. */
export function docBlocks(): readonly DocBlock[] {
  return docPages()
    .filter((page) => page !== 'docs/commands.md')
    .flatMap((page) => {
      const text = readFileSync(`${root}${page}`, 'utf8');
      const blocks = [...text.matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```$/gm)];
      return blocks.map(([, block = '']) => ({ page, commands: commandsOf(block) }));
    });
}

/** A quoted text, a line that goes on, a comment, the end of a command, or any other character. */
const PART = /'[^']*'|"(?:[^"\\]|\\.)*"|\\\n|(?<=^|\s)#.*|\n|./g;

function commandsOf(block: string): readonly string[] {
  const commands = [''];
  for (const [part] of block.matchAll(PART)) {
    if (part === '\n') commands.push('');
    else if (!/^#./.test(part)) commands.push(`${commands.pop()}${part}`);
  }
  return commands
    .map((command) => command.trim().replace(/^(scrip \w+) +/, '$1 '))
    .filter((command) => command !== '');
}

/** What one run of the program takes, without the program's name; undefined for any other command. */
export function scripLine(command: string): string | undefined {
  return /^scrip (?!.* &$)(.*)$/s.exec(command)?.[1];
}
