/**
 * Unique markers in every secret of a purchase, and then a search for them in everything that was
 * said and written, at the highest verbosity: purchases on both surfaces, failures, an encrypted
 * wallet, and a service that dies. Deaths of the buyer: `canary-crash`; tools of agents: `canary-tools`.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { SERVICE_POINTS, type ServicePoint } from '../../src/domain/journal/fail-points.ts';
import { found, HOLDERS, leaks, MAIL, PASSPHRASE, PEOPLE, PHONE } from '../support/canary.ts';
import { canaryOrder, openCanaryWorld } from '../support/canary-world.ts';
import { IS_FULL } from '../support/fuzz.ts';
import { markPlay } from '../support/shop.ts';

const SLOW_MS = 240_000;
const SERVICE_CRASHES: readonly ServicePoint[] = IS_FULL ? SERVICE_POINTS : ['supplier-answered'];
const PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];

const world = await openCanaryWorld();
const order = canaryOrder(world.product);
afterAll(() => world.close());

const idOf = (document: string): string => JSON.parse(document).order_id;

describe('what nobody asked for is told to nobody', () => {
  it('by purchases on both surfaces', { timeout: SLOW_MS }, async () => {
    const bought = await world.run([...order, '--json', '--reveal']);
    expect(bought.status, bought.stderr).toBe(0);
    world.learn(JSON.parse(bought.stdout));
    const partner = await world.run([...order, ...PARTNER, '--json', '--reveal']);
    expect(partner.status, partner.stderr).toBe(0);
    world.learn(JSON.parse(partner.stdout));
    // Without --reveal nothing that redeems is printed where no terminal is.
    await world.quietly(order);
    await world.quietly([...order, ...PARTNER]);
    const listed = await world.quietly(['orders', '--json']);
    const ids: readonly string[] = JSON.parse(listed.stdout).map(
      ({ order_id }: { order_id: string }) => order_id,
    );
    for (const id of ids) await world.reveal(id);
    await world.quietly(['orders']);
    await world.quietly(['orders', 'list', '--csv']);
    await world.quietly(['orders', 'show', idOf(bought.stdout), '--json']);
    await world.quietly(['orders', 'show', idOf(partner.stdout)]);
    await world.quietly(['track', idOf(bought.stdout)]);
    await world.quietly(['doctor']);
  });

  it('by a top-up, which goes to its number', { timeout: SLOW_MS }, async () => {
    const { product_id, place } = await findTopUp();
    const toppedUp = await world.run([
      ...canaryOrder(product_id, { to: PHONE, place }),
      ...['--no-wait', '--json'],
    ]);
    expect(toppedUp.status, toppedUp.stderr).toBe(0);
  });

  it('by refusals and failures', { timeout: SLOW_MS }, async () => {
    const unreachable = [...order, '--checkout-url', 'http://127.0.0.1:1'];
    const statuses = [
      await world.quietly(canaryOrder('no-such-product')),
      await world.quietly([...order, '--max-amount', '1']),
      await world.quietly(unreachable),
      await world.quietly([...unreachable, '--json']),
    ].map(({ status }) => status);
    expect(statuses).not.toContain(0);
  });

  // It is over when the payment is final, which takes a real chain a quarter of a minute.
  it.runIf(IS_FULL)('by an order that is paid and fails', { timeout: SLOW_MS }, async () => {
    const failing = canaryOrder(world.product, { to: MAIL.replace('@', '+failing@') });
    expect((await world.quietly(failing)).status).toBe(10);
  });

  it.each(SERVICE_CRASHES)('by a service that dies at %s', { timeout: SLOW_MS }, async (point) => {
    await world.serve([], { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point });
    const key = ['--idempotency-key', `canary-service-${point}`];
    const buyer = world.home.start([...order, ...key, '--verbose', ...world.flags()]);
    world.listen(buyer);
    buyer.stdout?.setEncoding('utf8').on('data', world.hear);
    const gone = new Promise((resolve) => buyer.once('close', resolve));
    // It dies by its own hand.
    await new Promise((resolve) => world.served().process.once('close', resolve));
    buyer.kill('SIGTERM');
    await gone;
    await world.serve();
  });

  it('by an encrypted wallet, its passphrase right or wrong', { timeout: SLOW_MS }, async () => {
    const right = world.passphraseFile('right', PASSPHRASE);
    const wrong = world.passphraseFile('wrong', `${PASSPHRASE} but wrong`);
    const locked = ['--keypair', `${world.home.dir}/locked.json`];
    const opened = ['--passphrase-file', right];
    const made = await world.quietly(['wallet', 'new', ...locked, ...opened, '--json']);
    const { address } = JSON.parse(made.stdout);
    markPlay(world.home, address);
    await world.quietly(['wallet', 'fund', ...locked]);
    const refused = await world.quietly([...order, ...locked, '--passphrase-file', wrong]);
    expect(refused.status).not.toBe(0);
    // In the environment it is seen by the program alone, also in a crash.
    const env = { SCRIP_PASSPHRASE: PASSPHRASE, SCRIP_TEST: '1', SCRIP_FAIL_POINT: 'signed' };
    expect((await world.quietly([...order, ...locked], { env })).signal).toBe('SIGKILL');
    const search = await world.search([address]);
    expect(search.leaks).toEqual([]);
    // A search for nothing finds nothing, and a holder that holds nothing needs no leave to.
    expect(Object.entries(search.counts).filter(([, count]) => count === 0)).toEqual([]);
    expect(search.counts.code).toBeGreaterThan(3);
    expect(search.idle).toEqual([]);
  });
});

interface Named {
  readonly brand_name: string;
  readonly family: string;
}

interface Item {
  readonly product_id: string;
  readonly is_range: boolean;
  readonly min_value?: string | number;
}

/** A product of a mobile operator, with a value that it takes. */
async function findTopUp() {
  const list = <T>(words: readonly string[]) => world.home.json<T[]>([...words, ...world.flags()]);
  const brands = await list<Named>(['brands', '--country', 'us']);
  const brand = brands.find(({ family }) => /mobile/i.test(family))?.brand_name ?? '';
  const place = ['--country', 'us', '--brand', brand];
  const items = await list<Item>(['catalog', ...place]);
  const item = items.find(({ is_range }) => !is_range) ?? items[0];
  const value = item?.is_range ? ['--value', String(item.min_value)] : [];
  return { product_id: item?.product_id ?? '', place: [...place, ...value] };
}

describe('the search', () => {
  const MARKERS = { code: ['C0DE'], key: [], passphrase: [PASSPHRASE], person: PEOPLE };

  it('finds what it looks for', () => {
    expect(found(`x${PASSPHRASE}y`, ['nothing', PASSPHRASE])).toEqual([PASSPHRASE]);
    const markers = { ...MARKERS, session: [], payment: [] };
    expect(leaks(`to ${MAIL} C0DE`, markers, ['code', 'key', 'person'])).toEqual([
      'code C0DE',
      `person ${MAIL.replace(/@.*/, '')}`,
    ]);
  });

  it('is told why a file may hold a secret', () => {
    for (const { because, holds } of HOLDERS) {
      expect(because).toMatch(/\w{4}/);
      // Nothing that redeems is anywhere on disk in the clear.
      expect(holds).not.toContain('code');
    }
  });
});
