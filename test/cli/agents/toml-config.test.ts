import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tomlConfig } from '../../../src/cli/agents/config-formats.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';

const FORMAT = tomlConfig('mcp_servers');
const ENTRY = { command: '/usr/bin/node', args: ['/opt/scrip/bin/scrip.js', 'mcp'] };
const BLOCK = `# >>> scrip >>>
[mcp_servers.scrip]
command = "/usr/bin/node"
args = ["/opt/scrip/bin/scrip.js","mcp"]
# <<< scrip <<<
`;

function messageOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof ScripError ? `${error.code}: ${error.message}` : 'another error';
  }
  return undefined;
}

const FULL = `# my settings
model = "gpt" # the model
notes = """
[a table] is no table here, nor is
command = "x" """
# [mcp_servers.scrip] is a comment
sandbox_permissions = [
  "disk", # [x]
  'net]',
]
when = 1979-05-27 07:32:00Z
limits = { soft = 1, "hard" = 2.5 }

[mcp_servers.other]
command = 'other'
env = { KEY = "secret" }

[[profiles]]
name = "a"
`;

const REST = '# the rest\n[mcp_servers.other]\ncommand = "y"\n';

describe('an entry in TOML', () => {
  it('is a block at the end, and nothing else changes', () => {
    expect(FORMAT.put(FULL, ENTRY)).toBe(`${FULL}\n${BLOCK}`);
  });

  it('keeps the line ends of the file', () => {
    const text = 'a = 1\r\n';
    expect(FORMAT.put(text, ENTRY)).toBe(`${text}\r\n${BLOCK.replaceAll('\n', '\r\n')}`);
    expect(FORMAT.remove(FORMAT.put(text, ENTRY))).toBe(text);
  });

  it('is replaced within its marks alone, wherever they stand', () => {
    const text = `${BLOCK.replace('/usr/bin/node', 'npx').replace('args', 'mine = 1\nargs')}\n${REST}`;
    expect(FORMAT.read(text)?.get('command')).toBe('npx');
    expect(FORMAT.put(text, ENTRY)).toBe(
      text.replace(/# >>> scrip >>>[\s\S]*# <<< scrip <<<\n/, BLOCK),
    );
    expect(FORMAT.remove(text)).toBe(`\n${REST}`);
  });

  it('leaves tables of the user below it, such as its environment', () => {
    const text = `${BLOCK}\n[mcp_servers.other.env]\nA = "b"\n`;
    expect(FORMAT.remove(text)).toBe('\n[mcp_servers.other.env]\nA = "b"\n');
  });

  const foreign = 'it names a server "scrip" that scrip did not write';
  it.each([
    ['mcp_servers = {}', foreign],
    ['mcp_servers.scrip.command = "x"', foreign],
    ['[mcp_servers]\nscrip = { command = "x" }', foreign],
    ['[[mcp_servers]]', foreign],
    ['[mcp_servers.scrip]\ncommand = "x"', foreign],
    ['[ mcp_servers . "scrip" ]', foreign],
    [`${BLOCK}[mcp_servers.scrip.env]`, foreign],
    [`${BLOCK}${BLOCK}`, 'scrip’s block occurs twice'],
    [BLOCK.replace('# <<< scrip <<<\n', ''), 'a marker of scrip’s block is missing'],
    ['# <<< scrip <<<\n', 'a marker of scrip’s block is missing'],
    [
      `${BLOCK}# mine\nenv = { A = "b" }`,
      'lines after scrip’s block would become part of its table',
    ],
  ])('is refused in %j', (text, message) => {
    const expected = `AGENT_CONFIG_INVALID: ${message}`;
    expect(messageOf(() => FORMAT.put(text, ENTRY))).toBe(expected);
    expect(messageOf(() => FORMAT.remove(text))).toBe(expected);
  });
});

const key = fc.constantFrom('a', 'b-1', '"x.y"', "'lit # al'", 'mcp_servers', 'other');
const value = fc.constantFrom(
  '1',
  'true',
  '"[x] # \\" y"',
  "'\\'",
  '"""\n[mcp_servers.else]\n"""',
  "'''\n' ''\n'''",
  '[1, [2, "]"], # c\n 3,]',
  '{ a = "}", b.c = [ "x" ] }',
  '-1.5e3',
  '07:32:00',
);
const trivia = fc.constantFrom('', ' # [x]', '\n', '\n\n# """\n');
const pair = fc
  .tuple(key, value, trivia)
  .map(([name, text, after]) => `k.${name} = ${text}${after}`);
const table = fc
  .tuple(
    fc.constantFrom('[a]', '[[b]]', '[ c . "d" ]', '[mcp_servers.other]'),
    fc.array(pair, { maxLength: 3 }),
  )
  .map(([header, pairs]) => [header, ...pairs].join('\n'));
const documents = fc
  .tuple(fc.array(pair, { maxLength: 3 }), fc.array(table, { maxLength: 4 }))
  .map(([pairs, tables]) => [...pairs, ...tables, ''].join('\n'));

describe('any document', () => {
  it('gains our table at its end, and is itself again without it', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const edited = FORMAT.put(text, ENTRY);
        expect(edited.startsWith(text)).toBe(true);
        expect(FORMAT.read(edited)?.get('args')).toEqual(ENTRY.args);
        expect(FORMAT.put(edited, ENTRY)).toBe(edited);
        expect(FORMAT.remove(edited)).toBe(text.trim() === '' ? '' : text);
      }),
    );
  });

  it('is edited or refused, and nothing else happens', () => {
    const broken = fc
      .tuple(documents, fc.nat(), fc.string({ maxLength: 3 }))
      .map(([text, at, more]) => `${FORMAT.put(text, ENTRY).slice(0, at)}${more}${text}`);
    fc.assert(
      fc.property(fc.oneof(broken, fc.string()), (text) => {
        const message = messageOf(() => FORMAT.put(text, ENTRY));
        if (message !== undefined) expect(message).toMatch(/^AGENT_CONFIG_INVALID: /);
      }),
    );
  });
});
