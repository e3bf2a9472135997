/**
 * Unique markers in every secret of a purchase, and then a search for them in everything that was
 * said and written: at the highest verbosity, and after crashes at the places where most is half done.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientPoint, ServicePoint } from '../../src/domain/fail-points.ts';
import { encodeBase58 } from '../../src/rails/solana/base58.ts';
import { openSqliteStore } from '../../src/storage/sqlite.ts';
import { type CliResult, type Home, makeHome, type RunOptions } from '../support/cli.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, HERE } from '../support/shop.ts';

const MAIL = 'canary.receiver.q7x@example.com';
const OWN_MAIL = 'canary.buyer.w3z@example.com';
const PHONE = '+14155559900';
const PASSPHRASE = 'canary passphrase k9f';
const KEY_FILE = '.local/share/scrip/wallets/sandbox.json';
const SLOW_MS = 240_000;
/** After each of these something was signed, sent, or bought, and not all of it is on record. */
const CLIENT_CRASHES: readonly ClientPoint[] = [
  'payment-sent',
  'goods-read',
  'attempt-written',
  'submitted',
  'goods-recorded',
];
const SERVICE_CRASHES: readonly ServicePoint[] = [
  'order-committed',
  'broadcast',
  'supplier-answered',
];

interface Reply {
  readonly order_id?: string;
  readonly deliveries?: readonly Readonly<Record<string, unknown>>[];
}

/** What was said where; markers are searched for in all of it. */
const stderr: string[] = [];
const masked: string[] = [];
let serverSaid = '';

let home: Home;
let served: ServedSandbox;

async function serve(more: Readonly<Record<string, string>> = {}): Promise<void> {
  const withEnv = { ...home, start: (args: readonly string[]) => home.start(args, { env: more }) };
  served = await serveSandbox(withEnv, ['--data', 'shop', '--verbose']);
  served.process.stderr?.on('data', (text: string) => {
    serverSaid += text;
  });
}

/** Runs a command as loudly as it goes; what it says on stderr is kept. */
async function run(words: readonly string[], options?: RunOptions): Promise<CliResult> {
  const result = await home.run([...words, '--verbose', ...served.flags], options);
  stderr.push(result.stderr);
  return result;
}

const order = (product: string, to: string, more: readonly string[] = []): readonly string[] => [
  'order',
  product,
  ...more,
  '--to',
  to,
  '--email',
  OWN_MAIL,
  '--yes',
  '--max-amount',
  '60',
  '--allow-duplicate',
];

function filesUnder(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile());
}

/** Every text of a reply that redeems something. */
function codesIn(reply: Reply): readonly string[] {
  const names = ['voucher_code', 'pin_serial', 'security_code', 'pin_code'];
  return (reply.deliveries ?? []).flatMap((delivery) => {
    const fields = { ...delivery, ...Object(delivery.deliverable) };
    return names.flatMap((name) => (typeof fields[name] === 'string' ? [fields[name]] : []));
  });
}

/** A range of a mobile operator, with a value that it takes. */
async function findTopUp(): Promise<TopUp> {
  const brands = await home.json<Brand[]>(['brands', '--country', 'us', ...served.flags]);
  const brand = brands.find(({ family }) => /mobile/i.test(family))?.brand_name ?? '';
  const place = ['--country', 'us', '--brand', brand];
  const items = await home.json<Item[]>(['catalog', ...place, ...served.flags]);
  const fixed = items.find(({ is_range }) => !is_range);
  if (fixed) return { product_id: fixed.product_id, place };
  const [range] = items;
  const value = ['--value', String(range?.min_value)];
  return { product_id: range?.product_id ?? '', place: [...place, ...value] };
}

interface Brand {
  readonly brand_name: string;
  readonly family: string;
}

interface Item {
  readonly product_id: string;
  readonly is_range: boolean;
  readonly min_value?: string | number;
}

interface TopUp {
  readonly product_id: string;
  readonly place: readonly string[];
}

const codes = new Set<string>();
let product: string;
let topUp: TopUp;

async function reveal(id: string): Promise<void> {
  const shown = await run(['orders', 'reveal', id, '--json']);
  for (const code of codesIn(JSON.parse(shown.stdout) as Reply)) codes.add(code);
}

beforeAll(async () => {
  home = makeHome();
  await serve();
  await run(['wallet', 'new']);
  await run(['wallet', 'fund', '--usdc', '2000']);
  product = (await amazonProducts(home, served.flags)).fixed.product_id;
  topUp = await findTopUp();
}, SLOW_MS);
afterAll(async () => {
  await served.stop();
  home.remove();
});

/** All of them where somebody asks for more than an ordinary run. */
const some = <T>(all: readonly T[], ordinary: number): readonly T[] =>
  all.slice(0, fuzzRuns(ordinary));

describe('after purchases on both surfaces, failures and crashes', () => {
  it(
    'everything was bought that could be',
    async () => {
      const bought = await run([...order(product, MAIL, HERE), '--json', '--reveal']);
      expect(bought.status, bought.stderr).toBe(0);
      const first = JSON.parse(bought.stdout) as Reply;
      for (const code of codesIn(first)) codes.add(code);
      const partner = await run([
        ...order(product, MAIL, HERE),
        ...[
          '--via',
          'partner',
          '--coin',
          'USDC',
          '--network',
          'Solana',
          '--pay',
          '--json',
          '--reveal',
        ],
      ]);
      for (const code of codesIn(JSON.parse(partner.stdout || '{}') as Reply)) codes.add(code);
      // Without --reveal nothing that redeems is printed where no terminal is.
      masked.push((await run(order(product, MAIL, HERE))).stdout);
      const listed = await run(['orders', '--json']);
      masked.push(listed.stdout, (await run(['orders'])).stdout);
      const [newest] = JSON.parse(listed.stdout) as Reply[];
      const { order_id = '' } = newest ?? {};
      await reveal(order_id);
      masked.push((await run(['orders', 'show', order_id, '--json'])).stdout);
      masked.push((await run(['orders', 'show', order_id])).stdout);
      expect(codes.size).toBeGreaterThan(3);
    },
    SLOW_MS,
  );

  it(
    'a top-up goes to its number, which is said to nobody',
    async () => {
      const toppedUp = await run([...order(topUp.product_id, PHONE, topUp.place), '--json']);
      expect(toppedUp.status, toppedUp.stderr).toBe(0);
      await reveal((JSON.parse(toppedUp.stdout) as Reply).order_id ?? '');
    },
    SLOW_MS,
  );

  it(
    'refusals and failures are told without them',
    async () => {
      const failing = MAIL.replace('@', '+failing@');
      const unsold = await run([...order('no-such-product', MAIL, HERE), '--json']);
      const late = await run([...order(product, failing, HERE), '--json']);
      const tooDear = await run([...order(product, MAIL, HERE), '--max-amount', '1', '--json']);
      const lost = await home.run([
        ...order(product, MAIL, HERE),
        '--checkout-url',
        'http://127.0.0.1:1',
      ]);
      stderr.push(lost.stderr);
      expect([unsold, late, tooDear, lost].map(({ status }) => status === 0)).toEqual([
        false,
        false,
        false,
        false,
      ]);
    },
    SLOW_MS,
  );

  it.each(some(CLIENT_CRASHES, 2))(
    'a crash of the buyer at %s is recovered from',
    async (point) => {
      const env = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point };
      const words = [...order(product, MAIL, HERE), '--idempotency-key', `canary-${point}`];
      const crashed = await run(words, { env });
      expect(crashed.signal).toBe('SIGKILL');
      masked.push(crashed.stdout);
      const resumed = await run(['orders', 'resume', '--timeout', '60s']);
      masked.push(resumed.stdout);
      await reveal(`canary-${point}`);
    },
    SLOW_MS,
  );

  it.each(some(SERVICE_CRASHES, 1))(
    'a crash of the service at %s is recovered from',
    async (point) => {
      await served.stop();
      await serve({ SCRIP_TEST: '1', SCRIP_FAIL_POINT: point });
      const key = `canary-service-${point}`;
      const words = [...order(product, MAIL, HERE), '--idempotency-key', key];
      const buyer = home.start([...words, '--verbose', ...served.flags]);
      buyer.stdout?.setEncoding('utf8').on('data', (text: string) => masked.push(text));
      buyer.stderr?.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
      const gone = new Promise((resolve) => buyer.once('close', resolve));
      // It dies by its own hand.
      await new Promise((resolve) => served.process.once('close', resolve));
      buyer.kill('SIGTERM');
      await gone;
      await serve();
    },
    SLOW_MS,
  );

  it(
    'an encrypted wallet says nothing of its passphrase, right or wrong',
    async () => {
      writeFileSync(join(home.dir, 'right'), `${PASSPHRASE}\n`, { mode: 0o600 });
      writeFileSync(join(home.dir, 'wrong'), `${PASSPHRASE} but wrong\n`, { mode: 0o600 });
      const keypair = ['--keypair', join(home.dir, 'locked.json')];
      await run(['wallet', 'new', ...keypair, '--passphrase-file', join(home.dir, 'right')]);
      const wrong = await run([
        ...order(product, MAIL, HERE),
        ...keypair,
        ...['--passphrase-file', join(home.dir, 'wrong'), '--json'],
      ]);
      expect(wrong.status).not.toBe(0);
      masked.push(wrong.stdout);
    },
    SLOW_MS,
  );

  it(
    'no marker stands where nobody asked for it',
    async () => {
      await served.stop();
      const key = Uint8Array.from(JSON.parse(readFileSync(join(home.dir, KEY_FILE), 'utf8')));
      const seed = key.slice(0, 32);
      const keys = [seed, key].flatMap((bytes) => [
        encodeBase58(bytes),
        Buffer.from(bytes).toString('hex'),
        Buffer.from(bytes).toString('base64'),
        [...bytes].join(','),
      ]);
      const { sessions, payments } = await readStore();
      expect({ sessions: sessions.length > 3, payments: payments.length > 3 }).toEqual({
        sessions: true,
        payments: true,
      });
      const secrets = [...codes, ...keys, PASSPHRASE];
      const said = [...stderr, serverSaid].join('\n');
      expect(found(said, [...secrets, MAIL, OWN_MAIL, PHONE, ...sessions, ...payments])).toEqual(
        [],
      );
      expect(found(masked.join('\n'), secrets)).toEqual([]);
      // On disk: codes are sealed, keys and passphrases stand in their own files alone.
      const own = new Set(['right', 'wrong'].map((name) => join(home.dir, name)));
      const leaks = filesUnder(home.dir).flatMap((path) => {
        if (own.has(path)) return [];
        const wanted = path === join(home.dir, KEY_FILE) ? [...codes, PASSPHRASE] : secrets;
        return found(readFileSync(path, 'latin1'), wanted).map((secret) => `${path}: ${secret}`);
      });
      expect(leaks).toEqual([]);
    },
    SLOW_MS,
  );

  it('the search finds what it looks for', () => {
    expect(found(`x${PASSPHRASE}y`, ['nothing', PASSPHRASE])).toEqual([PASSPHRASE]);
  });
});

function found(text: string, markers: readonly string[]): readonly string[] {
  return markers.filter((marker) => marker !== '' && text.includes(marker));
}

/** Ids of sessions, and signed payments, as the service kept them to answer repeats. */
async function readStore() {
  const store = await openSqliteStore(join(home.dir, 'shop', 'sandbox.db'));
  const settlements = await store.tables.books.settlements({ limit: 100 });
  await store.close();
  const payments = settlements.map(({ payload }) => {
    const { payload: inner }: { payload: { transaction: string } } = JSON.parse(payload);
    return inner.transaction;
  });
  return { sessions: settlements.map(({ sessionId }) => sessionId), payments };
}
