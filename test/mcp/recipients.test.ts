/**
 * Orders of a served shop that `scrip order` did not make, or not whole: the policy's recipients of a guided
 * purchase and of a further payment, and the commands that are proposed for them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FINAL_SOON, type Home, makeHome, SCRIP } from '../support/cli.ts';
import { type FrontHost, openFrontHost, reshaping } from '../support/front-host.ts';
import { stdioClient, type ToolClient } from '../support/mcp-client.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { AGREED, amazonProducts, fundedWallet, HERE } from '../support/shop.ts';

const ALLOWED = '*@example.org';
const FRIEND = 'ada@example.org';
const STRANGER = 'eve@elsewhere.example';
const PAY = ['--yes', '--max-amount', '26', '--json'];

let home: Home;
let sandbox: ServedHere;
let host: FrontHost;
let client: ToolClient;

beforeAll(async () => {
  home = makeHome(SCRIP, FINAL_SOON);
  sandbox = await serveHere(home, true);
  host = await openFrontHost(sandbox.url);
  await fundedWallet(home, sandbox.flags, '400');
  const yes = () => ({ action: 'accept', content: { pay: true } }) as const;
  client = await stdioClient(home, ['--allow-pay', ...host.flags], yes);
});
afterAll(async () => {
  await client.close();
  await host.close();
  await sandbox.stop();
});

/** As its owner would have agreed to it at a terminal. */
function allow(...recipients: readonly string[]): void {
  const folder = join(home.dir, '.config', 'scrip');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'policy.json'), JSON.stringify({ recipients }), { mode: 0o600 });
}

/** An order as the merchant tells it, changed. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, changed by tests.
function tellOrders(change: (order: any) => unknown): void {
  host.behave(
    reshaping((path, body) => (/^\/v5\/orders\/[0-9a-f-]{36}$/.test(path) ? change(body) : body)),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
const untold = ({ user: _, ...order }: any) => order;

/** Another line of the same order. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
const withSecondLine = (order: any) => {
  const [first] = order.deliveries;
  const deliverable = { ...first.deliverable, beneficiary_account: STRANGER };
  return { ...order, deliveries: [first, { ...first, id: 'second', deliverable }] };
};

/** Answers every question; gives the order's id. */
async function guidedPurchase(email: string): Promise<string> {
  let { result } = await client.call('purchaseElicitation');
  // As it may be told: a token that could be a sentence is wrapped, and handed back in its wrapping.
  const { session_token: token } = result;
  const session_token = typeof token === 'string' ? { untrusted_text: token } : token;
  const answers = ['giftcard', 'US', 'Amazon.com', '25', FRIEND, 'USDC', 'Solana', email, 'yes'];
  for (const answer of answers) {
    ({ result } = await client.call('purchaseElicitation', { session_token, answer }));
  }
  expect(result.status).toBe('complete');
  return /orders\/([0-9a-f-]{36})/.exec(result.next_step.untrusted_text)?.[1] ?? '';
}

describe('an order of a guided purchase', () => {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const told = (order: any) => order;
  it.each([
    ['whose e-mail is another’s is not paid', STRANGER, ALLOWED, told, 'RECIPIENT_NOT_ALLOWED'],
    [
      'whose second line is another’s is not paid',
      FRIEND,
      ALLOWED,
      withSecondLine,
      'RECIPIENT_NOT_ALLOWED',
    ],
    ['whose e-mail is not told is not paid', FRIEND, ALLOWED, untold, 'RECIPIENT_NOT_ALLOWED'],
    ['whose e-mail is not told is paid where anybody may be one', STRANGER, '*', untold, undefined],
    ['of which every address is allowed is paid', FRIEND, ALLOWED, told, undefined],
  ])('%s', async (_name, email, pattern, change, code) => {
    allow('*');
    tellOrders(change);
    const order_id = await guidedPurchase(email);
    allow(pattern);
    const before = client.asked.length;
    const paid = await client.call('payOrder', { order_id, max_amount: '26' });
    expect(paid.error?.code).toBe(code);
    // What the policy refuses is put to nobody; what is put to a person names the e-mail too.
    const asked = client.asked.slice(before);
    expect(asked).toHaveLength(code === undefined ? 1 : 0);
    if (change === told && code === undefined) {
      expect(asked[0]).toContain(`E-mail of the order: ${email}`);
    }
  });
});

describe('the command that pays an order of a shop that is not the configured one', () => {
  it('names the shop, in a refusal of payOrder and where the order is shown', async () => {
    allow('*');
    host.behave(reshaping((_path, body) => body));
    const order_id = await guidedPurchase(FRIEND);
    const env = { SCRIP_CHECKOUT_URL: host.url, SCRIP_RPC_URL: `${sandbox.url}/rpc` };
    const unasking = await stdioClient(home, ['--allow-pay'], undefined, { env });
    const { error } = await unasking.call('payOrder', { order_id, max_amount: '26' });
    await unasking.close();
    const command = `scrip pay ${order_id} --checkout-url ${host.url}`;
    expect(error).toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
      hint: `Ask the user to run in a terminal: scrip approvals answer ${order_id} --checkout-url ${host.url} --rpc-url ${sandbox.url}/rpc`,
    });
    const shown = await home.run(['pay', order_id, '--show']);
    expect(shown.stderr).toContain(`any wallet, or by: ${command}.`);
    const [, ...words] = command.split(' ');
    const typed = await home.run([...words, ...PAY]);
    // A guided purchase has no address for refunds: it is agreed to on a terminal alone.
    expect(JSON.parse(typed.stderr).error.hint).toContain(`without --yes: ${command}`);
  });
});

describe('the rest of an order by scrip pay', () => {
  it('is measured by every address of the order, as its first part was', async () => {
    allow('*');
    // Of the embedded service, whose chain is final at once.
    await home.json(['wallet', 'fund', '--usdc', '60']);
    const productId = amazonProducts().fixed.product_id;
    const made = await home.json<{ order_id: string }>([
      ...['order', productId, ...HERE, ...AGREED, '--via', 'partner', '--no-wait'],
      ...['--to', FRIEND, '--email', STRANGER],
    ]);
    await home.json(['pay', made.order_id, '--amount', '10', ...PAY]);
    allow(ALLOWED);
    const refused = await home.run(['pay', made.order_id, ...PAY]);
    expect(JSON.parse(refused.stderr).error.code).toBe('RECIPIENT_NOT_ALLOWED');
    allow(ALLOWED, STRANGER);
    const paid = await home.run(['pay', made.order_id, ...PAY]);
    expect(paid.status, paid.stderr).toBe(0);
  });
});
