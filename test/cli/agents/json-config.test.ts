import fc from 'fast-check';
import { getNodeValue } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { jsonConfig, readJson } from '../../../src/cli/agents/config-formats.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';

const STRICT = jsonConfig({ container: 'mcpServers', hasComments: false, hasType: false });
const LENIENT = jsonConfig({ container: 'servers', hasComments: true, hasType: true });
const ENTRY = { command: '/usr/bin/node', args: ['/opt/scrip/bin/scrip.js', 'mcp'] };

function lines(...text: string[]): string {
  return text.map((line) => `${line}\n`).join('');
}

function documentOf(text: string, hasComments: boolean): unknown {
  return getNodeValue(readJson(text, hasComments));
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof ScripError ? `${error.code}: ${error.message}` : 'another error';
  }
  return undefined;
}

describe('an entry in JSON', () => {
  it('is laid out as its neighbours are', () => {
    const laid = (mcpServers: object) =>
      `${JSON.stringify({ theme: 'dark', mcpServers }, null, '\t')}\n`;
    expect(STRICT.put(laid({ a: {} }), ENTRY)).toBe(laid({ a: {}, scrip: ENTRY }));
  });

  it('keeps comments, a trailing comma and the line ends of the file', () => {
    const before = lines(
      '// mine\r',
      '{\r',
      '  "servers": {\r',
      '    /* the first */ "a": { "command": "x" }, // why\r',
      '    // the end\r',
      '  }, \r',
      '}\r',
    );
    const edited = LENIENT.put(before, ENTRY);
    expect(edited).toBe(
      lines(
        '// mine\r',
        '{\r',
        '  "servers": {\r',
        '    /* the first */ "a": { "command": "x" },\r',
        '    "scrip": {\r',
        '      "type": "stdio",\r',
        '      "command": "/usr/bin/node",\r',
        '      "args": [\r',
        '        "/opt/scrip/bin/scrip.js",\r',
        '        "mcp"\r',
        '      ]\r',
        '    }, // why\r',
        '    // the end\r',
        '  }, \r',
        '}\r',
      ),
    );
    expect(LENIENT.remove(edited)).toBe(before);
  });

  it('that is there already is left as it is written', () => {
    const before =
      '{"mcpServers": {"scrip": {"args": [ "/opt/scrip/bin/scrip.js" , "mcp" ],\n"command":"/usr/bin/node"}}}';
    expect(STRICT.put(before, ENTRY)).toBe(before);
  });

  it('changes in what differs alone; what the user added to it stays', () => {
    const before =
      '{"mcpServers":{"scrip":{"command":"node","env":{"SCRIP_COUNTRY":"it"},"args":[]}}}';
    expect(STRICT.put(before, ENTRY)).toBe(
      '{"mcpServers":{"scrip":{"command":"/usr/bin/node","env":{"SCRIP_COUNTRY":"it"},"args":["/opt/scrip/bin/scrip.js","mcp"]}}}',
    );
  });

  it.each([
    ['{"mcpServers": {', 'line 1 is not valid JSON'],
    ['{\n"a": 1\n"b": 2}', 'line 3 is not valid JSON'],
    ['{\n// x\n}', 'line 2: this file may not have comments'],
    ['{"a": 1,}', 'line 1 is not valid JSON'],
    ['{"a": "x\ny"}', 'line 1 is not valid JSON'],
    ['{"a": "x', 'line 1 is not valid JSON'],
    ['{"a": tru}', 'line 1 is not valid JSON'],
    ['{"a": 01}', 'line 1 is not valid JSON'],
    ['{"a" 1}', 'line 1 is not valid JSON'],
    ['{} {}', 'line 1 is not valid JSON'],
    ['{"mcpServers":{},"mcpServers":{}}', 'a key occurs twice'],
    [`${'['.repeat(200_000)}`, 'The document is nested too deeply'],
    ['[]', 'the document is not an object'],
    ['{"mcpServers":[]}', '"mcpServers" is not an object'],
    [
      '{"mcpServers":{"scrip":{"url":"https://x"}}}',
      '"mcpServers" already has a "scrip" of another type',
    ],
    ['{"mcpServers":{"scrip":"x"}}', '"mcpServers" already has a "scrip" of another type'],
  ])('is refused in %s', (text, message) => {
    const expected = `AGENT_CONFIG_INVALID: ${message}`;
    expect(codeOf(() => STRICT.put(text, ENTRY))).toBe(expected);
    expect(codeOf(() => STRICT.remove(text))).toBe(expected);
  });

  it.each(['{"a": 1 /* x }', '{"a": 1 / 2}'])(
    'is refused where a comment is broken: %s',
    (text) => {
      expect(codeOf(() => LENIENT.put(text, ENTRY))).toBe(
        'AGENT_CONFIG_INVALID: line 1 is not valid JSON',
      );
    },
  );
});

/** Any JSON with any layout: blanks, and comments where they are allowed, between any two words. */
function laidOut(value: fc.Arbitrary<unknown>, trivia: readonly string[]) {
  return fc
    .tuple(value, fc.array(fc.constantFrom(...trivia), { minLength: 1, maxLength: 12 }))
    .map(([generated, blanks]) => {
      // What a text can say: it has no -0.
      const plain: unknown = JSON.parse(JSON.stringify(generated));
      let at = 0;
      const words = JSON.stringify(plain).match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:]+/g) ?? [];
      const text = words.map((word) => `${blanks[at++ % blanks.length]}${word}`).join('');
      return { plain, text: `${text}${blanks[at % blanks.length]}` };
    });
}

const BLANKS = ['', ' ', '\n', '\n  ', '\t', '\r\n'];
const COMMENTS = [...BLANKS, '/* } */', ' // { "\n', '// x\r\n'];
const server = fc.dictionary(
  fc.constantFrom('command', 'env', 'url'),
  fc.jsonValue({ maxDepth: 1 }),
);
const servers = fc.dictionary(
  fc.string().filter((key) => key !== 'scrip'),
  server,
  { maxKeys: 4 },
);
const documents = fc.record(
  { servers, mcpServers: servers, other: fc.jsonValue({ maxDepth: 2 }) },
  { requiredKeys: [] },
);

/** Without keys that JavaScript treats in its own way: it is the text that is tried here. */
const isPlain = ({ text }: { readonly text: string }): boolean => !text.includes('__proto__');

describe('any document', () => {
  it.each([
    ['strict', STRICT, 'mcpServers', BLANKS, false],
    ['with comments', LENIENT, 'servers', COMMENTS, true],
  ] as const)(
    '%s gains our entry and loses nothing',
    (_what, format, container, trivia, hasComments) => {
      fc.assert(
        fc.property(laidOut(documents, trivia).filter(isPlain), ({ plain, text }) => {
          const edited = format.put(text, ENTRY);
          const before = plain as Record<string, Record<string, unknown>>;
          const wanted = Object.fromEntries(format.fields(ENTRY));
          expect(documentOf(edited, hasComments)).toEqual({
            ...before,
            [container]: { ...before[container], scrip: wanted },
          });
          expect(format.put(edited, ENTRY)).toBe(edited);
          const removed = format.remove(edited);
          expect(documentOf(removed, hasComments)).toEqual({
            ...before,
            [container]: before[container] ?? {},
          });
          if (Object.keys(before[container] ?? {}).length > 0) expect(removed).toBe(text);
          for (const comment of text.match(/\/\*.*?\*\/|\/\/ x/g) ?? [])
            expect(edited).toContain(comment);
        }),
      );
    },
  );

  it('is edited or refused, and nothing else happens', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const refusal = codeOf(() => STRICT.put(text, ENTRY));
        if (refusal !== undefined) expect(refusal).toMatch(/^AGENT_CONFIG_INVALID: /);
      }),
    );
  });
});
