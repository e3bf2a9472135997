/** `scrip sandbox --fault …` and a buyer who is not told: one payment, one code, whatever is lost. */
import { describe, expect, it } from 'vitest';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet } from '../support/shop.ts';

const newHome = () => makeHome(SCRIP, FINAL_SOON);

async function buyFrom(faults: readonly string[]) {
  const home = newHome();
  const flags = faults.flatMap((fault) => ['--fault', fault]);
  const sandbox = await serveSandbox(home, [...flags, '--seed', '7']);
  try {
    const payer = await fundedWallet(home, sandbox.flags);
    const { fixed } = amazonProducts();
    const order = await buy(home, fixed.product_id, sandbox.flags);
    return { order, payments: await ledgerAt(`${sandbox.url}/rpc`).payments(payer) };
  } finally {
    await sandbox.stop();
  }
}

describe('a sandbox that was told to misbehave', () => {
  it.each([
    [
      'on payments, in every way',
      [
        'drop-request,x1,payment',
        'drop-reply,x1,payment',
        'cut-reply,x1,payment',
        'late-status=502,x1,payment',
        'status=503:1,x1,payment',
        'duplicate,payment',
      ],
    ],
    [
      'on requirements and orders',
      ['late-status=500,x1,challenge', 'drop-reply,x1,order', 'cut-reply,x1,order'],
    ],
    ['at the supplier', ['supplier=error,x1', 'supplier=unknown,x2', 'latency=1ms..50ms']],
  ])('%s: one payment, one code', async (_what, faults) => {
    const { order, payments } = await buyFrom(faults);
    expect(order).toMatchObject({
      status: 'completed',
      deliveries: [{ voucher_code: expect.stringMatching(/^TEST-/) }],
    });
    expect(payments).toEqual([order.transaction]);
  });
});
