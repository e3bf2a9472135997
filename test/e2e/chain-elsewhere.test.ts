/** A shop whose chain is a process of its own, which it reaches by JSON-RPC alone. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet, type OrderDocument } from '../support/shop.ts';

let home: Home;
let chain: ServedSandbox;
let shop: ServedSandbox;
beforeEach(async () => {
  home = makeHome();
  chain = await serveSandbox(home, ['--chain-only', '--data', 'chain']);
  const rpc = `${chain.url}/rpc`;
  shop = await serveSandbox(home, ['--data', 'shop', '--chain-rpc', rpc]);
});
afterEach(async () => {
  await Promise.all([shop.stop(), chain.stop()]);
});

it('sells over it, and its books agree with it', async () => {
  const payer = await fundedWallet(home, ['--checkout-url', chain.url]);
  const bought = await buy(home, amazonProducts().fixed.product_id, shop.flags);
  expect(bought).toMatchObject({ status: 'completed' } satisfies Partial<OrderDocument>);
  expect(await ledgerAt(`${chain.url}/rpc`).payments(payer)).toEqual([bought.transaction]);
  const audit = ['sandbox', 'audit', '--data', 'shop'];
  expect(await home.json([...audit, '--chain-data', 'chain'])).toMatchObject({
    agrees: true,
    checked: { transfers: 1, settlements: 1 },
  });
  const refused = await home.run([...audit, '--json']);
  expect(JSON.parse(refused.stderr).error).toMatchObject({ code: 'INPUT_INVALID' });
});

it('is no shop itself, and takes no flags of one', async () => {
  expect((await fetch(`${chain.url}/v1/brands?country_code=us`)).status).toBe(404);
  const refused = await home.run(['sandbox', '--chain-only', '--catalog', 'goods.json', '--json']);
  expect(JSON.parse(refused.stderr).error).toMatchObject({ code: 'USAGE' });
});
