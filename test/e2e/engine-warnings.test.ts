/** Nothing that the program uses is on its way out of Node: later versions say so in the midst of a purchase. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';

/** Today's Node then tells of what those after it warn of unasked. */
const TELLING = { env: { NODE_OPTIONS: '--pending-deprecation' } } as const;

let home: Home;
let product: string;
beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home);
  product = (await amazonProducts(home)).fixed.product_id;
});
afterAll(() => home.remove());

/** Runs with --json, expects success and not a word on stderr, parses the document. */
async function quietly<T>(words: readonly string[]): Promise<T> {
  const { status, stdout, stderr } = await home.run([...words, '--json'], TELLING);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

it('a purchase is made without a warning of the engine', async () => {
  const { status } = await quietly<{ status: string }>(orderOf(product));
  expect(status).toBe('completed');
});

it('an order of the partner API is made and paid without one', async () => {
  const words = ['order', product, ...HERE, ...GIFT, '--via', 'partner', '--yes'];
  const { order_id: order } = await quietly<{ order_id: string }>(words);
  await quietly(['pay', order, '--yes', '--max-amount', '60']);
});

it.each(['doctor', 'orders list', 'wallet balance', 'spend'])(
  '%s is answered without one',
  async (line) => {
    await quietly(line.split(' '));
  },
);
