/**
 * Texts of others on a terminal (reliability T18): a host writes attacks into every text of every
 * answer, and no command lets one through, on a terminal, in JSON, in a file of values, to an agent.
 * `SCRIP_FULL=1` tries each attack by itself and every form of output.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { json, openFrontHost, rewriting } from '../support/front-host.ts';
import { IS_FULL } from '../support/fuzz.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { serveHere } from '../support/served-here.ts';
import { AGREED, amazonProducts, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';
import { noTerminalBecause, openTerminal } from '../support/terminal.ts';
import { MIXED, namesIn, rawIn, TYPEABLE, tagged, VECTORS } from '../support/terminal-vectors.ts';

const SLOW_MS = 120_000;
const ATTACKS: readonly (readonly [string, string])[] = [
  ['one of each', MIXED],
  ...(IS_FULL ? VECTORS.map(([what, text]) => [what, text] as const) : []),
];
/** Whoever changes these is refused, or nothing is found by them; what it shows of them is tried apart. */
const KEPT_NAMES =
  'country_code code status order_state payment_state delivery_state coin network scheme asset payTo feePayer kind type product_type payment_method delivery_type price_usdc poll_url quote_expires_at qr_text currency currency_code payment_via order_id product_id id wallet_address problem family payment_method_protocol email'.split(
    ' ',
  );
const MACHINE =
  /^(\d+(\.\d+)?|[0-9a-f]{8}-[0-9a-f-]{27}|c[rd]_\w+|variable|[1-9A-HJ-NP-Za-km-z]{64,88})$/;
const PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana'];

const ids = { fixed: '', range: '', order: '', partner: '' };

/** Every text but the kept ones becomes its name and the attack. */
function attack(text: string, kept: readonly string[] = []): void {
  const names = new Set([...KEPT_NAMES, ...kept]);
  host.behave(
    rewriting((path, honest) => {
      const name = path.split('.').at(-1) ?? '';
      return names.has(name) || MACHINE.test(honest) ? honest : tagged(name, text);
    }),
  );
}
const isHonest = (): void => host.behave({});

const home = makeHome();
const served = await serveHere(home);
const host = await openFrontHost(served.url);
const urls = ['--checkout-url', host.url, '--api-url', host.url];
const flags = [...urls, '--rpc-url', `${served.url}/rpc`];
await fundedWallet(home, served.flags, '2000');
const { fixed, range } = amazonProducts();
ids.fixed = fixed.product_id;
ids.range = range.product_id;
attack(MIXED, ['brand_name', 'name', 'brand', 'denomination']);
ids.order = (await home.json<Made>([...orderOf(ids.fixed), ...flags])).order_id;
ids.partner = (await home.json<Made>([...orderOf(ids.fixed), ...PARTNER, ...flags])).order_id;

interface Made {
  readonly order_id: string;
}

interface Row {
  readonly words: () => readonly string[];
  /** Names of the host's texts that a person sees, in the order of the alphabet. */
  readonly shows: readonly string[];
  readonly kept?: readonly string[];
  readonly exit?: number;
  /** Typed when the screen shows the text: for commands that ask. */
  readonly types?: readonly [after: RegExp, keys: string];
}

const GOODS = ['brand_name', 'name', 'brand', 'denomination'];
const CODE = ['beneficiary_account', 'pin_serial', 'product_name', 'redeem_instructions', 'url'];
const CARD = [...CODE, 'voucher_code'];
const LINE = ['beneficiary_account', 'brand_name', 'denomination'];
const DELIVERED = [...LINE, 'pin_code', 'pin_serial', 'redeem_instructions'];
const BRAND = { kept: ['brand_name'] } as const;

const COMMANDS: Readonly<Record<string, Row>> = {
  brands: { words: () => ['brands', '--country', 'us'], shows: ['brand_name', 'category'] },
  catalog: { words: () => ['catalog', ...HERE], shows: ['denomination_label'], ...BRAND },
  search: { words: () => ['search', 'amazn', '--country', 'us'], shows: ['brand', 'category'] },
  price: {
    words: () => ['price', ids.range, ...HERE, '--value', '25'],
    shows: ['product_name'],
    ...BRAND,
  },
  countries: { words: () => ['countries'], shows: ['name'] },
  currencies: { words: () => ['currencies'], shows: ['name'] },
  vias: { words: () => ['vias'], shows: ['address', 'name'] },
  inspect: {
    words: () => ['inspect', ids.fixed, ...HERE, '--to', 'friend@example.com'],
    shows: ['product_name'],
    ...BRAND,
  },
  order: { words: () => orderOf(ids.fixed), shows: CARD, ...BRAND },
  'order, which asks': {
    words: () => ['order', ids.fixed, ...HERE, ...GIFT, '--allow-duplicate'],
    shows: ['product_name'],
    ...BRAND,
    types: [/Buy it\?/, 'n\r'],
    exit: 7,
  },
  'order --via partner': {
    words: () => [...orderOf(ids.fixed), ...PARTNER, '--no-wait'],
    shows: ['beneficiary_account'],
    kept: GOODS,
  },
  wizard: {
    words: () => ['wizard', '--type', 'giftcard', '--country', 'us'],
    shows: ['brand'],
    types: [/qz:/, '\u0003'],
    exit: 130,
  },
  'pay --show': { words: () => ['pay', ids.partner, '--show'], shows: LINE },
  pay: { words: () => ['pay', ids.partner, '--yes', '--max-amount', '60'], shows: DELIVERED },
  'track of the partner API': { words: () => ['track', ids.partner], shows: DELIVERED },
  'track --follow sse': {
    words: () => ['track', ids.partner, '--follow', 'sse'],
    shows: DELIVERED,
  },
  track: { words: () => ['track', ids.order], shows: CARD },
  validate: {
    words: () => ['validate', ids.fixed, ...HERE, ...GIFT, '--coupon', 'NONE'],
    shows: ['coupon_code'],
    kept: GOODS,
    exit: 2,
  },
  doctor: { words: () => ['doctor'], shows: [] },
  orders: { words: () => ['orders'], shows: ['product_name'] },
  'orders show': {
    words: () => ['orders', 'show', ids.order],
    shows: ['beneficiary_account', 'product_name', 'redeem_instructions'],
  },
  'orders show of the partner API': {
    words: () => ['orders', 'show', ids.partner],
    shows: [...LINE, 'redeem_instructions'],
  },
  'orders reveal': { words: () => ['orders', 'reveal', ids.order], shows: CARD },
  'orders reveal of the partner API': {
    words: () => ['orders', 'reveal', ids.partner],
    shows: DELIVERED,
  },
  spend: { words: () => ['spend'], shows: [] },
};
const ROWS = Object.entries(COMMANDS);
const SILENT = ROWS.filter(([, { types }]) => types === undefined);

/** Runs on a terminal wide enough that no column is cut. */
async function onTerminal(words: readonly string[], types?: Row['types']) {
  // A pager would wait for keys, and show its own way what it is given.
  const line = ['--no-pager', ...flags, ...words];
  const terminal = openTerminal(line, home, { columns: 600 });
  if (types !== undefined) {
    const [after, keys] = types;
    await terminal.shows(after);
    terminal.send(keys);
  }
  return { exit: await terminal.ended, written: terminal.written() };
}

const noTerminal = noTerminalBecause !== undefined;

describe.skipIf(noTerminal)('on a terminal nothing of a host is obeyed', () => {
  describe.each(ATTACKS)('%s', (_what, text) => {
    it.each(ROWS)('by %s', { timeout: SLOW_MS }, async (_name, row) => {
      attack(text, row.kept);
      const { exit, written } = await onTerminal(row.words(), row.types);
      expect(rawIn(written, text)).toEqual([]);
      expect(namesIn(written)).toEqual(expect.arrayContaining([...row.shows]));
      expect(exit, written).toBe(row.exit ?? 0);
    });
  });

  // Identifiers, states, amounts: most of these replies are refused, and the refusal quotes them.
  const some = IS_FULL ? SILENT : SILENT.filter(([name]) => /^(catalog|order)$/.test(name));
  it.each(some)('by %s, where nothing is kept', { timeout: SLOW_MS }, async (_name, { words }) => {
    host.behave(rewriting((path) => tagged(path.split('.').at(-1) ?? '', MIXED)));
    const { written } = await onTerminal(words());
    expect(rawIn(written, MIXED)).toEqual([]);
  });

  const alone = IS_FULL ? KEPT_NAMES : ['currency'];
  it.each(alone)('by listings, where "%s" alone is changed', { timeout: SLOW_MS }, async (name) => {
    host.behave(rewriting((path, honest) => (path.endsWith(name) ? tagged(name, MIXED) : honest)));
    const listings = [['catalog', ...HERE], ...(IS_FULL ? [['vias'], ['track', ids.order]] : [])];
    for (const words of listings) {
      expect(rawIn((await onTerminal(words)).written, MIXED)).toEqual([]);
    }
  });

  it('and a text that never ends is cut', { timeout: SLOW_MS }, async () => {
    attack('x'.repeat(100_000), ['brand_name']);
    const { written } = await onTerminal(['price', ids.range, ...HERE, '--value', '25']);
    expect(namesIn(written)).toEqual(['product_name']);
    expect(written.length).toBeLessThan(5_000);
  });
});

describe.skipIf(noTerminal)('on a terminal nothing is obeyed', () => {
  const body = (text: string) => {
    const wild = tagged('refusal', text);
    const partner = { status: 'error', detail: wild, moreDetails: { [wild]: [wild], wild } };
    return { error: wild, message: wild, ...partner };
  };
  const REFUSED = ['brands', 'order', 'order --via partner'] as const;
  it.each(REFUSED)('of a refusal of %s', { timeout: SLOW_MS }, async (name) => {
    isHonest();
    for (const status of IS_FULL ? [400, 403, 404, 409, 422, 502] : [400]) {
      host.behave({ instead: () => json(status, body(MIXED)) });
      const { exit, written } = await onTerminal(COMMANDS[name]?.words() ?? []);
      expect(rawIn(written, MIXED)).toEqual([]);
      expect(exit).not.toBe(0);
    }
  });

  it('of the chain', { timeout: SLOW_MS }, async () => {
    const error = { code: -32_000, message: tagged('chain', MIXED), data: { x: MIXED } };
    host.behave({ instead: () => json(200, { jsonrpc: '2.0', id: 1, error }) });
    const { exit, written } = await onTerminal(['wallet', 'balance', '--rpc-url', host.url]);
    expect(rawIn(written, MIXED)).toEqual([]);
    expect(exit).not.toBe(0);
  });

  it('of the names and cells of files', { timeout: SLOW_MS }, async () => {
    isHonest();
    const cart = join(home.dir, 'cart.csv');
    writeFileSync(
      cart,
      `product,to\n"${tagged('cell', TYPEABLE)}","${tagged('person', TYPEABLE)}"\n`,
    );
    const words = (path: string) => [
      'order',
      '--cart',
      path,
      ...HERE,
      ...AGREED,
      '--max-total',
      '60',
    ];
    const name = tagged('file', TYPEABLE);
    for (const path of [cart, name]) {
      const { exit, written } = await onTerminal(words(path));
      expect(rawIn(written, MIXED)).toEqual([]);
      expect(exit).not.toBe(0);
    }
  });

  it('of what was typed', { timeout: SLOW_MS }, async () => {
    isHonest();
    const typed = tagged('typed', TYPEABLE);
    const order = ['order', typed, ...HERE, '--to', 'a@example.com'];
    for (const words of [['brands', '--country', typed], order, [typed]]) {
      const { exit, written } = await onTerminal(words);
      expect(rawIn(written, MIXED)).toEqual([]);
      expect(exit).not.toBe(0);
    }
  });
});

describe('what programs read is harmless on a terminal as well', () => {
  const forms = IS_FULL ? ['--json', '--ndjson', '--csv'] : ['--json'];
  const some = IS_FULL ? SILENT : SILENT.filter((_, index) => index % 5 === 0);
  const table = forms.flatMap((form) => some.map(([name, row]) => [form, name, row] as const));

  it.each(table)('%s of %s', { timeout: SLOW_MS }, async (form, _name, row) => {
    attack(MIXED, row.kept);
    const { stdout, stderr } = await home.run([...row.words(), form, ...flags]);
    expect(rawIn(stdout + stderr, MIXED)).toEqual([]);
    if (form !== '--json' || stdout === '') return;
    // To a parser it is what the host wrote; an address is read as one, without ends of lines.
    const printed = JSON.stringify(JSON.parse(stdout));
    const texts = row.shows.filter((name) => name !== 'url');
    for (const name of texts) expect(printed).toContain(JSON.stringify(tagged(name, MIXED)));
  });

  it('--csv and --ndjson of a listing', { timeout: SLOW_MS }, async () => {
    attack(MIXED);
    for (const form of ['--csv', '--ndjson']) {
      const { stdout } = await home.run(['brands', '--country', 'us', form, ...flags]);
      expect(rawIn(stdout, MIXED)).toEqual([]);
      expect(namesIn(stdout)).toEqual(['brand_name', 'category']);
    }
  });

  it('results of tools', { timeout: SLOW_MS }, async () => {
    const client = await stdioClient(home, flags);
    attack(MIXED, GOODS);
    const place = { country_code: 'US', brand_name: 'Amazon.com' };
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ['listBrands', { country_code: 'US' }],
      ['searchProducts', { country_code: 'US', q: 'amazn' }],
      ['listProductsForCountry', { ...place, coin: 'USDC' }],
      ['getCurrencies', {}],
      ['getPaymentViasWithCurrencies', { details: true }],
      ['getOrderStatus', { order_id: ids.partner }],
    ];
    for (const [name, args] of calls) {
      const { text } = await client.call(name, args);
      expect(rawIn(text, MIXED)).toEqual([]);
      expect(namesIn(text).length, name).toBeGreaterThan(0);
    }
    await client.close();
  });
});

describe('the search', () => {
  it.each(VECTORS)('finds %s', (_what, hostile) => {
    expect(rawIn(tagged('name', hostile), hostile)).not.toEqual([]);
  });

  it('leaves what this program writes itself', () => {
    const own = '\u001b[?25l\u001b[?2026h\u001b[1G\u001b[36m⠋\u001b[39m Paying\u001b[0K\r\n';
    expect(rawIn(own, MIXED)).toEqual([]);
  });
});
