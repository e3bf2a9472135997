/** The Python SDK and fastmcp buy a gift card, where a Python has them: SCRIP_TEST_PYTHON, or python3. */
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome, QUICK, SCRIP } from '../support/cli.ts';
import { orderBody } from '../support/partner-sandbox.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { fundedWallet } from '../support/shop.ts';

const PYTHON = process.env.SCRIP_TEST_PYTHON ?? 'python3';
const BUYER = fileURLToPath(new URL('../support/python_clients.py', import.meta.url));
const hasClients = spawnSync(PYTHON, ['-c', 'import mcp.client.client, fastmcp']).status === 0;

interface Bought {
  readonly version: string;
  readonly brands: number;
  readonly shown: readonly string[];
  readonly transactions: number;
  readonly payment_state: string;
}

describe.skipIf(!hasClients)('with Python', () => {
  const home = makeHome();
  let shop: ServedSandbox;
  beforeAll(async () => {
    shop = await serveSandbox(home);
    await fundedWallet(home, shop.flags);
  });
  afterAll(() => shop.stop());

  const buy = async (library: string, mode: string, isStdio: boolean): Promise<Bought> => {
    const [command = '', ...first] = SCRIP;
    const env = { PATH: process.env.PATH ?? '', HOME: home.dir, ...QUICK };
    const stdio = { command, args: [...first, 'mcp', '--allow-pay', ...shop.flags], env };
    const user = { email: `${library}-${mode}-${isStdio}@example.com` };
    const url = isStdio ? null : `${shop.url}/mcp`;
    const asked = { library, mode, stdio, url, order: { ...orderBody(), user } };
    const { stdout } = await promisify(execFile)(PYTHON, [BUYER, JSON.stringify(asked)]);
    return JSON.parse(stdout);
  };

  it.each([
    ['mcp', 'legacy', '2025-11-25'],
    ['mcp', 'auto', '2026-07-28'],
    ['fastmcp', 'legacy', '2025-11-25'],
    ['fastmcp', 'auto', '2026-07-28'],
  ])('%s, %s, buys in the revision %s', { timeout: 60_000 }, async (library, mode, version) => {
    const paid = await buy(library, mode, true);
    expect(paid).toMatchObject({ version, transactions: 1, payment_state: 'PaymentReceived' });
    expect(paid.shown).toEqual([expect.stringContaining('Pay 25.25 USDC')]);
    expect(paid.brands).toBeGreaterThan(0);
    const ordered = await buy(library, mode, false);
    expect(ordered).toMatchObject({ version, transactions: 0, payment_state: 'PaymentRequested' });
  });
});
