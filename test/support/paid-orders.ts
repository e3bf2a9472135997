/** Orders of the partner API in each situation that its payment page tells apart, on a clock that tests move. */
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import type { Situation } from '../../src/service/page/situation.ts';
import { LAST_LOOK_MS } from '../../src/service/partner/orders/progress.ts';
import { AMAZON_25, jsonOf, type PartnerSandbox, via } from './partner-sandbox.ts';

const WINDOW_MS = 15 * 60_000;
const BITCOIN = { payment: via('BTC', 'Mainnet') };
const emailed = (tag: string) => ({ ...BITCOIN, user: { email: `ann+${tag}@example.com` } });

type Host = Pick<PartnerSandbox, 'create' | 'post' | 'pass' | 'transfer'>;
type Maker = (host: Host) => Promise<WirePartnerOrder>;

export const pay = async (
  { post }: Pick<Host, 'post'>,
  { order_id }: WirePartnerOrder,
  body: unknown = {},
): Promise<WirePartnerOrder> => jsonOf(await post(`/sandbox/orders/${order_id}/pay`, body));

const paying =
  (more: Record<string, unknown>, body: unknown, passMs: number): Maker =>
  async (host) => {
    const order = await host.create(more);
    await pay(host, order, body);
    if (passMs > 0) await host.pass(passMs);
    return order;
  };

const afterwards =
  (make: Maker, then: (host: Host, order: WirePartnerOrder) => Promise<unknown>): Maker =>
  async (host) => {
    const order = await make(host);
    await then(host, order);
    return order;
  };

const press =
  (action: string) =>
  ({ post }: Host, { order_id }: WirePartnerOrder) =>
    post(`/sandbox/orders/${order_id}/${action}`, {});

/** Supplied by a scenario of the supplier. */
const supplied = (...tags: readonly string[]) => ({
  ...BITCOIN,
  deliveries: tags.map((tag) => ({ ...AMAZON_25, beneficiary_account: `ann+${tag}@example.com` })),
});

const created: Maker = ({ create }) => create(BITCOIN);
const expire = async ({ pass }: Host) => {
  await pass(WINDOW_MS + 1_000);
  await pass(LAST_LOOK_MS);
};
const late = afterwards(paying(BITCOIN, { amount: '0.0001' }, 2_000), expire);

/** One way to each situation. */
export const PAGED_ORDERS: readonly (readonly [Situation, Maker])[] = [
  ['preparing', ({ create }) => create(emailed('slow-wallet'))],
  ['due', created],
  ['retry', paying(BITCOIN, { fail: true }, 2_000)],
  ['partial', paying(BITCOIN, { amount: '0.0001' }, 2_000)],
  ['seen', paying(BITCOIN, {}, 0)],
  ['checking', paying(emailed('checked'), {}, 2_000)],
  ['held', afterwards(paying(emailed('quarantined'), {}, 2_000), ({ pass }) => pass(4_000))],
  ['closing', afterwards(created, ({ pass }) => pass(WINDOW_MS + 1_000))],
  ['paid', paying(supplied('slow'), {}, 2_000)],
  ['manual', paying(supplied('failing'), {}, 2_000)],
  ['delivered', paying(BITCOIN, {}, 2_000)],
  ['closed', afterwards(paying(supplied('instant', 'failing'), {}, 2_000), press('close'))],
  ['expired', afterwards(created, expire)],
  ['late', late],
  ['canceled', afterwards(created, press('cancel'))],
  ['refunded', afterwards(late, press('refund'))],
  [
    'failed',
    afterwards(
      ({ create }) => create(emailed('setup-failed')),
      ({ pass }) => pass(4_000),
    ),
  ],
];
