/** The payment page in a real browser: every state, with and without scripts, read by axe, followed and paid. */
import { Keypair } from '@solana/web3.js';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { type Listening, listen } from '../../src/service/http/node.ts';
import { textsIn } from '../../src/service/page/texts.ts';
import { HAS_BROWSER, openBrowser } from '../support/browser.ts';
import { putWallet } from '../support/browser-wallet.ts';
import { ENGINES } from '../support/engines.ts';
import { PAGED_ORDERS, pay } from '../support/paid-orders.ts';
import {
  BUYER_WALLET,
  type PartnerSandbox,
  partnerSandbox,
  via,
} from '../support/partner-sandbox.ts';
import { payTransferRequest } from '../support/solana-pay-wallet.ts';

const BITCOIN = { payment: via('BTC', 'Mainnet') };
/** A browser takes such names for this machine, and trusts them as it does https. */
const HOSTS = { SQLite: 'shop.localhost', PostgreSQL: 'other-shop.localhost' };
const ADDRESSES = { SQLite: `http://${HOSTS.SQLite}`, PostgreSQL: `http://${HOSTS.PostgreSQL}` };
const PHONE = { width: 320, height: 568 };

describe.skipIf(!HAS_BROWSER)('in Chromium (Linux x64)', () => {
  interface Served {
    readonly host: PartnerSandbox;
    readonly listening: Listening;
  }

  async function serve(engine: (typeof ENGINES)[number]): Promise<Served> {
    const host = await partnerSandbox({ baseUrl: ADDRESSES[engine], engine });
    const { handle, follow } = host.current();
    const listening = await listen({ handler: handle, follow, port: 0, host: '127.0.0.1' });
    return { host, listening };
  }

  let served: Readonly<Record<(typeof ENGINES)[number], Served>>;
  /** The one on SQLite. */
  let host: PartnerSandbox;
  let browser: Browser;
  beforeAll(async () => {
    served = { SQLite: await serve('SQLite'), PostgreSQL: await serve('PostgreSQL') };
    host = served.SQLite.host;
    browser = await openBrowser(
      Object.fromEntries(
        ENGINES.map((name) => [HOSTS[name], `127.0.0.1:${served[name].listening.port}`]),
      ),
    );
  });
  afterAll(async () => {
    await browser.close();
    for (const engine of ENGINES) {
      await served[engine].host.close();
      await served[engine].listening.close();
    }
  });

  interface Visit {
    readonly page: Page;
    /** What the browser complained about: CSP, scripts, loads that failed. */
    readonly complaints: readonly string[];
  }

  /** Opens the page of an order in a fresh profile, and closes it afterwards. */
  async function visit(
    { checkout_url, order_id }: WirePartnerOrder,
    options: BrowserContextOptions,
    look: (visit: Visit) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({ baseURL: ADDRESSES.SQLite, ...options });
    try {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      const { host } = options.baseURL === undefined ? served.SQLite : served.PostgreSQL;
      await page.goto(checkout_url ?? (await host.pagePath(order_id)));
      await look({ page, complaints });
    } finally {
      await context.close();
    }
  }

  /** Moves the time of the page, minute by minute, until something is there. */
  async function passUntil(page: Page, wanted: Locator): Promise<void> {
    while (!(await wanted.isVisible())) await page.clock.fastForward(60_000);
  }

  const heading = (page: Page) => page.locator('h1').textContent();

  /** axe is put in by the driver, past the page's policy; it reads the page and changes nothing. */
  async function violations(page: Page): Promise<unknown[]> {
    await page.evaluate(axe.source);
    return page.evaluate(async () => {
      const inPage: { run(): Promise<{ violations: { id: string; nodes: unknown[] }[] }> } =
        Reflect.get(globalThis, 'axe');
      return (await inPage.run()).violations.map(({ id, nodes }) => ({ id, nodes }));
    });
  }

  it.each(PAGED_ORDERS)(
    '%s: is read by axe without a finding, light and dark',
    async (situation, make) => {
      const order = await make(host);
      const [title] = textsIn('en').situations[situation];
      await visit(order, { viewport: PHONE }, async ({ page, complaints }) => {
        expect(await heading(page)).toBe(title);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await violations(page)).toEqual([]);
        }
        expect(complaints).toEqual([]);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect(width).toBeLessThanOrEqual(PHONE.width);
      });
    },
  );

  it.each(['due', 'partial', 'late', 'delivered'] as const)(
    '%s: is told to a screen reader by names and in order',
    async (wanted) => {
      const [, make] = PAGED_ORDERS.find(([situation]) => situation === wanted) ?? [];
      if (make === undefined) throw new Error(`no order is ${wanted}`);
      const order = await make(host);
      await visit(order, {}, async ({ page }) => {
        const heard = await page.locator('body').ariaSnapshot();
        const own = [page.url().split('/').at(-1), order.wallet_address, order.coin_amount].map(
          String,
        );
        const plain = own.reduce((text, one) => text.replaceAll(one, '…'), heard);
        expect(plain.replace(/0\.0\d+|bitcoin:\S+|(?<=time: ).*/g, '…')).toMatchSnapshot();
      });
    },
  );

  it.each(ENGINES)('follows an order to the delivery without a reload, on %s', async (engine) => {
    const { host } = served[engine];
    const order = await host.create(BITCOIN);
    await visit(order, {}, async ({ page, complaints }) => {
      await page.evaluate('globalThis.isSamePage = true');
      expect(await heading(page)).toBe('Send your payment');
      await pay(host, order);
      await page.getByRole('heading', { name: 'Payment found' }).waitFor();
      expect(await page.getByRole('status').textContent()).toBe('Payment found');
      await host.pass(2_000);
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
      expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
      expect(await page.title()).toBe('Delivered');
      expect(complaints).toEqual([]);
    });
  });

  it('follows by asking again where streams are cut', async () => {
    const order = await host.create(BITCOIN);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.clock.install();
    await page.route('**/events', (route) => route.abort());
    await page.goto(order.checkout_url ?? '');
    await pay(host, order);
    await passUntil(page, page.getByRole('heading', { name: 'Payment found' }));
    await context.close();
  });

  it('is paid by its form, and by the keyboard alone', async () => {
    const order = await host.create(BITCOIN);
    for (const javaScriptEnabled of [true, false]) {
      const each = javaScriptEnabled ? order : await host.create(BITCOIN);
      await visit(each, { javaScriptEnabled }, async ({ page }) => {
        const button = page.getByRole('button', { name: 'Pay with test money' });
        for (let presses = 0; presses < 10; presses += 1) {
          await page.keyboard.press('Tab');
          if (await button.evaluate((node) => node.matches(':focus'))) break;
        }
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Payment found' }).waitFor();
        expect(page.url()).toBe(each.checkout_url);
      });
    }
  });

  it('copies amount and address', async () => {
    const order = await host.create(BITCOIN);
    await visit(order, { permissions: ['clipboard-read', 'clipboard-write'] }, async ({ page }) => {
      await page.getByRole('button', { name: 'Copy: Address' }).click();
      await page.getByRole('status').getByText('Copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(order.wallet_address);
    });
  });

  it('can be paid over a slow line while its files are still on the way', async () => {
    const order = await host.create(BITCOIN);
    const context = await browser.newContext();
    const page = await context.newPage();
    const held: (() => void)[] = [];
    await page.route(/live\.js|\/qr\//, (route) => {
      held.push(() => void route.continue());
    });
    await page.goto(order.checkout_url ?? '', { waitUntil: 'commit' });
    await page.getByText(order.wallet_address ?? '').waitFor();
    expect(await page.getByRole('link', { name: 'Open in a wallet' }).getAttribute('href')).toBe(
      order.qr_text,
    );
    for (const go of held) go();
    await page
      .locator('img')
      .evaluate((image) => Reflect.apply(Reflect.get(image, 'decode'), image, []));
    await context.close();
  });

  it.each(ENGINES)(
    'takes an address and follows the refund until it is sent, on %s',
    async (engine) => {
      const { host } = served[engine];
      const key = 'order-key-of-at-least-32-characters';
      const order = await host.create({}, { 'Idempotency-Key': key });
      for (const ms of [16 * 60_000, 60_000]) await host.pass(ms);
      await host.transfer(order.wallet_address ?? '', 5_000_000n);
      for (const ms of [60_000, 2_000]) await host.pass(ms);
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.clock.install();
      await page.goto(order.checkout_url ?? '');
      await page.getByLabel('Your address').fill(BUYER_WALLET.address);
      await page.getByLabel('Key of the order').fill(key);
      await page.getByRole('button', { name: 'Send the refund there' }).click();
      await page.getByText('not sent yet').waitFor();
      for (const ms of [60_000, ...Array(10).fill(3_000)]) await host.pass(ms);
      await passUntil(page, page.getByText('sent in transaction'));
      await context.close();
    },
  );

  it('offers a wallet of the browser on Base, without a finding of axe, and none without one', async () => {
    const order = await host.create({ payment: via('USDC', 'Base') });
    await visit(order, {}, async ({ page, complaints }) => {
      expect(await page.getByRole('button', { name: 'Pay with' }).count()).toBe(1);
      expect(complaints).toEqual([]);
    });
    const context = await browser.newContext({ viewport: PHONE });
    await putWallet(context, 'Test Wallet');
    const page = await context.newPage();
    await page.goto(order.checkout_url ?? '');
    await page.getByRole('button', { name: 'Pay with Test Wallet' }).waitFor();
    await page.getByText('Sign with a wallet of test money alone').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      PHONE.width,
    );
    await context.close();
  });

  it('is paid by a wallet that does what Solana Pay says', async () => {
    const order = await host.create();
    await visit(order, {}, async ({ page }) => {
      const link = await page.getByRole('link', { name: 'Open in a wallet' }).getAttribute('href');
      const keys = Keypair.fromSeed(new Uint8Array(32).fill(21));
      await payTransferRequest(
        { keys, rpcUrl: `${served.SQLite.listening.url}/rpc`, fetch },
        link ?? '',
      );
      await host.pass(3_000);
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
    });
  });
});
