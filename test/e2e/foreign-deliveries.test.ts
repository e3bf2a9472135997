/** Goods in fields that the interface does not name: kept, masked as codes are, and shown. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, makeHome } from '../support/cli.ts';
import { openFrontHost, reshaping } from '../support/front-host.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, fundedWallet, orderOf } from '../support/shop.ts';
import { noTerminalBecause, openTerminal } from '../support/terminal.ts';

const PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana'];
const CHECKOUT_ORDER = /^\/v1\/orders(\/|$)/;
const PARTNER_ORDER = /^\/v5\/orders\/[0-9a-f-]{36}$/;
/** Of more digits than a number of JavaScript holds. */
const LONG = '6006491234567890123';

const home = makeHome();
const served = await serveHere(home);
const host = await openFrontHost(served.url);
const { flags } = host;
await fundedWallet(home, served.flags, '2000');
const productId = amazonProducts().fixed.product_id;

/** Deliveries of the checkout host become these fields, once they are there. */
function handsOver(fields: string): void {
  host.behave(
    reshaping((path, body) => {
      if (!CHECKOUT_ORDER.test(path) || !body.deliveries?.length) return body;
      const { deliveries: _, ...order } = body;
      return `${JSON.stringify(order).slice(0, -1)},"deliveries":[${fields}]}`;
    }),
  );
}

const CODES = /^(pin_code|pin_serial|security_code|qr_image_url|barcode_image_url)$/;
/** A deliverable of the partner API loses its code and is given these fields. */
function partnerHandsOver(fields: object): void {
  host.behave(
    reshaping((path, body) => {
      if (!PARTNER_ORDER.test(path) || !body.deliveries) return body;
      const deliveries = body.deliveries.map((one: { deliverable: Record<string, unknown> }) => {
        if (one.deliverable.pin_code === undefined) return one;
        const kept = Object.entries(one.deliverable).filter(([name]) => !CODES.test(name));
        return { ...one, deliverable: { ...Object.fromEntries(kept), ...fields } };
      });
      return { ...body, deliveries };
    }),
  );
}

const buy = (more: readonly string[] = []): Promise<CliResult> =>
  home.run([...orderOf(productId), ...flags, ...more]);
const documentOf = ({ stdout }: Pick<CliResult, 'stdout'>) => JSON.parse(stdout);

/** Every byte of every file of the home. */
function onDisk(dir: string): string {
  return readdirSync(dir, { recursive: true })
    .map((name) => join(dir, String(name)))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

describe('a delivery with fields of its own', () => {
  const FIELDS = `{"delivery_state":"completed","pin":"4711-0815-PIN","gift_code":${LONG},"voucher":{"code":"NEST-1111"},"codes":["A-1-FIRST","A-2-SECOND"],"note":"\\u001b[31mred","voucher_code":8812345}`;
  let bought: CliResult;
  let orderId: string;
  beforeAll(async () => {
    handsOver(FIELDS);
    bought = await buy(['--json']);
    orderId = documentOf(bought).order_id;
  });

  it('is told whole in JSON, long numbers digit by digit', () => {
    expect([bought.status, bought.stderr]).toEqual([0, '']);
    expect(documentOf(bought).deliveries).toEqual([
      {
        delivery_state: 'completed',
        voucher_code: '8812345',
        other_fields: {
          pin: '4711-0815-PIN',
          gift_code: LONG,
          'voucher.code': 'NEST-1111',
          'codes.0': 'A-1-FIRST',
          'codes.1': 'A-2-SECOND',
          note: '\u001b[31mred',
        },
      },
    ]);
  });

  it('is sealed in the journal, masked when shown, and revealed on purpose', async () => {
    expect(onDisk(home.dir)).not.toContain('4711-0815-PIN');
    const shown = await home.run(['orders', 'show', orderId, '--json']);
    expect(shown.stdout).toContain('"pin":"****-PIN"');
    for (const code of ['4711-0815-PIN', LONG, 'NEST-1111', 'A-2-SECOND']) {
      expect(shown.stdout).not.toContain(code);
    }
    const { deliveries } = await home.json<{ deliveries: unknown }>(['orders', 'reveal', orderId]);
    expect(deliveries).toEqual(documentOf(bought).deliveries);
    const again = await home.run(['orders', 'reveal', orderId]);
    expect(again.stdout).toContain('4711-0815-PIN');
    expect(again.stdout).not.toContain('\u001b[31m');
    const tracked = await home.run(['track', orderId, ...flags]);
    expect(tracked.stdout).toContain('Field pin');
    expect(tracked.stdout).not.toContain('4711-0815-PIN');
  });

  it.skipIf(noTerminalBecause !== undefined)('is shown on a terminal, as data', async () => {
    const terminal = openTerminal(['orders', 'reveal', orderId], home);
    await terminal.ended;
    expect(terminal.screen()).toContain('4711-0815-PIN');
    expect(terminal.screen()).toContain('\\u{1b}[31mred');
  });

  it('is bounded in number and length', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `"f${at}":"${'x'.repeat(9_000)}"`);
    handsOver(`{"delivery_state":"completed",${many.join(',')}}`);
    const [delivery] = documentOf(await buy(['--json'])).deliveries;
    const texts: string[] = Object.values(delivery.other_fields);
    expect(texts).toHaveLength(20);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(2_001);
  });
});

describe('a completed order without a code', () => {
  it('is said so, with an exit code of its own meaning, and not paid again', async () => {
    handsOver('{"delivery_state":"completed","delivery_type":"inline","sku":"A1"}');
    const words = [...orderOf(productId), ...flags, '--idempotency-key', 'codeless'];
    const bought = await home.failure(words);
    const missing = { status: 11, code: 'CODES_MISSING', funds_at_risk: 'spent' };
    expect(bought).toMatchObject(missing);
    expect(bought.message).toContain('completed, but the reply has no code');
    const again = await home.failure(words);
    expect([again.status, documentOf(again).already_bought]).toEqual([11, true]);
    const { order_id } = documentOf(bought);
    expect(await home.failure(['track', order_id, ...flags])).toMatchObject(missing);
  });

  it.each(['by_email', 'by_sms'])('that arrives %s is no fault', async (type) => {
    handsOver(`{"delivery_state":"completed","delivery_type":"${type}"}`);
    const bought = await buy(['--json']);
    expect([bought.status, bought.stderr]).toEqual([0, '']);
  });

  it('but with credit on a telephone is no fault', async () => {
    handsOver('{"delivery_state":"completed","beneficiary_account":"+14155550123"}');
    expect((await buy(['--json'])).status).toBe(0);
  });
});

describe('an order of the partner API', () => {
  const make = async () =>
    (await home.json<{ order_id: string }>([...orderOf(productId), ...PARTNER, ...flags])).order_id;

  it('keeps, masks and shows such fields too, to an agent as well', async () => {
    partnerHandsOver({ pin: 'PIN-4711-XYZ', extra: { gift_code: 7_712_345 } });
    const orderId = await make();
    const pay = ['pay', orderId, '--yes', '--max-amount', '60', ...flags, '--json'];
    const paid = await home.run(pay);
    expect([paid.status, paid.stderr]).toEqual([0, '']);
    const expected = { pin: 'PIN-4711-XYZ', 'extra.gift_code': '7712345' };
    expect(documentOf(paid).deliveries[0].deliverable.other_fields).toEqual(expected);
    expect(onDisk(home.dir)).not.toContain('PIN-4711-XYZ');
    const shown = await home.run(['orders', 'show', orderId, '--json']);
    expect(shown.stdout).not.toContain('PIN-4711-XYZ');
    const revealed = await home.json<{
      deliveries: { deliverable: { other_fields: unknown } }[];
    }>(['orders', 'reveal', orderId]);
    expect(revealed.deliveries[0]?.deliverable.other_fields).toEqual(expected);

    for (const [args, isTold] of [
      [[], false],
      [['--reveal-codes'], true],
    ] as const) {
      const agent = await stdioClient(home, [...args, ...flags, '--mcp-url', host.url]);
      const { text } = await agent.call('getOrderStatus', { order_id: orderId });
      expect(text.includes('PIN-4711-XYZ')).toBe(isTold);
      expect(text).toContain('other_fields');
    }
  });

  it('that is done without a code is said so', async () => {
    partnerHandsOver({ delivery_type: 'inline' });
    const orderId = await make();
    const pay = ['pay', orderId, '--yes', '--max-amount', '60', ...flags];
    expect(await home.failure(pay)).toMatchObject({ status: 11, code: 'CODES_MISSING' });
    partnerHandsOver({ delivery_type: 'by_email' });
    expect((await home.run(['track', orderId, ...flags, '--json'])).status).toBe(0);
  });
});
