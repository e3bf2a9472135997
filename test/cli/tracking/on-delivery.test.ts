import { describe, expect, it } from 'vitest';
import type { UserProgram } from '../../../src/cli/context.ts';
import {
  type DeliveryFlags,
  readOnDelivery,
  tellDelivered,
} from '../../../src/cli/tracking/on-delivery.ts';
import { type Message, t } from '../../../src/domain/message/message.ts';
import { capture, smallContext, smallSettings } from '../../support/small-context.ts';

const ORDER = {
  orderId: 'cr_1',
  state: 'completed',
  order: { order_id: 'cr_1', deliveries: [{ voucher_code: 'SECRET-CODE-1234' }] },
} as const;

const bell = async (flags: DeliveryFlags, isTerminal: boolean, global = {}) => {
  const stderr = capture({ isTerminal });
  const context = smallContext({ io: { stderr }, settings: smallSettings(global) });
  await tellDelivered(context, readOnDelivery(flags), ORDER);
  return stderr.text();
};

it.each([
  [{ bell: true }, true, {}, '\u0007'],
  [{ bell: true }, false, {}, ''],
  [{ bell: true }, true, { json: true }, ''],
  [{}, true, {}, ''],
])('the bell for %j, on a terminal (%s) with %j', async (flags, isTerminal, global, rung) => {
  expect(await bell(flags, isTerminal, global)).toBe(rung);
});

describe('the command of the user', () => {
  /** What it was given; it ends so. */
  async function told(
    flags: DeliveryFlags,
    global = {},
    end: { readonly status: number } | { readonly failure: Message } = { status: 0 },
  ) {
    const ran: UserProgram[] = [];
    const runProgram = async (program: UserProgram) => {
      ran.push(program);
      return end;
    };
    const context = smallContext({ system: { runProgram }, settings: smallSettings(global) });
    await tellDelivered(context, readOnDelivery(flags), ORDER);
    return ran;
  }

  it('reads the order without its codes, and is told which it is', async () => {
    const ran = await told({ exec: 'say "it is here"' });
    expect(ran).toMatchObject([
      {
        command: ['say', 'it is here'],
        variables: { SCRIP_ORDER_ID: 'cr_1', SCRIP_ORDER_STATE: 'completed' },
        isHeard: true,
      },
    ]);
    expect(JSON.parse(ran[0]?.input ?? '')).toMatchObject({ order_id: 'cr_1' });
    expect(JSON.stringify(ran)).not.toContain('SECRET-CODE');
  });

  it('reads the codes only where they are revealed', async () => {
    const ran = await told({ exec: 'say', reveal: true });
    expect(ran[0]?.input).toContain('SECRET-CODE-1234');
    expect(JSON.stringify(ran[0]?.variables)).not.toContain('SECRET-CODE');
  });

  it('is not heard in JSON, where stderr holds one error or nothing', async () => {
    expect((await told({ exec: 'say' }, { json: true }))[0]?.isHeard).toBe(false);
  });

  it.each([
    [{ status: 3 }, 'it ended with status 3'],
    [{ failure: t`it cannot be run (ENOENT)` }, 'it cannot be run (ENOENT)'],
  ])('that fails is told of, and no money is at risk: %j', async (end, why) => {
    await expect(told({ exec: 'say' }, {}, end)).rejects.toMatchObject({
      ...{ code: 'EXEC_FAILED', exit: 13, fundsAtRisk: 'none' },
      message: expect.stringContaining(why),
    });
  });
});
