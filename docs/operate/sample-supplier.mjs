/**
 * A supplier to start from: the contract of docs/operate/suppliers.md in one file, without packages.
 * Replace `buy` by the call of your own source of codes. Its ledger keeps one purchase per reference.
 *
 *   SUPPLIER_TOKEN=secret node sample-supplier.mjs
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const {
  SUPPLIER_TOKEN = '',
  PORT = '4030',
  LEDGER = 'purchases.jsonl',
  /** Seconds until a purchase is decided; it is pending until then. */
  DECIDE_AFTER = '0',
  /** A beneficiary that is refused, to try refunds. */
  REFUSE = '',
  /** A beneficiary that gets the code of the first sale again, as a source that repeats itself would give it. */
  REPEAT = '',
  /** The shop's address, such as https://shop.example, and the token that it expects in callbacks. */
  SHOP_URL = '',
  CALLBACK_TOKEN = '',
} = process.env;
if (SUPPLIER_TOKEN === '') throw new Error('Set SUPPLIER_TOKEN: the shop sends it as bearer token.');

/** By reference. A purchase that is in the ledger is never made again. */
const purchases = new Map(
  existsSync(LEDGER)
    ? readFileSync(LEDGER, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line))
        .map((purchase) => [purchase.reference, purchase])
    : [],
);

/** On disk before the answer goes out. */
function record(purchase) {
  const file = openSync(LEDGER, 'a', 0o600);
  writeSync(file, `${JSON.stringify(purchase)}\n`);
  fsyncSync(file);
  closeSync(file);
  purchases.set(purchase.reference, purchase);
}

/** Your source of codes goes here. Throw, or answer 5xx, when you do not know the outcome. */
function buy() {
  return {
    voucher_code: `CODE-${randomBytes(8).toString('hex').toUpperCase()}`,
    redeem_instructions: 'Enter the code at the checkout.',
  };
}

function buyFor({ beneficiary }) {
  const [first] = [...purchases.values()].filter(({ voucher }) => voucher !== undefined);
  return beneficiary === REPEAT && first !== undefined ? first.voucher : buy();
}

function purchase(request) {
  const known = purchases.get(request.reference);
  if (known !== undefined) return known;
  const made = {
    reference: request.reference,
    product_id: request.product_id,
    face_value: request.face_value,
    created_at: new Date().toISOString(),
    decided_at: Date.now() + Number(DECIDE_AFTER) * 1000,
    // What the shop owes you for it: here its face value.
    cost: { amount: request.face_value, currency: request.currency },
    ...(request.beneficiary === REFUSE ? { reason: 'Refused on trial.' } : { voucher: buyFor(request) }),
  };
  record(made);
  if (SHOP_URL !== '') setTimeout(() => callBack(made.reference), Number(DECIDE_AFTER) * 1000);
  return made;
}

/** Tells the shop to ask again now; without it the shop asks after `retry_after_seconds`. */
async function callBack(reference) {
  const headers = { authorization: `Bearer ${CALLBACK_TOKEN}` };
  try {
    const reply = await fetch(`${SHOP_URL}/supplier/callbacks/${reference}`, { method: 'POST', headers });
    if (reply.status < 500) return;
  } catch {
    // The shop is away: it is told later.
  }
  setTimeout(() => callBack(reference), 1000);
}

function answerOf({ reference, decided_at, voucher, reason, cost }) {
  if (Date.now() < decided_at) return { status: 'pending', reference, retry_after_seconds: 60 };
  return voucher === undefined
    ? { status: 'refused', reference, reason }
    : { status: 'fulfilled', reference, voucher, cost };
}

const PAGE = 500;

/** Sales since a time, the oldest first; `next` is the reference that the next page begins after. */
function salesSince(since, after) {
  const made = [...purchases.values()].filter(({ created_at }) => created_at >= since);
  const begin = made.findIndex(({ reference }) => reference === after) + 1;
  const page = made.slice(begin, begin + PAGE);
  return {
    purchases: page.map((one) => ({
      reference: one.reference,
      status: answerOf(one).status,
      created_at: one.created_at,
    })),
    ...(made.length > begin + PAGE ? { next: page.at(-1).reference } : {}),
  };
}

async function handle(request, body) {
  const { pathname, searchParams } = new URL(request.url, 'http://supplier');
  if (request.headers.authorization !== `Bearer ${SUPPLIER_TOKEN}`) return [401, {}];
  if (request.method === 'POST' && pathname === '/stock') return [200, { available: true }];
  if (request.method === 'POST' && pathname === '/purchases') {
    return [200, answerOf(purchase(JSON.parse(body)))];
  }
  if (request.method === 'GET' && pathname === '/purchases') {
    return [200, salesSince(searchParams.get('since') ?? '', searchParams.get('after'))];
  }
  const [, reference] = /^\/purchases\/([^/]+)$/.exec(pathname) ?? [];
  const known = purchases.get(reference);
  return known === undefined ? [404, {}] : [200, answerOf(known)];
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const [status, answer] = await handle(request, Buffer.concat(chunks).toString()).catch((error) => {
    console.error(error);
    return [500, {}];
  });
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
}).listen(Number(PORT), '127.0.0.1', function listening() {
  console.log(`http://127.0.0.1:${this.address().port}`);
});
