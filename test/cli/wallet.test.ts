import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { SOLANA_MAINNET } from '../../src/contract/usdc.ts';
import { ScripError } from '../../src/domain/errors.ts';
import { atomic } from '../../src/domain/money.ts';
import type { PayerRail } from '../../src/rails/rail.ts';
import { smallHost } from '../support/small-context.ts';

const ADDRESS = '7JZic8gYkssMLbrqaiFgxWSU7QAicTvyBMmofQihg68x';
const DEFAULT_FILE = '/home/ada/.local/share/scrip/wallets/sandbox.json';

const wallets: Context['wallets'] = {
  create: async () => ADDRESS,
  import: async () => ADDRESS,
  open: async () => ({ address: ADDRESS, sign: async () => new Uint8Array(64) }),
};

function railWith(balances: PayerRail['balances']): Partial<Context> {
  const rail: PayerRail = {
    network: SOLANA_MAINNET,
    checkRequirement: async () => undefined,
    sign: () => Promise.reject(new Error('nothing is signed here')),
    fate: () => Promise.reject(new Error('nothing was sent here')),
    isLive: async () => true,
    balances,
  };
  return { wallets, rail: async () => rail };
}

async function run(words: readonly string[], parts: Partial<Context> = { wallets }) {
  const host = smallHost(parts);
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
  });

  it('new makes the key file that is named', async () => {
    expect((await run(['new', '--keypair', '/keys/k.json'])).json.keypair).toBe('/keys/k.json');
  });

  it('import copies to the key file of the profile', async () => {
    const copies: string[][] = [];
    const copying = {
      ...wallets,
      import: async (...paths: string[]) => {
        copies.push(paths);
        return ADDRESS;
      },
    };
    await run(['import', 'id.json'], { wallets: copying });
    expect(copies).toEqual([[DEFAULT_FILE, 'id.json']]);
  });

  it('import of a file that is not there says to check its path', async () => {
    const missing = () => Promise.reject(new ScripError('WALLET_MISSING', 'no file'));
    const { exit, error } = await run(['import', '/nope'], {
      wallets: { ...wallets, import: missing },
    });
    expect({ exit, hint: error.hint }).toEqual({
      exit: 3,
      hint: 'Check the path of the key file.',
    });
  });

  it('address asks no host', async () => {
    expect((await run(['address'])).json.address).toBe(ADDRESS);
  });

  it('balance shows USDC and SOL, as decimals and in smallest units', async () => {
    const parts = railWith(async (address) => ({
      address,
      lamports: 1_500_000_000n,
      usdcAtomic: atomic(25_250_000n),
    }));
    expect((await run(['balance'], parts)).json).toEqual({
      address: ADDRESS,
      network: SOLANA_MAINNET,
      usdc: '25.25',
      usdc_atomic: '25250000',
      has_usdc_account: true,
      sol: '1.5',
      lamports: '1500000000',
    });
  });

  it('balance is zero where the chain knows of no account', async () => {
    const parts = railWith(async (address) => ({ address, lamports: 0n, usdcAtomic: null }));
    expect((await run(['balance'], parts)).json).toMatchObject({
      usdc: '0.00',
      has_usdc_account: false,
    });
  });

  it('balance is an error and no zero where the chain is down', async () => {
    const parts = railWith(async () => {
      throw new ScripError('CHAIN_UNREACHABLE', 'the RPC is down');
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
    const parts = railWith(async (address) => ({
      address,
      lamports,
      usdcAtomic: atomic(usdcAtomic),
    }));
    await run(['fund', ...words], { ...parts, fund: async (...funds) => void given.push(funds) });
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
        throw new ScripError('WALLET_MISSING', 'there is no key file');
      };
      expect(await run([verb], { wallets: { ...wallets, open } })).toMatchObject({
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
      expect({ exit, json, code: error.code }).toEqual({
        exit: 5,
        json: undefined,
        code: 'WALLET_PROFILE_MISMATCH',
      });
      expect(error.hint).not.toContain(ADDRESS);
    });
  });

  it('address of a wallet of its own is told for a live host', async () => {
    const words = [
      'address',
      '--checkout-url',
      'https://shop.example',
      '--keypair',
      '/keys/k.json',
    ];
    expect((await run(words)).json.address).toBe(ADDRESS);
  });
});
