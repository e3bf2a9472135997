/** The standalone executable, as it is built: it needs no Node, no package and no file beside it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeHome } from './support/cli.ts';
import { amazonProducts, buy } from './support/shop.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'scrip-executable-'));
const built = join(folder, 'built');
const home = makeHome([join(built, 'scrip')]);

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts', 'binary.mjs'), built], { stdio: 'pipe' });
}, 300_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('tells its version and its help', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(await home.run(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
  expect((await home.run(['order', '--help'])).stdout).toMatch(/^Usage: scrip order/);
});

it('makes a wallet for both chains, and buys a gift card of the service that is in it', async () => {
  await home.json(['wallet', 'new']);
  await home.json(['wallet', 'fund', '--usdc', '50']);
  const { fixed } = amazonProducts();
  const order = await buy(home, fixed.product_id, []);
  expect(order).toMatchObject({
    status: 'completed',
    deliveries: [{ voucher_code: expect.stringMatching(/^TEST-/) }],
  });
});
