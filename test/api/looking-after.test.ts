/** What an earlier run left open is looked at before a purchase, and never in its way. */
import { beforeEach, describe, expect, it } from 'vitest';
import { resume } from '../../src/api/checkout/pay.ts';
import type { PurchaseDeps } from '../../src/api/checkout/purchase-deps.ts';
import { purchaseError } from '../../src/api/payment/outcome-error.ts';
import { receiptOf } from '../../src/api/receipt.ts';
import { reconcileUnfinished } from '../../src/api/reconcile-unfinished.ts';
import { scripDeps } from '../../src/cli/scrip-deps.ts';
import { purchase } from '../support/purchase.ts';
import { type Fault, makeWorld, orderOf, type World } from '../support/purchase-world.ts';
import { capture, smallContext, smallSettings } from '../support/small-context.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

/** A purchase that nobody answered, though it was paid. */
async function leaveOpen(key: string): Promise<void> {
  world.faults.push('reply lost', ...Array<Fault>(300).fill('request lost'));
  await purchase(world.deps({ settleMs: 1_000 }), orderOf(key));
  world.faults.length = 0;
}

async function look(flags: Parameters<typeof smallSettings>[0] = {}): Promise<string> {
  const stderr = capture();
  const context = smallContext({ io: { stderr } }, { settings: smallSettings(flags) });
  const { body } = orderOf('new');
  const deps = world.deps({ pollMs: 300 });
  await reconcileUnfinished(scripDeps(context), merchantOf(deps), { body, key: 'new' });
  return stderr.text();
}

/** What is asked of a merchant here, of the world's own. */
function merchantOf(deps: PurchaseDeps): Parameters<typeof reconcileUnfinished>[1] {
  const { vault, ...paying } = deps;
  return {
    paying: async () => ({ ...paying, vault: async () => vault }),
    sells: ({ host }) => host === deps.host,
    finish: async (entry, { waitMs, settleMs = 0 }) => {
      const outcome = await resume({ ...deps, waitMs, settleMs }, entry);
      return { receipt: receiptOf(outcome), error: purchaseError(outcome) };
    },
  };
}

describe('before a purchase', () => {
  it('says nothing, and asks nobody, where nothing is open', async () => {
    await purchase(world.deps(), orderOf('done'));
    const asked = world.requests.length;
    expect(await look()).toBe('');
    expect(world.requests).toHaveLength(asked);
  });

  it('finishes what can be finished, signs nothing, and says so', async () => {
    await leaveOpen('open');
    const signed = world.signed();
    expect(await look()).toBe('Earlier unfinished purchases: 1 finished now\n');
    expect(world.signed()).toBe(signed);
  });

  it('is over within seconds when the merchant is away, and says what to run', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await leaveOpen(key);
    world.faults.push(...Array<Fault>(300).fill('request lost'));
    const before = world.clock.now();
    expect(await look()).toContain('5 still open. Run: scrip orders resume');
    expect(world.clock.now() - before).toBeLessThan(15_000);
  });

  it('adds no line to JSON mode’s stderr', async () => {
    await leaveOpen('open');
    expect(await look({ json: true })).toBe('');
  });

  it('leaves the purchase’s own entry to the purchase', async () => {
    await leaveOpen('new');
    const asked = world.requests.length;
    expect(await look()).toBe('');
    expect(world.requests).toHaveLength(asked);
  });
});
