/** docs/inside/foreign-software.md: each row is installed in its version, and its tests use it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const ROW = /^\| `([^`]+)` \| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gm;
const rows = [...read('docs/inside/foreign-software.md').matchAll(ROW)].map(
  ([, name = '', version = '', tests = '']) => ({ name, version, tests }),
);
const { devDependencies } = JSON.parse(read('package.json')) as {
  devDependencies: Readonly<Record<string, string>>;
};

describe('the software of others', () => {
  it('holds what the project promises to work with', () => {
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['@x402/fetch', '@x402/axios', '@x402/hono', '@x402/svm'],
        ...['@x402/express', 'standardwebhooks'],
        ...['@modelcontextprotocol/inspector', '@modelcontextprotocol/conformance'],
        ...['@modelcontextprotocol/sdk', 'mcp-sdk-2025-06-18', 'eventsource'],
        '@modelcontextprotocol/client',
        ...['viem', 'ethers', '@x402/evm'],
        ...['@agentcash/discovery', 'mppx', '@x402/extensions', '@a2a-js/sdk'],
        ...['@redocly/openapi-core', 'openapi-typescript', 'openapi-fetch'],
        ...['@sparticuz/chromium', 'playwright-core', 'axe-core'],
        ...['@solana/web3.js', '@solana/spl-token', '@solana/kit', '@solana/pay'],
      ]),
    );
  });

  it.each(rows)('$name is $version', ({ name, version }) => {
    const installed = JSON.parse(read(`node_modules/${name}/package.json`)) as {
      version: string;
    };
    const [pinned] = /\d[^@]*$/.exec(devDependencies[name] ?? '') ?? [];
    expect([installed.version, pinned]).toEqual([version, version]);
  });

  it.each(rows)('$name is used by $tests', ({ name, tests }) => {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => read(file));
    expect(files.length).toBeGreaterThan(0);
    // The programs of a package are run by the last part of its name.
    const words = [
      `'${name}'`,
      `'${name}/`,
      `/${name.split('/').at(-1)}'`,
      `-${name.split('/').at(-1)}'`,
    ];
    for (const file of files) {
      expect(words.some((word) => file.includes(word))).toBe(true);
    }
  });
});
