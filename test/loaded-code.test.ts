/** How much of the program a command loads: what makes it start quickly, whatever else the machine does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { hostThat } from './support/at-end.ts';
import { makeHome } from './support/cli.ts';

const COUNTER = fileURLToPath(new URL('support/loaded-code.cjs', import.meta.url));
const KB = 1_000;

const home = makeHome();
const brand = { brand_name: 'One', family: 'Gift Cards', category: 'games' };
const url = await hostThat((_request, response) => response.end(JSON.stringify([brand])));

async function loadedBy(words: readonly string[]): Promise<number> {
  const told = join(home.dir, 'loaded');
  const env = { NODE_OPTIONS: `--require "${COUNTER}"`, LOADED_CODE: told };
  const { status } = await home.run(words, { env });
  expect({ words, status }).toEqual({ words, status: 0 });
  return Number(readFileSync(told, 'utf8'));
}

it.each([
  ['--version', 10],
  ['--help', 10],
  ['order --help', 10],
  ['completion bash', 10],
  ['errors --json', 500],
  ['brands --country us --json --checkout-url HOST', 410],
  ['brands --country us --csv --checkout-url HOST', 410],
  ['brands --country us --json', 1_525],
  ['config list --json', 500],
  ['wallet new', 1_500],
  // The balances on Solana and on Base.
  ['wallet balance --json', 2081],
  ['orders list --json', 1_500],
])('%s reads at most %i KB of code', async (line, most) => {
  const loaded = await loadedBy(line.replace('HOST', url).split(' '));
  // Whatever is loaded begins here.
  expect(loaded).toBeGreaterThan(KB);
  expect(loaded).toBeLessThanOrEqual(most * KB);
});
