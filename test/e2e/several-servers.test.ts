/** Several servers of one shop: one PostgreSQL, one chain, and nothing that belongs to a server. */
import { expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { HEADERS, orderBody, via } from '../support/partner-sandbox.ts';
import { postJson } from '../support/post-json.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet, orderOf } from '../support/shop.ts';

const home = makeHome();
const [database, chain] = await Promise.all([
  createDatabase(),
  serveSandbox(home, ['--chain-only', '--data', 'chain']),
]);
const place = ['--data', 'shop', '--database', database.address];
const words = [...place, '--chain-rpc', `${chain.url}/rpc`];
// Together: one of them makes the tables and the secret.
const servers = await Promise.all([0, 1, 2].map(() => serveSandbox(home, words)));
const audit = ['sandbox', 'audit', ...place, '--chain-data', 'chain'];
await fundedWallet(home, ['--checkout-url', chain.url]);

const at = (server: number, path: string): string => `${servers[server]?.url}${path}`;
/** An order of the partner API in Bitcoin. */
async function orderAtFirst(): Promise<string> {
  const body = orderBody({ payment: via('BTC', 'Mainnet') });
  const made = await postJson(at(0, '/v5/orders'), body, HEADERS);
  expect(made.status).toBe(200);
  return ((await made.json()) as { order_id: string }).order_id;
}
const flagsOf = (server: number): readonly string[] => servers[server]?.flags ?? [];

it('an order made at one is followed at another and paid at a third, each event once, in order', async () => {
  const orderId = await orderAtFirst();
  const stream = await fetch(at(1, `/v5/orders/${orderId}/subscribe`), { headers: HEADERS });
  const told = stream.text();
  const paid = await fetch(at(2, `/sandbox/orders/${orderId}/pay`), { method: 'POST' });
  expect(paid.status).toBe(200);

  const seqs = idsOf(await told);
  expect(seqs.at(-1)).toBe('stop');
  const numbers = seqs.slice(0, -1).map(Number);
  expect(numbers).toEqual(numbers.map((_, index) => index + (numbers[0] ?? 1)));
  const events = await database.run(
    `select seq from order_events where order_id = '${orderId}' order by seq`,
  );
  expect(numbers.at(-1)).toBe(Number(events.at(-1)?.seq));
  const order = await fetch(at(0, `/v5/orders/${orderId}`), { headers: HEADERS });
  expect(await order.json()).toMatchObject({ order_state: 'Done' });
});

it('a payment signed for one is settled at another, and again at a third with the same answer', async () => {
  const bought = await buy(home, amazonProducts().fixed.product_id, flagsOf(1));
  expect(bought.status).toBe('completed');
  for (const server of [0, 1, 2]) {
    const read = await fetch(at(server, `/v1/orders/${bought.order_id}`));
    expect(await read.json()).toMatchObject({ status: 'completed' });
  }
});

it('an order placed at one is paid at another, as one purchase, and paid once', async () => {
  const words = orderOf(amazonProducts().fixed.product_id, flagsOf(0));
  const elsewhere = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--json'];
  const { order_id: id } = await home.json<{ order_id: string }>([...words, ...elsewhere]);
  const pay = (server: number) =>
    home.json(['pay', id, '--yes', '--max-amount', '60', '--json', ...flagsOf(server)]);
  expect(await pay(1)).toMatchObject({ order_id: id, order_state: 'Done' });
  expect(await pay(2)).toMatchObject({ order_id: id, already_bought: true });
  const listed = await home.json<{ orders: { order_id: string; status: string }[] }>([
    ...['orders', '--json', ...flagsOf(0)],
  ]);
  expect(JSON.stringify(listed)).toContain(id);
});

it('a stream of a server that stops goes on at another, each event once', async () => {
  const last = await serveSandbox(home, words);
  const orderId = await orderAtFirst();
  const path = `/v5/orders/${orderId}/subscribe`;
  const stream = await fetch(`${last.url}${path}`, { headers: HEADERS });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let first = '';
  while (idsOf(first).length === 0) first += (await reader?.read())?.value ?? '';
  expect(await last.stop()).toBe(0);
  // It ends without `stop`: the client comes back with the last id.
  for (let more = await reader?.read(); more?.value; more = await reader?.read())
    first += more.value;
  const seen = idsOf(first);
  expect(seen).not.toContain('stop');
  const resumed = await fetch(at(1, path), {
    headers: { ...HEADERS, 'Last-Event-ID': seen.at(-1) ?? '' },
  });
  const told = resumed.text();
  await fetch(at(2, `/sandbox/orders/${orderId}/pay`), { method: 'POST' });
  const rest = idsOf(await told);
  expect(rest.at(-1)).toBe('stop');
  const numbers = [...seen, ...rest.slice(0, -1)].map(Number);
  expect(numbers).toEqual(numbers.map((_, index) => index + (numbers[0] ?? 1)));
});

it('what one has promised when it dies, the others keep', async () => {
  const env = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: 'order-committed' };
  const dying = { ...home, start: (args: readonly string[]) => home.start(args, { env }) };
  const last = await serveSandbox(dying, words);
  const ended = new Promise((resolve) => last.process.once('close', resolve));
  // The order is on record; whether it is paid the buyer is not told by a server that is gone.
  const words25 = orderOf(amazonProducts().fixed.product_id, last.flags);
  const [cut] = await Promise.all([home.run([...words25, '--timeout', '10s', '--json']), ended]);
  expect(cut.status).not.toBe(0);
  const open = () => database.run("select order_id from orders where status <> 'completed'");
  await expect.poll(open, { timeout: 30_000 }).toEqual([]);
  expect(await database.run('select order_id from orders')).toHaveLength(2);
});

it('the books agree with the chain and the supplier', async () => {
  expect(await home.json(audit)).toMatchObject({ agrees: true, mismatches: [] });
  const doubles = await database.run(
    "select reference from purchases where outcome = 'fulfilled' and reference not in (select delivery_id from deliveries)",
  );
  expect(doubles).toEqual([]);
});

/** The id of each message; the event that ends the stream by its name. */
function idsOf(text: string): readonly string[] {
  return text.split('\n\n').flatMap((block) => {
    if (block.includes('event: stop')) return ['stop'];
    const id = /^id: (\d+)$/m.exec(block)?.[1];
    return id === undefined || !/^data:/m.test(block) ? [] : [id];
  });
}
