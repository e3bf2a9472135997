import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { encryptedWallet as makeEncrypted } from '../support/encrypted-wallet.ts';
import { amazonProducts, buy, fund, markPlay, orderOf } from '../support/shop.ts';
import { makeSignerCommand, type SignerCommand } from '../support/signer-command.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const PASSPHRASE = 'sesame swordfish xyzzy';
/** Deriving keys takes memory and time, by intent. */
const SLOW_MS = 90_000;
const KEY_FILE = '.local/share/scrip/wallets/sandbox.json';

let home: Home;
beforeEach(() => {
  home = makeHome();
});

const at = (name: string): string => join(home.dir, name);

function writePassphrase(text = PASSPHRASE, name = 'passphrase'): string {
  writeFileSync(at(name), `${text}\n`, { mode: 0o600 });
  return at(name);
}

describe('an encrypted wallet', async () => {
  const own = makeHome();
  const address = await makeEncrypted(own, PASSPHRASE);
  await fund(own, address);
  const { fixed } = amazonProducts();
  beforeEach(() => {
    home = own;
    writePassphrase();
  });

  it('sends nothing without its passphrase, or with another', async () => {
    const words = orderOf(fixed.product_id);
    const refusal = { stdout: '', funds_at_risk: 'none' };
    const needed = { ...refusal, status: 2, code: 'PASSPHRASE_REQUIRED' };
    const partner = [...words, '--via', 'partner', '--pay'];
    for (const surface of [words, partner]) {
      expect(await home.failure(surface)).toMatchObject(needed);
      // A rehearsal needs none.
      expect((await home.run([...surface, '--dry-run'])).status).toBe(0);
    }
    const env = { SCRIP_PASSPHRASE: 'another passphrase' };
    const wrong = await home.failure(words, { env });
    expect(wrong).toMatchObject({ ...refusal, status: 13, code: 'PASSPHRASE_WRONG' });
    expect(JSON.stringify(wrong)).not.toContain('another passphrase');
    expect(await home.json(['orders'])).toEqual([]);
  });

  it('needs no passphrase to be looked at', async () => {
    for (const verb of ['address', 'balance']) {
      expect(await home.json(['wallet', verb])).toMatchObject({ address });
    }
  });

  it('buys with its passphrase from a file, or from a pipe', { timeout: SLOW_MS }, async () => {
    const ways = [
      { words: ['--passphrase-file', at('passphrase')], input: '' },
      { words: ['--passphrase-fd', '0'], input: `${PASSPHRASE}\n` },
    ];
    for (const [time, { words, input }] of ways.entries()) {
      const key = ['--idempotency-key', `way-${time}`];
      const order = await buy(home, fixed.product_id, [...words, ...key], { input });
      expect(order).toMatchObject({ status: 'completed', payer: address });
    }
  });
});

describe('a wallet that becomes encrypted', () => {
  it('is made by naming a passphrase, also without --encrypt', async () => {
    await home.json(['wallet', 'new', '--passphrase-file', writePassphrase()]);
    expect(JSON.parse(readFileSync(at(KEY_FILE), 'utf8'))).toMatchObject({ type: 'scrip-key' });
  });
});

describe('a signer command', () => {
  let signer: SignerCommand;
  beforeAll(async () => {
    signer = await makeSignerCommand();
  });
  afterAll(() => signer.remove());

  const flags = (manner?: string): readonly string[] => [
    '--signer-command',
    JSON.stringify(signer.command(manner)),
  ];

  it('buys, and the codes in the journal open with it', async () => {
    const env = { SCRIP_PASSPHRASE: 'not for signers' };
    markPlay(home, signer.address);
    await home.json(['wallet', 'fund', '--usdc', '200', ...flags()]);
    const { fixed } = amazonProducts();
    const order = await buy(home, fixed.product_id, [...flags()], { env });
    expect(order).toMatchObject({ status: 'completed', payer: signer.address });
    const shown = await home.json<unknown>(['orders', 'reveal', order.order_id, ...flags()]);
    expect(JSON.stringify(shown)).toContain(order.deliveries[0]?.voucher_code);
    expect(isThere(at(KEY_FILE))).toBe(false);

    const isOffChain = (message: Buffer): boolean =>
      message[0] === 0xff && message.subarray(1, 16).toString() === 'solana offchain';
    const transactions = signer.messages().filter((message) => !isOffChain(message));
    expect(transactions).toHaveLength(1);
    expect(signer.given()).not.toContain('not for signers');
    expect(signer.given()).not.toContain('SCRIP_PASSPHRASE"');
  });

  it('that has another key, fails or declines buys nothing', async () => {
    markPlay(home, signer.address);
    await fund(home, signer.address);
    const { fixed } = amazonProducts();
    for (const [manner, status, code] of [
      ['another-key', 13, 'SIGNER_FAILED'],
      ['fails', 13, 'SIGNER_FAILED'],
      ['declines', 7, 'DECLINED'],
    ] as const) {
      const refused = await home.failure(orderOf(fixed.product_id, flags(manner)));
      expect(refused).toMatchObject({ status, stdout: '', code, funds_at_risk: 'none' });
    }
  });
});

describe('a passphrase of the environment', () => {
  it('is in no report that the runtime is told to write', async () => {
    const env = {
      SCRIP_PASSPHRASE: PASSPHRASE,
      NODE_OPTIONS: '--report-on-signal --report-signal=SIGUSR2',
    };
    const child = home.start(['sandbox', '--port', '0', '--json'], { env });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill('SIGUSR2');
    await ended;
    expect(readdirSync(home.dir).filter((name) => name.startsWith('report'))).toEqual([]);
  });
});

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

describe.skipIf(noTerminalBecause)('at a terminal', () => {
  const asked = /sandbox\.json:/;
  /** Wide enough for the path of a key. */
  const open = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    openTerminal(words, home, { columns: 200, env });

  it('a passphrase is typed twice, and never shown', async () => {
    const { status, written } = await answering(
      open(['wallet', 'new', '--encrypt']),
      [asked, `${PASSPHRASE}\r`],
      ['again:', `${PASSPHRASE}\r`],
    );
    expect(status).toBe(0);
    for (const word of PASSPHRASE.split(' ')) expect(written).not.toContain(word);
    const out = ['wallet', 'export', '--output', at('id.json'), '--passphrase-file'];
    expect((await home.run([...out, writePassphrase()])).status).toBe(0);
  });

  it('a wrong passphrase may be corrected, and the environment is not asked', async () => {
    const address = await makeEncrypted(home, PASSPHRASE);
    const words = ['wallet', 'export', '--output', at('id.json')];
    const env = { SCRIP_PASSPHRASE: 'of the environment' };
    const { status, written } = await answering(
      open(words, env),
      [/Passphrase of[\s\S]*:/, 'wrong passphrase\r'],
      [/Wrong passphrase\. Passphrase of[\s\S]*:/, `${PASSPHRASE}\r`],
    );
    expect(status).toBe(0);
    expect(written).toContain(address);
    expect(written).not.toContain('wrong passphrase');
  });

  it('Ctrl-C at the question ends it, and leaves nothing behind', async () => {
    const terminal = open(['wallet', 'new', '--encrypt']);
    const { status, written } = await answering(terminal, [asked, `half a pass${KEYS.ctrlC}`]);
    expect([status, written.includes('half a pass')]).toEqual([130, false]);
    expect(isThere(at(KEY_FILE))).toBe(false);
  });

  it('a phrase is typed without being shown', async () => {
    const phrase = `${'abandon '.repeat(11)}about\r`;
    const terminal = open(['wallet', 'import']);
    const { status, written } = await answering(terminal, ['recovery phrase:', phrase]);
    expect([status, written.includes('abandon')]).toEqual([0, false]);
    expect(written).toContain('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
  });
});
