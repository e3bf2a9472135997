import { describe, expect, it } from 'vitest';
import type { UserProgram } from '../../../src/cli/context.ts';
import { readOnDelivery, tellDelivered } from '../../../src/cli/tracking/on-delivery.ts';
import { type Message, t } from '../../../src/domain/message/message.ts';
import { capture, smallContext, smallSettings } from '../../support/small-context.ts';

const ORDER = {
  orderId: 'cr_1',
  state: 'completed',
  order: { order_id: 'cr_1', deliveries: [{ voucher_code: 'SECRET-CODE-1234' }] },
} as const;

function machine(end: { readonly status: number } | { readonly failure: Message }) {
  const ran: UserProgram[] = [];
  const runProgram = async (program: UserProgram) => {
    ran.push(program);
    return end;
  };
  return { ran, runProgram };
}

describe('the bell', () => {
  const BELL = '\u0007';
  it.each([
    [true, {}, BELL],
    [false, {}, ''],
    [true, { json: true }, ''],
  ])('on a terminal (%s) with %j', async (isTerminal, flags, rung) => {
    const stderr = capture({ isTerminal });
    const context = smallContext({ io: { stderr }, settings: smallSettings(flags) });
    await tellDelivered(context, readOnDelivery({ bell: true }), ORDER);
    expect(stderr.text()).toBe(rung);
  });

  it('is silent where nobody asked for it', async () => {
    const stderr = capture({ isTerminal: true });
    await tellDelivered(smallContext({ io: { stderr } }), readOnDelivery({}), ORDER);
    expect(stderr.text()).toBe('');
  });
});

describe('the command of the user', () => {
  it('reads the order without its codes, and is told which it is', async () => {
    const { ran, runProgram } = machine({ status: 0 });
    await tellDelivered(
      smallContext({ system: { runProgram } }),
      readOnDelivery({ exec: 'say "it is here"' }),
      ORDER,
    );
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
    const { ran, runProgram } = machine({ status: 0 });
    await tellDelivered(
      smallContext({ system: { runProgram } }),
      readOnDelivery({ exec: 'say', reveal: true }),
      ORDER,
    );
    expect(ran[0]?.input).toContain('SECRET-CODE-1234');
    expect(JSON.stringify(ran[0]?.variables)).not.toContain('SECRET-CODE');
  });

  it('is not heard in JSON, where stderr holds one error or nothing', async () => {
    const { ran, runProgram } = machine({ status: 0 });
    const context = smallContext({
      system: { runProgram },
      settings: smallSettings({ json: true }),
    });
    await tellDelivered(context, readOnDelivery({ exec: 'say' }), ORDER);
    expect(ran[0]?.isHeard).toBe(false);
  });

  it.each([
    [{ status: 3 }, 'it ended with status 3'],
    [{ failure: t`it cannot be run (ENOENT)` }, 'it cannot be run (ENOENT)'],
  ])('that fails is told of, and no money is at risk: %j', async (end, why) => {
    const { runProgram } = machine(end);
    const telling = tellDelivered(
      smallContext({ system: { runProgram } }),
      readOnDelivery({ exec: 'say' }),
      ORDER,
    );
    await expect(telling).rejects.toMatchObject({
      code: 'EXEC_FAILED',
      exit: 13,
      fundsAtRisk: 'none',
      message: expect.stringContaining(why),
    });
  });
});
