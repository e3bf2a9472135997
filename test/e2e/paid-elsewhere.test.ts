/** An order in another coin, paid from elsewhere, on a machine without a wallet. */
import { expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';

const home = makeHome();

const ORDER = ['order', 'steam', '20', '--country', 'us', '--to', 'friend@example.com'];
const UNPAID = [...ORDER, '--coin', 'BTC', '--yes', '--no-wait'];

it('a test order says that no real coins are sent to it, and its codes are asked of the merchant', async () => {
  const made = await home.run(UNPAID);
  expect(made.status, made.stderr).toBe(0);
  expect(made.stdout).toContain('Test order\tSend no real coins to it.');
  const [, orderId = ''] = /^Order\t(\S+)$/m.exec(made.stdout) ?? [];

  // Its beginning is enough.
  const paid = await home.run(['sandbox', 'pay', orderId.slice(0, 8)]);
  expect(paid.status, paid.stderr).toBe(0);
  const tracked = await home.run(['track', orderId.slice(0, 8), '--json']);
  expect(tracked.status, tracked.stderr).toBe(0);
  expect(JSON.parse(tracked.stdout)).toMatchObject({ order_state: 'Done' });

  const shown = await home.run(['orders', 'show', orderId]);
  expect(shown.stdout).toMatch(/^For\tfriend@example\.com$/m);
  expect(shown.stdout).toMatch(/^Received\t[\d.]+ BTC$/m);
  expect(shown.stdout).toMatch(/^Code\t\*+/m);
  expect(shown.stderr).toContain(`To see them: scrip track ${orderId}`);
  const record = JSON.parse((await home.run(['orders', 'show', orderId, '--json'])).stdout);
  expect(record).toMatchObject({ status: 'completed', order: { order_state: 'Done' } });
  const [listed] = JSON.parse((await home.run(['orders', '--json'])).stdout);
  const { order } = record;
  expect(listed).toMatchObject({ amount: order.received_amount, coin: 'BTC', transaction: null });
  const revealed = await home.run(['orders', 'reveal', orderId]);
  expect(revealed.stderr).toContain('error[CODES_FORGOTTEN]');
  expect(revealed.stderr).toContain(`The merchant has them. Run: scrip track ${orderId}`);
});

it('is refused a phone number before an e-mail address of the buyer is asked for', async () => {
  const words = ['order', 'steam', '20', '--country', 'us', '--to', '+14155550142'];
  const refused = await home.run([...words, '--yes', '--max-amount', '30', '--json']);
  expect(JSON.parse(refused.stderr).error.code).toBe('EMAIL_INVALID');
});

it('is not ordered again unasked, by a wallet that was made since', async () => {
  expect((await home.run(['wallet', 'new'])).status).toBe(0);
  const again = await home.run([...UNPAID, '--json']);
  expect(again.status).toBe(7);
  expect(JSON.parse(again.stderr).error.code).toBe('DUPLICATE_PURCHASE');
});
