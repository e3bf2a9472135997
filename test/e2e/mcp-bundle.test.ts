/** `npm run build:mcp`: a bundle that its own tool takes apart and a host can start, and an entry for a registry. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, expect, it } from 'vitest';
import { atEnd } from '../support/at-end.ts';
import { makeHome } from '../support/cli.ts';
import { tempFolder } from '../support/temp-folder.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/mcp-bundle.mjs', import.meta.url));
const MCPB = join(
  dirname(createRequire(import.meta.url).resolve('@anthropic-ai/mcpb/cli')),
  'cli/cli.js',
);
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

const folder = join(tempFolder(), 'mcp');
let bundle = '';
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [SCRIPT, folder]);
  bundle = join(folder, readdirSync(folder).find((name) => name.endsWith('.mcpb')) ?? '');
}, 120_000);

it('the bundle is started as its manifest says, with nothing of the checkout', async () => {
  const home = makeHome();
  const outputDir = join(home.dir, 'unpacked');
  await promisify(execFile)(process.execPath, [MCPB, 'unpack', bundle, outputDir]);
  const { server, tools, version } = read(join(outputDir, 'manifest.json'));
  const filled = (word: string) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what a host fills in.
    word.replace('${__dirname}', outputDir).replace('${user_config.profile}', 'sandbox');
  const client = new Client(
    { name: 'host', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const env = { PATH: process.env.PATH ?? '', HOME: home.dir };
  const { command, args } = server.mcp_config;
  await client.connect(
    new StdioClientTransport({ command, args: args.map(filled), env, cwd: home.dir }),
  );
  atEnd(() => client.close());
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect(listed).toEqual(tools.map(({ name }: { name: string }) => name));
  expect(client.getServerVersion()?.version).toBe(version);
  // The sandbox's chain and store are native parts of the bundle.
  const found = await client.callTool({
    name: 'searchProducts',
    arguments: { country_code: 'us', q: 'amazon' },
  });
  expect(JSON.stringify(found.structuredContent)).toContain('Amazon.com');
});

it('the entry names the package, its version and the bundle', () => {
  const { name, mcpName, version } = read(PACKAGE);
  const entry = read(join(folder, 'server.json'));
  expect(entry).toMatchObject({
    name: mcpName,
    version,
    packages: [{ identifier: name, version }],
  });
  // The registry's limits.
  expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(entry.description.length).toBeLessThanOrEqual(100);
  const sum = createHash('sha256').update(readFileSync(bundle)).digest('hex');
  expect(JSON.stringify(entry)).toContain(sum);
});
