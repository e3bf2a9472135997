/** Whose money is play money: the wallet decides, and no name of a host and no answer of a chain. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listenOn } from '../support/at-end.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, orderOf } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const SLOW_MS = 60_000;
const BOUGHT = { status: 0, code: 'none' };
const HOST = { status: 6, code: 'HOST_NOT_ALLOWED' };
const OTHER = { 'x402.example': { payTo: 'any' } };

/** A shop and a chain that belong to somebody else; this home reaches them by a relay on loopback. */
const shop = makeHome();
const home = makeHome();
const real = join(home.dir, 'real.json');

const sandbox = await serveSandbox(shop);
const port = Number(new URL(sandbox.url).port);
const relay = createServer((near) => {
  const far = connect(port, '127.0.0.1');
  near.on('error', () => far.destroy()).pipe(far);
  far.on('error', () => near.destroy()).pipe(near);
});
const url = await listenOn(relay);
const flags = ['--checkout-url', url, '--rpc-url', `${url}/rpc`];
const made = await home.json<{ address: string }>(['wallet', 'new', '--keypair', real]);
const owner = made.address;
await home.json(['wallet', 'fund', '--usdc', '1000', '--keypair', real, ...flags]);
const product = amazonProducts().fixed.product_id;

const writePolicy = (dir: string, policy: unknown): void => {
  mkdirSync(join(dir, '.config', 'scrip'), { recursive: true });
  const path = join(dir, '.config', 'scrip', 'policy.json');
  writeFileSync(path, JSON.stringify(policy), { mode: 0o600 });
};
const held = (address: string): Promise<bigint> => ledgerAt(`${sandbox.url}/rpc`).balance(address);
const ordered = async (from: Home, more: readonly string[]) => {
  const { status, stderr } = await from.run(orderOf(product, ['--json', ...more]));
  return { status, code: status === 0 ? 'none' : JSON.parse(stderr).error.code };
};
const byRelay = (key: string) => ['--keypair', real, '--idempotency-key', key, ...flags];
const relayHost = () => new URL(flags[1] ?? '').host;

describe('a wallet that is not the sandbox’s own, at a merchant and a chain behind a loopback address', () => {
  it('pays nobody that the policy does not name, and is told how to name a host or mark a wallet', async () => {
    const { hint, ...refused } = await home.failure(orderOf(product, byRelay('no-policy')));
    expect(refused).toMatchObject(HOST);
    expect(hint).toContain(`scrip policy set hosts.${relayHost()} any`);
    expect(hint).toContain('scrip wallet mark-play');
    writePolicy(home.dir, { hosts: OTHER, nonInteractive: { enabled: false } });
    expect(await ordered(home, byRelay('others'))).toEqual(HOST);
    const partner = ['--via', 'partner', '--pay', '--coin', 'USDC', '--network', 'Solana'];
    expect(await ordered(home, [...byRelay('partner'), ...partner])).toEqual(HOST);
    expect(await held(owner)).toBe(1_000_000_000n);
  });

  it('asks a person, and needs a key of the caller’s, where the host is named', async () => {
    writePolicy(home.dir, { hosts: { [relayHost()]: { payTo: 'any' } } });
    expect(await ordered(home, byRelay('unasked'))).toEqual({ status: 7, code: 'UNATTENDED_OFF' });
    writePolicy(home.dir, {
      hosts: { [relayHost()]: { payTo: 'any' } },
      nonInteractive: { enabled: true },
    });
    const own = ['--keypair', real, ...flags];
    expect(await ordered(home, own)).toEqual({ status: 2, code: 'USAGE' });
    expect(await home.json(['policy', 'show', ...own])).toMatchObject({ money: 'real' });
    expect(await held(owner)).toBe(1_000_000_000n);
  });

  it('does not believe the merchant what the chain says, unless its RPC was named', async () => {
    const own = ['--keypair', real, ...flags.slice(0, 2)];
    const key = ['--idempotency-key', 'merchant-is-the-rpc'];
    const partner = ['--via', 'partner', '--pay', '--coin', 'USDC', '--network', 'Solana'];
    for (const surface of [[], partner]) {
      const refused = await home.failure(orderOf(product, [...own, ...key, ...surface]));
      expect(refused).toMatchObject({
        ...{ status: 6, code: 'SPENDING_UNKNOWN', funds_at_risk: 'none' },
        message: expect.stringContaining(relayHost()),
        hint: expect.stringContaining('--rpc-url https://api.mainnet-beta.solana.com'),
      });
    }
    const check = ['policy', 'check', '--amount', '1', '--host', flags[1] ?? ''];
    expect((await home.failure([...check, ...own])).code).toBe('SPENDING_UNKNOWN');
    expect(await home.json(['policy', 'show', ...own])).toMatchObject({
      today: { left: '0.00', counted: 'journal' },
    });
    expect(await held(owner)).toBe(1_000_000_000n);
    // Of both networks: the wallet has a key for each.
    const env = { SCRIP_RPC_URL: flags[3] ?? '', SCRIP_BASE_RPC_URL: `${flags[3]}/base` };
    const shown = await home.json(['policy', 'show', ...own], { env });
    expect(shown).toMatchObject({ today: { counted: 'chain' } });
  });

  it('is no play money because its key lies where the sandbox’s own would', async () => {
    const other = makeHome();
    await other.json(['wallet', 'import', real]);
    expect(await ordered(other, ['--idempotency-key', 'imported', ...flags])).toEqual(HOST);
    expect(await ordered(other, ['--idempotency-key', 'imported'])).toEqual(HOST);
  });
});

describe('the sandbox’s own wallet', () => {
  const own = makeHome();
  const key = (name: string) => ['--idempotency-key', name, ...flags];
  beforeAll(() => fundedWallet(own, flags));

  it('buys from a sandbox elsewhere on this machine, with nobody to ask', async () => {
    expect(await ordered(own, flags)).toEqual({ status: 0, code: 'none' });
    expect(await own.json(['policy', 'show', ...flags])).toMatchObject({ money: 'play' });
  });

  it.each([
    ['other hosts alone', () => ({ hosts: OTHER }), HOST],
    ['no host', () => ({ hosts: {} }), HOST],
    [
      'nothing without a person',
      () => ({ nonInteractive: { enabled: false } }),
      { status: 7, code: 'UNATTENDED_OFF' },
    ],
    ['so much a day', () => ({ perDay: '15' }), { status: 6, code: 'SPENDING_LIMIT' }],
    ['this host', () => ({ hosts: { [relayHost()]: { payTo: 'any' } } }), BOUGHT],
  ])('keeps to a policy that states %s', async (what, policy, end) => {
    writePolicy(own.dir, policy());
    expect(await ordered(own, key(what.replaceAll(' ', '-')))).toEqual(end);
  });

  it('buys from the embedded service, which is no host', async () => {
    writePolicy(own.dir, { hosts: OTHER });
    await own.json(['wallet', 'fund']);
    expect(await ordered(own, [])).toEqual(BOUGHT);
  });

  it('is refused at a live host, by whatever path', async () => {
    const keypair = join(own.dir, '.local/share/scrip/wallets/sandbox.json');
    const copy = join(own.dir, 'copy.json');
    copyFileSync(keypair, copy);
    const live = ['--checkout-url', 'https://x402.example', '--keypair', copy];
    expect(await ordered(own, live)).toEqual({ status: 5, code: 'WALLET_PROFILE_MISMATCH' });
    expect((await own.run(['wallet', 'address', ...live])).status).toBe(5);
  });
});

describe.skipIf(noTerminalBecause !== undefined)('a wallet that its owner marks', () => {
  it(
    'holds play money from then on, until the mark is taken away',
    async () => {
      const mine = makeHome();
      const keypair = join(mine.dir, 'mine.json');
      const words = ['wallet', 'mark-play', '--keypair', keypair];
      await mine.json(['wallet', 'new', '--keypair', keypair]);
      await mine.json(['wallet', 'fund', '--keypair', keypair, ...flags]);
      const mark = async (keys: string) =>
        (await answering(openTerminal(words, mine), ['as test money?', keys])).status;
      expect(await mark(KEYS.enter)).toBe(7);
      expect(await ordered(mine, ['--keypair', keypair, ...flags])).toEqual(HOST);
      expect(await mark(KEYS.yes)).toBe(0);
      expect(await ordered(mine, ['--keypair', keypair, ...flags])).toEqual(BOUGHT);
      expect(await mine.json([...words, '--off'])).toMatchObject({ money: 'real' });
      expect(await ordered(mine, ['--keypair', keypair, ...flags])).toEqual(HOST);
    },
    SLOW_MS,
  );

  it('is not marked where others may write the mark', async () => {
    const mine = makeHome();
    await mine.json(['wallet', 'new']);
    const folder = join(mine.dir, '.local/share/scrip/play');
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o666);
    expect(await ordered(mine, flags)).toEqual({ status: 13, code: 'WALLET_UNSAFE' });
  });
});
