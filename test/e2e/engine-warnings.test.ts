/** What Node thinks of a program is for those who ask: an error in JSON is one object on stderr, and nothing else. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOG_SEED, createGeneratedCatalog } from '../../src/sandbox/catalog/generated.ts';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';

const SLOW_MS = 60_000;

const home = makeHome();
await fundedWallet(home, [], '2000');
const product = amazonProducts().fixed.product_id;
const hook = join(home.dir, 'hook.cjs');
// Hears what Node warns of, beside whoever else does; with a word of its own when asked.
writeFileSync(
  hook,
  `const { appendFileSync, writeFileSync } = require('node:fs');
writeFileSync(process.env.HEARD, '');
process.on('warning', ({ name, message }) => appendFileSync(process.env.HEARD, name + ': ' + message + '\\n'));
for (const text of (process.env.WARN ?? '').split('|').filter(Boolean)) {
process.emitWarning(text, 'EarlyWarning');
setTimeout(() => process.emitWarning(text, 'LateWarning'), 50);
}
`,
);

/** Runs with all that Node has to say; gives that beside what the program said. */
async function overheard(words: readonly string[], warn = '') {
  const heard = join(home.dir, 'heard');
  const env = { NODE_OPTIONS: `--pending-deprecation --require ${hook}`, HEARD: heard, WARN: warn };
  const result = await home.run(words, { env });
  return { ...result, heard: readFileSync(heard, 'utf8') };
}

/** Runs with --json, expects success and not a word of anybody, parses the document. */
async function quietly<T>(words: readonly string[]): Promise<T> {
  const { status, stdout, stderr, heard } = await overheard([...words, '--json']);
  expect({ status, stderr, heard }).toEqual({ status: 0, stderr: '', heard: '' });
  return JSON.parse(stdout) as T;
}

describe('Node has nothing to say', () => {
  it('of purchases at both sides, of lists and of a doctor', async () => {
    const { status } = await quietly<{ status: string }>(orderOf(product));
    expect(status).toBe('completed');
    const words = ['order', product, ...HERE, ...GIFT, '--via', 'partner', '--yes'];
    const { order_id: order } = await quietly<{ order_id: string }>([
      ...[...words, '--allow-duplicate'],
    ]);
    await quietly(['pay', order, '--yes', '--max-amount', '60']);
    for (const line of ['doctor', 'orders list', 'wallet balance', 'spend']) {
      await quietly(line.split(' '));
    }
  });

  it('of a cart whose many lines are asked about at once', { timeout: SLOW_MS }, async () => {
    const brands = ['Amazon.com', 'Steam', 'Netflix', 'Uber', 'Airbnb'];
    const catalog = createGeneratedCatalog({ seed: CATALOG_SEED });
    const lines = brands
      .flatMap((brandName) =>
        catalog.products('us', { brandName }).map((product) => ({ brandName, ...product })),
      )
      .filter(({ denomination }) => !denomination.isRange)
      .map(({ productId, brandName }) =>
        JSON.stringify({ product: productId, brand: brandName, country: 'us', to: GIFT[1] }),
      );
    expect(lines.length).toBeGreaterThan(12);
    const cart = join(home.dir, 'cart.jsonl');
    writeFileSync(cart, `${lines.join('\n')}\n`);
    const words = ['order', '--cart', cart, ...GIFT.slice(2), '--yes', '--max-total', '1'];
    const { status, stderr, heard } = await overheard([...words, '--json']);
    expect([status, heard, JSON.parse(stderr).error.code]).toEqual([6, '', 'AMOUNT_OVER_CAP']);
  });
});

describe('what Node has to say', () => {
  const refused = ['brands', '--country', 'us', '--serch', 'x'];
  it.each(['--json', '--ndjson'])('is not said beside the error with %s', async (form) => {
    const { stderr, heard } = await overheard([...refused, form, '--verbose'], 'so be it');
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'USAGE' } });
    expect(heard).toContain('EarlyWarning: so be it');
    const listed = await overheard(['brands', '--country', 'us', form, '--verbose'], 'so be it');
    expect([listed.status, listed.stderr]).toEqual([0, '']);
    expect(listed.heard).toContain('LateWarning: so be it');
  });

  it('is said to people who ask for it by --verbose, and harmless there', async () => {
    const words = ['brands', '--country', 'us'];
    const warn = 'so\u001b[2J\nbe it';
    expect((await overheard(words, warn)).stderr).toBe('');
    const { stderr } = await overheard([...words, '--verbose'], warn);
    const told = stderr.split('\n').filter((line) => line.startsWith('warning: '));
    expect(told).toEqual([
      'warning: EarlyWarning: so\\u{1b}[2J\\u{a}be it',
      'warning: LateWarning: so\\u{1b}[2J\\u{a}be it',
    ]);
  });
});
