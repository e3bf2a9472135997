import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFaultPlan } from '../../../src/sandbox/faults/fault-plan.ts';
import { parseFault } from '../../../src/sandbox/faults/fault-spec.ts';
import { wrongClock } from '../../../src/sandbox/faults/rehearsal.ts';
import { manualClock, START_MS } from '../../support/manual-clock.ts';

const PAYMENT = { method: 'POST', path: '/v1/orders', isPaid: true };
const CHALLENGE = { ...PAYMENT, isPaid: false };

function strikes(spec: string, seed: number, requests: number): readonly boolean[] {
  const plan = createFaultPlan([parseFault(spec)], seed);
  return Array.from({ length: requests }, () => plan.strike(['drop-reply'], PAYMENT) !== undefined);
}

describe('a plan of faults', () => {
  it('strikes as often as it may, and then never again', () => {
    expect(strikes('drop-reply,x2,payment', 1, 5)).toEqual([true, true, false, false, false]);
  });

  it('spares requests that are not meant', () => {
    const plan = createFaultPlan([parseFault('drop-reply,x1,payment')], 1);
    expect(plan.strike(['drop-reply'], CHALLENGE)).toBeUndefined();
    expect(plan.strike(['cut-reply'], PAYMENT)).toBeUndefined();
    expect(plan.strike(['drop-reply'], PAYMENT)).toEqual({ kind: 'drop-reply' });
  });

  it('takes the fault that is named first where two could strike', () => {
    const specs = ['cut-reply,x1', 'drop-reply'].map(parseFault);
    const plan = createFaultPlan(specs, 1);
    const kinds = ['cut-reply', 'drop-reply'] as const;
    expect([1, 2].map(() => plan.strike(kinds, PAYMENT)?.kind)).toEqual([
      'cut-reply',
      'drop-reply',
    ]);
  });

  it('is the same again with the same seed, and another with another', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        expect(strikes('drop-reply@0.5', seed, 64)).toEqual(strikes('drop-reply@0.5', seed, 64));
        expect(strikes('drop-reply@0.5', seed, 64)).not.toEqual(
          strikes('drop-reply@0.5', seed + 1, 64),
        );
      }),
    );
  });

  it('strikes about as often as its probability says', () => {
    const struck = strikes('drop-reply@0.3', 7, 10_000).filter(Boolean).length;
    expect(struck).toBeGreaterThan(2_800);
    expect(struck).toBeLessThan(3_200);
  });
});

describe('a clock that is wrong', () => {
  it.each([
    ['+2h', 7_200_000],
    ['-10m', -600_000],
    ['+3650d', 3650 * 86_400_000],
    ['-1s', -1_000],
  ])('by %s moves with the true one', (spec, offsetMs) => {
    const clock = manualClock();
    const wrong = wrongClock(spec, clock);
    expect(wrong.now()).toBe(START_MS + offsetMs);
    clock.advance(5_000);
    expect(wrong.now()).toBe(START_MS + offsetMs + 5_000);
  });

  it('stands still at an instant', () => {
    const clock = manualClock();
    const wrong = wrongClock('2030-01-01T00:00:00Z', clock);
    clock.advance(5_000);
    expect(wrong.now()).toBe(Date.UTC(2030, 0, 1));
  });

  it.each(['', '2h', '+2', '+2y', '+99999999d', '2030-01-01', '2030-99-01T00:00:00Z', 'now'])(
    '"%s" is refused',
    (spec) => {
      expect(() => wrongClock(spec, manualClock())).toThrow(
        expect.objectContaining({ code: 'INPUT_INVALID' }) as Error,
      );
    },
  );
});
