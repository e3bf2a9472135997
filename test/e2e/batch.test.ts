/** Gifts for many by the real process: each bought once, whatever happens on the way. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cartLine } from '../../src/cli/schemas/purchase.ts';
import {
  BAD_LINES,
  cartOrder,
  type LineDocument,
  readBooks,
  writeRecipients,
} from '../support/batch-world.ts';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';

const RECIPIENTS = 60;
const FUNDS = '2000';

describe('a cart of many recipients', () => {
  it('is bought once though it is killed twice on the way', async () => {
    const home = makeHome();
    const payer = await fundedWallet(home, [], FUNDS);
    const { range } = amazonProducts();
    const cart = writeRecipients(home, range.product_id, RECIPIENTS);
    const words = cartOrder(cart.path, ['--concurrency', '2']);
    for (const point of ['submitted:2', 'attempt-written:2']) {
      const killed = await home.run(words, { env: { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point } });
      expect(killed.signal, killed.stderr).toBe('SIGKILL');
    }

    const first = await home.failure(words);
    expect(first).toMatchObject({
      status: 12,
      code: 'BATCH_PARTIAL',
      funds_at_risk: 'none',
      details: { statuses: { completed: RECIPIENTS - 3, invalid: 3 } },
    });
    const lines: LineDocument[] = cartLine().array().parse(JSON.parse(first.stdout));
    expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 2));
    const bad = lines.filter(({ status }) => status === 'invalid');
    expect(bad.map(({ line }) => line)).toEqual(cart.badLines);
    expect(bad).toMatchObject(BAD_LINES.map(({ error_code, field }) => ({ error_code, field })));

    const again = await home.run([...words, '--json']);
    expect(again.status).toBe(12);
    const later: LineDocument[] = JSON.parse(again.stdout);
    const facts = ({ line, order_id, transaction, amount }: LineDocument) => ({
      ...{ line, order_id, transaction, amount },
    });
    expect(later.map(facts)).toEqual(lines.map(facts));
    expect(later.filter(({ already_bought }) => already_bought)).toHaveLength(cart.good.length);

    const books = await readBooks(home, payer);
    expect(books.sold).toEqual(cart.good.toSorted());
    expect(books.agrees).toBe(true);
    expect([...books.payments].toSorted()).toEqual(
      [...new Set(lines.flatMap(({ transaction }) => transaction ?? []))].toSorted(),
    );
    const spent = lines.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 1e6), 0);
    expect(books.balance).toBe(BigInt(FUNDS) * 1_000_000n - BigInt(spent));
  });
});

describe('a cart', () => {
  const home = makeHome();
  const { range, fixed, card25 } = amazonProducts();
  const [productId, fixedId] = [range.product_id, fixed.product_id];
  beforeAll(() => fundedWallet(home, [], FUNDS));
  const write = (name: string, text: string): string => {
    const path = join(home.dir, name);
    writeFileSync(path, text);
    return path;
  };
  const here = ['--country', 'us', '--brand', 'Amazon.com'];
  const order = (path: string, more: readonly string[] = []) =>
    home.run(cartOrder(path, [...here, ...more]));

  it('with bad lines buys nothing, and names each with its field', async () => {
    const before = await home.json(['orders']);
    const path = write(
      'bad.csv',
      `product_id,to,value,quantity\n${productId},a@example.com,10\n${productId},b,10\n${productId},c@example.com,10,0\n`,
    );
    const words = cartOrder(path, here).filter((word) => word !== '--skip-invalid');
    expect(await home.failure(words)).toMatchObject({
      ...{ status: 2, stdout: '', code: 'CART_INVALID' },
      details: {
        lines: [
          { line: 3, field: 'to', code: 'EMAIL_INVALID' },
          { line: 4, field: 'quantity', code: 'INPUT_INVALID' },
        ],
      },
    });
    expect(await home.json(['orders'])).toEqual(before);
    const told = await home.run(words);
    expect(told.status).toBe(2);
    expect(told.stdout.split('\n').filter((line) => line !== '')).toHaveLength(2);
  });

  it('names all that is wrong with its lines in one run', async () => {
    const path = write(
      'worse.csv',
      'brand,value,to,quantity\nAmazon,10,a@@example.com,0\nAmazonia,10,,1\nAmazonia,10,c@@example.com,1\nAmazon,10,d@example.com,1\n',
    );
    const words = ['order', '--cart', path, '--country', 'us', '--email', 'you@example.com'];
    const failed = await home.failure([...words, '--dry-run']);
    expect(failed).toMatchObject({ status: 2, code: 'CART_INVALID' });
    const faults: { line: number; field: string }[] = failed.details.lines;
    expect(faults.map(({ line, field }) => `${line} ${field}`)).toEqual([
      ...['2 quantity', '2 to', '3 to', '3 brand', '4 brand', '4 to'],
    ]);
    expect(failed.message).toContain('3 lines of worse.csv cannot be bought: 2 (quantity, to)');
    const skipped = await home.failure([...words, '--dry-run', '--skip-invalid']);
    const lines: LineDocument[] = JSON.parse(skipped.stdout);
    expect(lines.map(({ line, status }) => `${line} ${status}`)).toEqual([
      ...['2 invalid', '3 invalid', '4 invalid', '5 priced'],
    ]);
    expect(skipped).toMatchObject({
      code: 'BATCH_PARTIAL',
      message: expect.stringContaining('Left out (--skip-invalid): lines 2'),
    });
  });

  it('has code and serial in columns of their own, the new ones last', async () => {
    const path = write('serials.csv', 'brand,value,to\nAmazon.com,11,serial@example.com\n');
    const words = cartOrder(path, ['--country', 'us']);
    const plain = await home.run([...words, '--reveal', '--csv']);
    expect(plain.status, plain.stderr).toBe(0);
    const [head = '', row = ''] = plain.stdout.split('\r\n');
    expect(head.split(',').slice(-3)).toEqual(['error', 'serial', 'security_code']);
    const [code = '', serial = ''] = ['code', 'serial'].map(
      (name) => row.split(',')[head.split(',').indexOf(name)] ?? '',
    );
    expect([code, serial]).toEqual([
      expect.stringMatching(/^TEST-[\w-]+$/),
      expect.stringMatching(/^TEST-[\w-]+$/),
    ]);
    expect(serial).not.toBe(code);
    const tabs = (await home.run([...words, '--reveal'])).stdout.split('\n')[0]?.split('\t') ?? [];
    expect([tabs[5], tabs[9], tabs.at(-1)]).toEqual([code, serial, 'Amazon.com 11 USD']);
    const [json]: LineDocument[] = JSON.parse((await home.run([...words, '--json'])).stdout);
    expect([json?.code, json?.serial]).toEqual([code, serial]);
    const masked = (await home.run(words)).stdout.split('\n')[0]?.split('\t') ?? [];
    expect([masked[5], masked[9]]).toEqual([code, serial].map((text) => `****${text.slice(-4)}`));
  });

  it('has the confirmation of a top-up as a serial, not as a code', async () => {
    const path = write('top-up.csv', 'brand,value,to\nAT&T,5,+12025550123\n');
    const { stdout } = await home.run([
      ...cartOrder(path, ['--country', 'us']),
      '--json',
      '--reveal',
    ]);
    expect(JSON.parse(stdout)).toMatchObject([
      { status: 'completed', code: null, serial: expect.stringMatching(/^TEST-/) },
    ]);
  });

  it('of equal lines and quantities buys each, and an edited line anew', async () => {
    const line = { product_id: productId, to: 'twin@example.com', value: 5 };
    const of = (...lines: readonly object[]) => lines.map((one) => JSON.stringify(one)).join('\n');
    const first = write('twins.ndjson', of(line, line, { ...line, quantity: 2 }));
    const bought: LineDocument[] = JSON.parse((await order(first, ['--json', '--reveal'])).stdout);
    expect(bought.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    const codes = bought.flatMap(({ code }) => code?.split(' ') ?? []);
    expect(new Set(codes).size).toBe(4);

    const edited = write('edited.ndjson', of({ ...line, value: 6 }, { ...line, quantity: 3 }));
    const next: LineDocument[] = JSON.parse((await order(edited, ['--json'])).stdout);
    expect(next.map(({ already_bought }) => already_bought)).toEqual([false, true]);
    expect(next[0]?.code).toMatch(/^TEST-/);

    const anew = await order(edited, [
      '--json',
      '--idempotency-key',
      'second',
      '--allow-duplicate',
    ]);
    const third: LineDocument[] = JSON.parse(anew.stdout);
    expect(third.map(({ already_bought }) => already_bought)).toEqual([false, false]);
  });

  it('from standard input, as an array, is told line by line in a pipe', async () => {
    const cart = JSON.stringify([
      { product_id: fixedId, to: 'one@example.com', note: 'thanks' },
      { product_id: productId, to: 'two@example.com', value: '7.00' },
    ]);
    const words = cartOrder('-', [...here, '--csv', '--note', 'for the team']);
    const done = await home.run(words, { input: cart });
    expect(done.status, done.stderr).toBe(0);
    const [newest] = await home.json<{ note: string | null }[]>(['orders']);
    expect(newest?.note).toBe('for the team');
    const [head, ...rows] = done.stdout
      .trim()
      .split('\n')
      .map((row) => row.split(','));
    expect(head?.slice(0, 3)).toEqual(['line', 'status', 'product_id']);
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ['1', 'completed', fixedId],
      ['2', 'completed', productId],
    ]);
  });

  describe('of brands and values', () => {
    const here = ['--country', 'us'];
    const file = 'brand,value,to';

    it('buys what they mean, and the same once, whatever the product is called by', async () => {
      const lines = ['AMAZON,25,words@example.com', 'amazon.com,37,words@example.com'];
      const path = write('words.csv', `${[file, ...lines].join('\n')}\n`);
      const bought = await home.run(cartOrder(path, [...here, '--json']));
      expect(bought.status, bought.stderr).toBe(0);
      const first: LineDocument[] = JSON.parse(bought.stdout);
      expect(first).toMatchObject([
        { brand: 'Amazon.com', value: '25', amount: '25.25' },
        { product_id: productId, brand: 'Amazon.com', value: '37', amount: '37.37' },
      ]);
      // Of exactly that value, though a range has it too.
      expect(first[0]?.product_id).toBe(card25.product_id);

      const again: LineDocument[] = await home.json(cartOrder(path, here));
      expect(again.map(({ already_bought }) => already_bought)).toEqual([true, true]);

      const ids = [
        { ...card25, brand: 'Amazon.com', to: 'words@example.com' },
        { product_id: productId, brand: 'Amazon.com', value: 37, to: 'words@example.com' },
      ];
      const byId = write('ids.json', JSON.stringify(ids));
      const known: LineDocument[] = await home.json(cartOrder(byId, here));
      expect(known.map(({ already_bought }) => already_bought)).toEqual([true, true]);
      expect(known.map(({ order_id }) => order_id)).toEqual(first.map(({ order_id }) => order_id));
    });

    it('takes no name that is only like one, and proposes lines that it takes', async () => {
      const path = write('like.csv', `${file}\nama,25,like@example.com\n`);
      const words = cartOrder(path, here).filter((word) => word !== '--skip-invalid');
      const refused = await home.failure(words);
      expect(refused).toMatchObject({ status: 2, stdout: '' });
      const [bad] = refused.details.lines;
      expect(bad).toMatchObject({ line: 2, field: 'brand', code: 'PRODUCT_AMBIGUOUS' });
      const [{ product_id: id, name }] = bad.products;
      expect(bad.products.length).toBeGreaterThan(1);
      expect(name).toBe('Amazon.com 25 USD');
      // In words where they mean one product alone.
      const line = 'amazon,25,like@example.com';
      expect(bad.message).toContain(line);

      const mended = write('mended.csv', `${file}\n${line}\n`);
      const priced: LineDocument[] = await home.json(cartOrder(mended, [...here, '--dry-run']));
      expect(priced).toMatchObject([{ status: 'priced', product_id: id, amount: '25.25' }]);
    });

    it('shows what was typed where it cannot be read', async () => {
      const path = write(
        'typed.csv',
        `${file}\namazon,abc,typed@example.com\namazon,25,b@example.com\n`,
      );
      const words = cartOrder(path, [...here, '--skip-invalid', '--dry-run']);
      const { stdout } = await home.run([...words, '--json']);
      const [bad] = JSON.parse(stdout) as LineDocument[];
      const typed = { field: 'value', value: 'abc', brand: 'amazon' };
      expect(bad).toMatchObject({ status: 'invalid', ...typed });
    });

    it('takes country and e-mail from the settings', async () => {
      const path = write('home.csv', `${file}\nAmazon,25,settings@example.com\n`);
      const words = ['order', '--cart', path, '--dry-run'];
      const missing = await home.failure([...words, '--email', 'you@example.com']);
      expect(missing.details.lines).toMatchObject([{ field: 'country' }]);
      const env = { SCRIP_COUNTRY: 'us', SCRIP_EMAIL: 'you@example.com' };
      const priced = [{ status: 'priced', country: 'us' }];
      expect(await home.json(words, { env })).toMatchObject(priced);
    });
  });

  it('over its budget or without one buys nothing', async () => {
    const path = write('dear.csv', `${productId},dear@example.com,100\n`);
    const over = await home.failure([...cartOrder(path, here), '--max-total', '90']);
    expect(over).toMatchObject({ status: 6, code: 'AMOUNT_OVER_CAP' });
    // Lines that cannot be bought are told first: they change what the rest costs.
    const wrong = write(
      'wrong.csv',
      `${productId},dear@example.com,100\n${productId},nobody,100\n`,
    );
    const agreed = ['--email', 'you@example.com', '--yes', ...here];
    const words = ['order', '--cart', wrong, ...agreed, '--max-total', '90'];
    expect(await home.failure(words)).toMatchObject({
      ...{ status: 2, code: 'CART_INVALID' },
      details: { lines: [{ line: 2, field: 'to' }] },
    });
    const bare = await home.failure(['order', '--cart', path, ...agreed]);
    expect([bare.status, JSON.stringify(bare)]).toEqual([
      2,
      expect.stringContaining('--max-total'),
    ]);
    const rehearsed = await home.json(cartOrder(path, [...here, '--dry-run']));
    expect(rehearsed).toMatchObject([{ status: 'priced', amount: '101.00' }]);
    expect((await home.run(['orders', '--json'])).stdout).not.toContain('dear@example.com');
  });
});
