import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import type { GlobalFlags } from '../../src/cli/settings/settings.ts';
import { SOLANA_MAINNET } from '../../src/contract/usdc.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { atomic } from '../../src/domain/money/money.ts';
import type { PayerRail } from '../../src/rails/rail.ts';
import type { PlayMarks } from '../../src/wallet/play-marks.ts';
import type { Wallets } from '../../src/wallet/wallets.ts';
import { stubRail } from '../support/rails.ts';
import {
  type ContextParts,
  capture,
  merged,
  smallContext,
  smallHost,
  smallSettings,
} from '../support/small-context.ts';

const ADDRESS = '7JZic8gYkssMLbrqaiFgxWSU7QAicTvyBMmofQihg68x';
const DEFAULT_FILE = '/home/ada/.local/share/scrip/wallets/sandbox.json';

const WRITTEN = { address: ADDRESS, evmAddress: undefined, isEncrypted: false };

const wallets: Wallets = {
  ...smallContext().keys.wallets,
  create: async (_path, { isEncrypted }) => ({ ...WRITTEN, isEncrypted }),
  import: async () => ({ ...WRITTEN, from: 'JSON' }),
  encrypt: async () => ADDRESS,
  changePassphrase: async () => ADDRESS,
  reveal: async () => ({ address: ADDRESS, text: '[1,2]\n' }),
  open: async () => ({ address: ADDRESS, sign: async () => new Uint8Array(64) }),
};

const KEY = { address: ADDRESS, keypair: DEFAULT_FILE };

function railWith(balances: PayerRail['balances']): ContextParts {
  return { keys: { wallets }, parts: { rail: async () => stubRail({ balances }) } };
}

const holding = (usdc: bigint | null, lamports: bigint): ContextParts =>
  railWith(async (address) => ({
    ...{ address, coinAtomic: atomic(lamports), usdcAtomic: usdc === null ? null : atomic(usdc) },
  }));

/** The wallets that the command marks as play money. */
const marked = new Set<string>();
const playMarks: PlayMarks = {
  has: async (address) => marked.has(address),
  add: async (address) => void marked.add(address),
  remove: async (address) => void marked.delete(address),
};

async function run(words: readonly string[], parts: ContextParts = { keys: { wallets } }) {
  marked.clear();
  const host = smallHost(merged({ parts: { playMarks } }, parts));
  const exit = await runProgram(['wallet', ...words, '--json'], host);
  const [out, error] = [host.stdout.text(), host.stderr.text()];
  return {
    exit,
    json: out === '' ? undefined : JSON.parse(out),
    error: error === '' ? undefined : JSON.parse(error).error,
  };
}

describe('scrip wallet', () => {
  it('new makes the key file of the profile', async () => {
    expect((await run(['new'])).json).toEqual({ address: ADDRESS, keypair: DEFAULT_FILE });
    expect([...marked]).toEqual([ADDRESS]);
  });

  it('new makes the key file that is named', async () => {
    expect((await run(['new', '--keypair', '/keys/k.json'])).json.keypair).toBe('/keys/k.json');
    expect([...marked]).toEqual([]);
  });

  const importing: readonly (readonly [words: readonly string[], request: object])[] = [
    [['id.json'], { place: { file: 'id.json' }, isSeed: false, isEncrypted: false }],
    [['-', '--encrypt', '--weak-ok'], { place: { file: '-' }, isEncrypted: true, isWeakOk: true }],
    [['--from-fd', '3', '--seed'], { place: { fd: 3 }, isSeed: true }],
    [[], { place: {} }],
    [['p', '--account', '2'], { derivation: { kind: 'path', indexes: [44, 501, 2, 0] } }],
    [['p', '--path', "m/44'/501'"], { derivation: { kind: 'path', indexes: [44, 501] } }],
    [['p', '--no-derivation'], { derivation: { kind: 'none' } }],
    [['p', '--phrase-passphrase-file', 'w'], { phrasePassphraseFile: 'w' }],
  ];

  it.each(importing)('import %j goes to the key file of the profile', async (words, request) => {
    const asked: unknown[] = [];
    const copying: Wallets = {
      ...wallets,
      import: async (...given) => {
        asked.push(given);
        return { ...WRITTEN, from: 'JSON' };
      },
    };
    const { json } = await run(['import', ...words], { keys: { wallets: copying } });
    expect(json).toEqual({ ...KEY, from: 'JSON', encrypted: false });
    expect(asked).toEqual([[DEFAULT_FILE, expect.objectContaining(request)]]);
  });

  it.each([
    ['two files', ['a.json', 'b.json'], 'USAGE'],
    ['a file and a descriptor', ['a.json', '--from-fd', '3'], 'USAGE'],
    ['a path and an account', ['a', '--account', '1', '--path', "m/0'"], 'USAGE'],
    ['an account and no derivation', ['a', '--account', '1', '--no-derivation'], 'USAGE'],
    ['an account that is no number', ['a', '--account', 'x'], 'INPUT_INVALID'],
    ['an account out of range', ['a', '--account', '2147483648'], 'INPUT_INVALID'],
    ['a step that is not hardened', ['a', '--path', "m/44'/501"], 'INPUT_INVALID'],
    ['a descriptor that is written to', ['--from-fd', '1'], 'INPUT_INVALID'],
  ])('import refuses %s', async (_what, words, code) => {
    expect(await run(['import', ...words])).toMatchObject({ exit: 2, error: { code } });
  });

  it.each([
    ['a key in base58', ['4wBqpZM9k6o1pnvGFvQ3QkzT3Vw5W7t1hXgkS7H4xYbN2pTn3c']],
    ['a phrase in words', 'abandon '.repeat(11).concat('about').split(' ')],
    ['a phrase in quotes', ['abandon '.repeat(11).concat('about')]],
    ['a key in JSON', ['[12,34,56']],
  ])('import takes no secret from the command line: %s', async (_what, words) => {
    const { exit, error } = await run(['import', ...words]);
    expect({ exit, code: error.code }).toEqual({ exit: 2, code: 'INPUT_INVALID' });
    expect(error.message).toContain('other users can read');
    expect(JSON.stringify(error)).not.toContain(words[0]?.trim().split(' ')[0]);
  });

  it('a key in place of a key file’s name is refused and not repeated', async () => {
    const key = '4wBqpZM9k6o1pnvGFvQ3QkzT3Vw5W7t1hXgkS7H4xYbN2pTn3c';
    const host = {
      ...smallHost({ keys: { wallets } }),
      open: async (flags: GlobalFlags) => smallContext({ settings: smallSettings(flags) }),
    };
    expect(await runProgram(['wallet', 'address', '--keypair', key], host)).toBe(2);
    expect(host.stderr.text()).toContain('looks like a secret key');
    expect(host.stderr.text()).not.toContain(key);
  });

  it.each([
    ['new', ['--encrypt'], { encrypted: true }],
    ['encrypt', [], { encrypted: true }],
    ['change-passphrase', ['--new-passphrase-file', 'new'], { encrypted: true }],
  ])('%s %j says that the file is encrypted', async (verb, words, expected) => {
    expect((await run([verb, ...words])).json).toEqual({ ...KEY, ...expected });
  });

  it('export writes to the file that is named, and prints no secret', async () => {
    const saved: unknown[] = [];
    const writeSecret = async (...given: unknown[]) => void saved.push(given);
    const { json } = await run(['export', '--output', 'id.json'], {
      keys: { wallets },
      io: { writeSecret },
    });
    expect(saved).toEqual([['id.json', '[1,2]\n']]);
    expect(json).toEqual({ ...KEY, output: 'id.json', format: 'json' });
  });

  it('is marked as play money by nobody but a person', async () => {
    const { exit, error } = await run(['mark-play', '--keypair', '/keys/k.json']);
    expect([exit, error.code, [...marked]]).toEqual([2, 'TERMINAL_REQUIRED', []]);
  });

  it('export prints a secret to nobody but a person', async () => {
    expect(await run(['export'])).toMatchObject({
      exit: 2,
      json: undefined,
      error: { code: 'TERMINAL_REQUIRED', hint: expect.stringContaining('--output') },
    });
  });

  it.each([
    [true, 0, '[1,2]\n'],
    [false, 7, ''],
  ])('export on a terminal prints the key if the answer is %j', async (answer, exit, printed) => {
    const stdout = capture({ isTerminal: true });
    const parts = {
      keys: { wallets },
      settings: { ...smallSettings(), mayPrompt: true },
      io: { stdout, prompter: { ...smallContext().io.prompter, confirm: async () => answer } },
    };
    const host = smallHost(parts, { stdout });
    expect(await runProgram(['wallet', 'export'], host)).toBe(exit);
    expect(stdout.text()).toBe(printed);
  });

  it('import of a file that is not there says to check its path', async () => {
    const missing = () => Promise.reject(new ScripError('WALLET_MISSING', t`no file`));
    const { exit, error } = await run(['import', '/nope'], {
      keys: { wallets: { ...wallets, import: missing } },
    });
    expect([exit, error.hint]).toEqual([3, 'Check the path of the key file.']);
  });

  it('address asks no host', async () => {
    expect((await run(['address'])).json.address).toBe(ADDRESS);
  });

  it('balance shows USDC and SOL, as decimals and in smallest units', async () => {
    expect((await run(['balance'], holding(25_250_000n, 1_500_000_000n))).json).toEqual({
      ...{ address: ADDRESS, network: SOLANA_MAINNET, money: 'play', has_usdc_account: true },
      ...{ usdc: '25.25', usdc_atomic: '25250000', sol: '1.5', lamports: '1500000000' },
    });
  });

  it('balance is zero where the chain knows of no account', async () => {
    const shown = await run(['balance'], holding(null, 0n));
    expect(shown.json).toMatchObject({ usdc: '0.00', has_usdc_account: false });
  });

  it('balance is an error and no zero where the chain is down', async () => {
    const parts = railWith(async () => {
      throw new ScripError('CHAIN_UNREACHABLE', t`the RPC is down`);
    });
    expect(await run(['balance'], parts)).toMatchObject({
      exit: 4,
      json: undefined,
      error: { code: 'CHAIN_UNREACHABLE' },
    });
  });

  it.each([
    [[], 100_000_000n, 1_000_000_000n],
    [['--usdc', '2.5', '--sol', '0'], 2_500_000n, 0n],
  ])('fund %j adds exactly that', async (words, usdcAtomic, lamports) => {
    const given: unknown[] = [];
    const fund = async (...funds: unknown[]) => void given.push(funds);
    await run(['fund', ...words], merged(holding(usdcAtomic, lamports), { keys: { fund } }));
    expect(given).toEqual([[ADDRESS, { usdcAtomic, lamports }]]);
  });

  it.each(['-1', '1e3', '0.0000001', 'all'])(
    'fund gives nothing for the amount %s',
    async (amount) => {
      expect(await run(['fund', `--usdc=${amount}`])).toMatchObject({
        exit: 2,
        error: { code: 'AMOUNT_INVALID' },
      });
    },
  );

  it.each(['address', 'balance', 'fund'])(
    '%s says how to make a wallet where there is none',
    async (verb) => {
      const open = async () => {
        throw new ScripError('WALLET_MISSING', t`there is no key file`);
      };
      expect(await run([verb], { keys: { wallets: { ...wallets, open } } })).toMatchObject({
        exit: 3,
        error: { code: 'WALLET_MISSING', hint: 'Run: scrip wallet new' },
      });
    },
  );

  describe.each(['address', 'balance', 'fund', 'new'])('%s against a live host', (verb) => {
    it.each([
      ['--checkout-url', 'https://shop.example'],
      ['--api-url', 'https://shop.example'],
      ['--rpc-url', 'https://rpc.example'],
      ['--checkout-url', 'https://shop.example', '--keypair', DEFAULT_FILE],
    ])('refuses the sandbox wallet: %s %s', async (...flags) => {
      const { exit, json, error } = await run([verb, ...flags]);
      expect([exit, json, error.code]).toEqual([5, undefined, 'WALLET_PROFILE_MISMATCH']);
      expect(String(error.hint)).not.toContain(ADDRESS);
    });
  });

  it('address of a wallet of its own is told for a live host', async () => {
    const flags = ['--checkout-url', 'https://shop.example', '--keypair', '/keys/k.json'];
    expect((await run(['address', ...flags])).json.address).toBe(ADDRESS);
  });
});
