import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tomlConfig } from '../../../src/cli/agents/toml-config.ts';
import { readToml } from '../../../src/cli/agents/toml-text.ts';
import { ScripError } from '../../../src/domain/errors.ts';

const FORMAT = tomlConfig('mcp_servers');
const ENTRY = { command: '/usr/bin/node', args: ['/opt/scrip/bin/scrip.js', 'mcp'] };
const TABLE = `[mcp_servers.scrip]
command = "/usr/bin/node"
args = ["/opt/scrip/bin/scrip.js","mcp"]
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
[mcp_servers.scrip] is no table here, nor is
command = "x" """
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

describe('an entry in TOML', () => {
  it('is a table at the end, and nothing else changes', () => {
    expect(FORMAT.put(FULL, ENTRY)).toBe(`${FULL}\n${TABLE}`);
  });

  it('is all of a file that was empty', () => {
    expect(FORMAT.put('', ENTRY)).toBe(TABLE);
  });

  it('is taken out without a trace', () => {
    expect(FORMAT.remove(FORMAT.put(FULL, ENTRY))).toBe(FULL);
    expect(FORMAT.remove(FORMAT.put('', ENTRY))).toBe('');
    expect(FORMAT.remove(FULL)).toBe(FULL);
  });

  it('keeps the line ends of the file', () => {
    const text = 'a = 1\r\n';
    expect(FORMAT.put(text, ENTRY)).toBe(`${text}\r\n${TABLE.replaceAll('\n', '\r\n')}`);
    expect(FORMAT.remove(FORMAT.put(text, ENTRY))).toBe(text);
  });

  it('that is there already is left as it is written', () => {
    const text = `[ mcp_servers . "scrip" ] # mine
command='/usr/bin/node'
args = [
  "/opt/scrip/bin/scrip.js", # the script
  "\\u006dcp",
]
`;
    expect(FORMAT.put(text, ENTRY)).toBe(text);
  });

  it('changes in what differs alone; what the user added to it stays', () => {
    const text = `[mcp_servers.scrip]
startup_timeout_sec = 20
command = "npx" # old
args = ["x"]
env_vars = ["A"]

[mcp_servers.scrip.env]
A = "b"

[other]
`;
    expect(FORMAT.put(text, ENTRY)).toBe(
      text
        .replace('"npx"', '"/usr/bin/node"')
        .replace('["x"]', '["/opt/scrip/bin/scrip.js","mcp"]'),
    );
  });

  it('gets the fields that it lacks', () => {
    const text = '[mcp_servers.scrip] # mine\ncommand = "/usr/bin/node"\n[b]\n';
    expect(FORMAT.put(text, ENTRY)).toBe(
      '[mcp_servers.scrip] # mine\nargs = ["/opt/scrip/bin/scrip.js","mcp"]\ncommand = "/usr/bin/node"\n[b]\n',
    );
  });

  it('is taken out with the tables below it; comments of what follows stay', () => {
    const text = `a = 1

[mcp_servers.scrip]
command = "x"

[mcp_servers.scrip.env]
A = "b"

# the rest
[mcp_servers.scripture]
command = "y"
`;
    expect(FORMAT.remove(text)).toBe(`a = 1

# the rest
[mcp_servers.scripture]
command = "y"
`);
  });

  it.each([
    ['[a', 'line 1: a ] is missing here'],
    ['a = 1\n[[b]', 'line 2: a ]] is missing here'],
    ['a = 1\nb', 'line 2: an = is missing here'],
    ['= 1', 'line 1: a key is missing here'],
    ['a = ', 'line 1: a value is missing here, or is not closed'],
    ['a = yes', 'line 1: a value is missing here, or is not closed'],
    ['a = "x\n', 'line 1: a value is missing here, or is not closed'],
    ['a = "\\q"', 'line 1: a value is missing here, or is not closed'],
    ['a = """x', 'line 1: a text is not closed'],
    ['a = [1 2]', 'line 1: a comma or ] is missing here'],
    ['a = {b = 1', 'line 1: a comma or } is missing here'],
    ['a = {b}', 'line 1: an = is missing here'],
    ['a = 1 b = 2', 'line 1: the line goes on'],
    [`a = ${'['.repeat(80)}`, 'line 1: it is nested deeper than 50'],
    ['mcp_servers = {}', '"mcp_servers.scrip" is not written as a table of its own'],
    ['mcp_servers.scrip.command = "x"', '"mcp_servers.scrip" is not written as a table of its own'],
    [
      '[mcp_servers]\nscrip = { command = "x" }',
      '"mcp_servers.scrip" is not written as a table of its own',
    ],
    ['[[mcp_servers]]', '"mcp_servers.scrip" is not written as a table of its own'],
    [
      '[mcp_servers.scrip]\nurl = "https://x"',
      '[mcp_servers.scrip] is another kind of server already',
    ],
    [
      '[mcp_servers.scrip]\ncommand="x"\n[mcp_servers.scrip]\ncommand="x"',
      '[mcp_servers.scrip] stands there twice',
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
  '"""\n[mcp_servers.scrip]\n"""',
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

  it('is read or refused, and nothing else happens', () => {
    const broken = fc
      .tuple(documents, fc.nat(), fc.string({ maxLength: 3 }))
      .map(([text, at, more]) => `${text.slice(0, at % (text.length + 1))}${more}`);
    fc.assert(
      fc.property(fc.oneof(broken, fc.string()), (text) => {
        const message = messageOf(() => readToml(text));
        if (message !== undefined) expect(message).toMatch(/^AGENT_CONFIG_INVALID: line \d+: /);
      }),
    );
  });
});
