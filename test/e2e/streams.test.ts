/** What scripts rely on: one document or one error, a reader that leaves, terminals or none. */

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderError } from '../../src/cli/output/error.ts';
import { errorDocument } from '../../src/cli/schemas/program.ts';
import { CODES, type Code, ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { inShell, makeHome, SCRIP } from '../support/cli.ts';
import { openFrontHost } from '../support/front-host.ts';
import { amazonProducts, fundedWallet, GIFT, HERE } from '../support/shop.ts';
import { capture } from '../support/small-context.ts';

/** A command that asks or waits where it should not is ended by this. */
const BOUND_S = '170';
const ESCAPE = '\u001b';

/** A host that answers by the first word of its path. */
const ANSWERS: Readonly<Record<string, readonly [number, Record<string, string>, string]>> = {
  junk: [200, {}, 'not JSON'],
  down: [500, { 'retry-after': '3600' }, '{}'],
  busy: [429, { 'retry-after': '3600' }, '{}'],
  moved: [302, { location: 'https://elsewhere.example/' }, ''],
};

const home = makeHome();
const host = await openFrontHost('http://127.0.0.1:1', {
  instead: ({ path }) => {
    const [status, headers, body] = ANSWERS[path.split('/')[1] ?? ''] ?? [404, {}, '{}'];
    return { status, body, headers: { 'content-type': 'application/json', ...headers } };
  },
});
await fundedWallet(home);
const { fixed, range } = amazonProducts();
const write = (name: string, text: string, mode = 0o600) =>
  writeFileSync(`${home.dir}/${name}`, text, { mode });
write('garbage', 'garbage');
write('open.json', '[]', 0o644);
write('broken.toml', '[mcp_servers.scrip]');
write('broken.json', '{');

const ORDER = ['order', fixed.product_id, ...HERE, ...GIFT] as const;
const brandsOf = (kind: string) => [
  ...['brands', '--country', 'us', '--checkout-url', `${host.url}/${kind}`],
];

const PROVOCATIONS: readonly (readonly [code: Code, words: readonly string[]])[] = [
  ['USAGE', ['brands']],
  ['USAGE', ['orders', '--csv']],
  ['VALUE_REQUIRED', ['price', range.product_id, ...HERE]],
  ['VALUE_OUT_OF_RANGE', ['price', range.product_id, ...HERE, '--value', '999999']],
  ['VALUE_NOT_ALLOWED', ['price', fixed.product_id, ...HERE, '--value', '7']],
  ['PRODUCT_UNKNOWN', ['price', 'nonesuch', ...HERE]],
  ['WALLET_EXISTS', ['wallet', 'new']],
  ['WALLET_INVALID', ['wallet', 'address', '--keypair', 'garbage']],
  ['WALLET_UNSAFE', ['wallet', 'address', '--keypair', 'open.json']],
  ['WALLET_PROFILE_MISMATCH', ['wallet', 'balance', '--rpc-url', 'https://rpc.example']],
  ['NETWORK_UNREACHABLE', ['inspect', 'http://127.0.0.1:1/']],
  ['CHAIN_UNREACHABLE', ['wallet', 'balance', '--rpc-url', 'http://127.0.0.1:1/']],
  ['MERCHANT_REPLY_INVALID', brandsOf('junk')],
  ['MERCHANT_ERROR', brandsOf('down')],
  ['RATE_LIMITED', brandsOf('busy')],
  ['REDIRECT_REFUSED', brandsOf('moved')],
  [
    'FUNDS_TOO_LOW',
    ['order', range.product_id, ...HERE, ...GIFT, '--value', '500', '--yes', '--max-amount', '600'],
  ],
  ['OUTPUT_UNWRITABLE', ['wallet', 'export', '--output', 'garbage']],
  ['SIGNER_FAILED', ['wallet', 'address', '--signer-command', '/bin/false']],
  ['AGENT_CONFIG_INVALID', ['mcp', 'install', 'codex', '--config', 'broken.toml', '--yes']],
  ['CATALOG_INVALID', ['sandbox', '--port', '0', '--catalog', 'broken.json']],
  ['DRAFT_MISSING', ['wizard', '--resume', '--plain', '--yes', '--max-amount', '60']],
  ['WEBHOOK_UNKNOWN', ['sandbox', 'webhooks', 'replay', 'nonesuch']],
];

describe('with --json an error', () => {
  it.each(PROVOCATIONS)('%s is one object on stderr (%#)', async (code, words) => {
    const { status, stdout, stderr } = await home.run([...words, '--json']);
    expect({ stdout, status, code: errorDocument().parse(JSON.parse(stderr)).error.code }).toEqual({
      stdout: '',
      status: CODES[code].exit,
      code,
    });
    expect(stderr).not.toContain(ESCAPE);
  });

  // The codes in their table.
  it.each(Object.keys(CODES) as Code[])('%s has the form of the schema', async (code) => {
    const error = new ScripError(code, t`it[2J happened`, { details: { id: 'x' } });
    const style = { isJson: true, isVerbose: true };
    const text = await renderError(error, style, capture({ hasColor: true }));
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    expect(text).not.toContain(ESCAPE);
    expect(errorDocument().parse(JSON.parse(text)).error).toMatchObject({
      code,
      exit: CODES[code].exit,
    });
  });
});

describe('a reader that leaves after a line', () => {
  it.each([
    'brands --country us',
    'brands --country us --json',
    'brands --country us --ndjson',
    'brands --country us --csv',
    'countries',
    'errors',
    'context',
    'schema order',
    'completion bash',
    '--help',
  ])('is no error: scrip %s | head -1', (line) => {
    const script = `"$0" "$@" ${line} | head -1 > /dev/null; exit "\${PIPESTATUS[0]}"`;
    const { status, stderr } = spawnSync('bash', ['-c', script, ...SCRIP], {
      cwd: home.dir,
      env: { PATH: process.env.PATH ?? '', HOME: home.dir },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

/** Each of stdin, stdout, stderr: a terminal or not. */
/** None, one of each, and all. */
const STREAMS = [0, 2, 5, 7].map((bits) => ({
  stdin: (bits & 4) !== 0,
  stdout: (bits & 2) !== 0,
  stderr: (bits & 1) !== 0,
}));

const hasScript = spawnSync('script', ['--version']).error === undefined;

/** Runs under a pseudo terminal; what is no terminal goes to a file of its own. */
function onTerminals(look: (typeof STREAMS)[number], words: readonly string[]) {
  const redirected = [
    ...(look.stdin ? [] : ['</dev/null']),
    ...(look.stdout ? [] : ['>stdout.txt']),
    ...(look.stderr ? [] : ['2>stderr.txt']),
  ];
  for (const name of ['stdout.txt', 'stderr.txt']) rmSync(`${home.dir}/${name}`, { force: true });
  const line = ['timeout', BOUND_S, inShell([...SCRIP, ...words]), ...redirected].join(' ');
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: home.dir,
    env: { PATH: process.env.PATH ?? '', HOME: home.dir, TERM: 'xterm-256color' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const read = (isTerminal: boolean, name: string): string | undefined =>
    isTerminal ? undefined : readFileSync(`${home.dir}/${name}`, 'utf8');
  return new Promise<{ status: number | null; stdout?: string; stderr?: string }>((resolve) =>
    child.once('close', (status) => {
      const stdout = read(look.stdout, 'stdout.txt');
      const stderr = read(look.stderr, 'stderr.txt');
      resolve({
        status,
        ...(stdout === undefined ? {} : { stdout }),
        ...(stderr === undefined ? {} : { stderr }),
      });
    }),
  );
}

// `script` comes with util-linux; elsewhere it takes other words.
describe.skipIf(!hasScript || process.platform !== 'linux')('on terminals', () => {
  it.each(STREAMS)('a list has no colour where there is none: %j', async (look) => {
    const words = ['brands', '--country', 'us', '--limit', '3'];
    const { status, stdout = '', stderr = '' } = await onTerminals(look, words);
    expect(status).toBe(0);
    expect(stdout + stderr).not.toContain(ESCAPE);
    if (!look.stdout) expect(stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it.each(STREAMS)('with --json stdout is one document and stderr is silent: %j', async (look) => {
    const {
      status,
      stdout,
      stderr = '',
    } = await onTerminals(look, ['wallet', 'balance', '--json']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    if (stdout !== undefined) expect(JSON.parse(stdout)).toHaveProperty('usdc_atomic');
  });

  it.each(STREAMS)('nobody is asked who was not to be asked: %j', async (look) => {
    const mayAsk = look.stdin && look.stderr;
    const words = [...ORDER, ...(mayAsk ? ['--no-input'] : [])];
    const { status, stdout = '', stderr = '' } = await onTerminals(look, words);
    expect(status).toBe(CODES.TERMINAL_REQUIRED.exit);
    expect(stdout).toBe('');
    expect(stderr).not.toContain(ESCAPE);
    if (!look.stderr) expect(stderr).toContain('TERMINAL_REQUIRED');
  });
});
