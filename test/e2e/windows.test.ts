/** The command line on Windows: what is refused there, and under Wine the real Node for Windows. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome, SCRIP } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { serveHere } from '../support/served-here.ts';
import { fundedWallet, type OrderDocument } from '../support/shop.ts';
import { answering, noTerminalBecause, openProgram } from '../support/terminal.ts';
import { noWindowsBecause, type WindowsHome, windowsHome } from '../support/windows.ts';

const STEAM = ['order', 'steam', '20', '--country', 'us', '--to', 'friend@example.com'] as const;
const AGREED = ['--email', 'you@example.com', '--yes', '--max-amount', '21'] as const;
/** As a spreadsheet of Windows saves it. */
const CART =
  '\ufeffbrand,value,to\r\nAmazon,25,friend@example.com\r\nSteam,20,sister@example.com\r\n';

const shop = makeHome();
const { url, flags } = await serveHere(shop);
const payments = (address: string) => ledgerAt(`${url}/rpc`).payments(address);

describe('where files are as on Windows', () => {
  const home = makeHome();
  const log = join(home.dir, 'log');
  const preload = fileURLToPath(new URL('../support/like-windows.cjs', import.meta.url));
  const env = { NODE_OPTIONS: `--require=${preload}`, LIKE_WINDOWS_LOG: log };

  it('a purchase is paid once, and each name is durable before the next step', async () => {
    const payer = await fundedWallet(home, flags);
    const words = [...STEAM, ...AGREED, ...flags, '--idempotency-key', 'k'];
    const killed = await home.run(words, { env: { ...env, SCRIP_FAIL_POINT: 'payment-sent' } });
    expect(killed.signal).toBe('SIGKILL');
    const order = await home.json<OrderDocument>(words, { env });
    expect(order.status).toBe('completed');
    expect(await payments(payer)).toEqual([order.transaction]);

    const steps = readFileSync(log, 'utf8').trim().split('\n');
    const named = steps.flatMap((step, at) => (/^named .*\.rec$/.test(step) ? [at] : []));
    expect(named.length).toBeGreaterThan(5);
    for (const at of named) expect(steps[at + 1]).toBe(steps[at]?.replace('named', 'flushed'));
  });

  it('a file that a reader has open is replaced when it is free', async () => {
    for (const limit of ['90', '80']) {
      await home.json(['policy', 'set', 'perDay', limit], { env });
    }
    const policy = await home.json<{ limits: unknown }>(['policy', 'show'], { env });
    expect(JSON.stringify(policy)).toContain('80');
  });

  it('names of profiles differ in more than case, and none is a device', async () => {
    await home.json(['profile', 'add', 'live', '--checkout-url', url]);
    for (const name of ['Live', 'SANDBOX', 'aux', 'com1']) {
      expect(await home.failure(['profile', 'add', name])).toMatchObject({ code: 'INPUT_INVALID' });
    }
  });
});

describe.skipIf(noWindowsBecause !== undefined)('the Node for Windows', () => {
  const folder = mkdtempSync(join(shop.dir, 'windows-'));
  let windows: WindowsHome;
  beforeAll(async () => {
    windows = await windowsHome(folder, SCRIP[1] ?? '');
  });
  const run = async (words: readonly string[], env = {}) =>
    windows.run([...words, ...flags], { SCRIP_TEST: '1', SCRIP_POLL_MS: '300', ...env });
  const json = async <T = Readonly<Record<string, string>>>(
    words: readonly string[],
  ): Promise<T> => {
    const { status, stdout, stderr } = await run([...words, '--json']);
    expect([status, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as T;
  };

  it('buys at a remote host, once, also after it was killed', async () => {
    const { address = '', keypair } = await json(['wallet', 'new']);
    expect(keypair).toMatch(
      /^C:\\users\\\w+\\AppData\\Local\\scrip\\data\\wallets\\sandbox\.json$/,
    );
    // Enough for a reservation of each process.
    await json(['wallet', 'fund', '--usdc', '200']);
    const words = [...STEAM, ...AGREED, '--idempotency-key', 'k'];
    const killed = await run(words, { SCRIP_FAIL_POINT: 'payment-sent' });
    expect([killed.status, killed.stdout]).toEqual([expect.any(Number), '']);
    const order = await json<OrderDocument>(words);
    expect([order.status, await payments(address)]).toEqual(['completed', [order.transaction]]);

    writeFileSync(join(windows.profile, 'gifts.csv'), CART);
    const cart = keypair?.replace(/AppData.*/, 'gifts.csv') ?? '';
    const limits = ['--email', 'you@example.com', '--yes', '--max-total', '60'];
    const all = ['order', '--cart', cart, '--country', 'us', ...limits];
    const lines = await json<readonly { readonly status: string }[]>(all);
    expect(lines.map(({ status }) => status)).toEqual(['completed', 'completed']);
    await json(all);
    expect(await payments(address)).toHaveLength(2);

    const gift = ['order', 'amazon', '25', '--country', 'us', '--to', 'sister@example.com'];
    const agreed = ['--email', 'you@example.com', '--yes', '--max-amount', '26'];
    const atOnce = Array.from({ length: 3 }, () =>
      json<OrderDocument>([...gift, ...agreed, '--idempotency-key', 'at-once']),
    );
    const ids = (await Promise.all(atOnce)).map(({ order_id }) => order_id);
    expect(ids).toEqual(Array(3).fill(ids[0]));
    expect(await payments(address)).toHaveLength(3);
  });

  it('has no embedded service', async () => {
    const { status, stderr } = await windows.run(['brands', '--country', 'us']);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error\[PLATFORM_UNSUPPORTED\]/)]);
  });

  it('warns of a key outside the profile, and proposes commands as PowerShell reads them', async () => {
    const made = await run(['wallet', 'new', '--keypair', 'C:\\a key.json']);
    expect(made.stderr).toContain("--keypair 'C:\\a key.json'");
    const { stdout } = await run(['doctor', '--keypair', 'C:\\a key.json']);
    expect(stdout).toContain('its file is outside your user profile');
  });

  it.skipIf(noTerminalBecause !== undefined)('asks for a passphrase at its console', async () => {
    const key = ['--keypair', 'C:\\asked.json'];
    const words = [...windows.words, 'wallet', 'new', '--encrypt', ...key, ...flags];
    const terminal = openProgram(words, { dir: folder }, { env: windows.env, columns: 160 });
    const secret = 'sesame swordfish xyzzy';
    const { status, written } = await answering(
      terminal,
      [/New passphrase of .*json:/, `${secret}\r`],
      ['again:', `${secret}\r`],
    );
    // Wine itself switches the echo of its terminal off when a program first reads a key.
    const after = written.slice(written.lastIndexOf('again:'));
    expect([status, after.includes(secret)]).toEqual([0, false]);
    const env = { SCRIP_PASSPHRASE: secret };
    const exported = await run(['wallet', 'export', ...key, '--output', 'C:\\copy.json'], env);
    expect(exported.status).toBe(0);
  });
});
