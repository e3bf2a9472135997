/**
 * A buyer that dies at every place of a purchase where it can: what it had said by then, and what it
 * left on disk, holds no secret but where it has to. `SCRIP_FULL=1` takes every place.
 */
import { afterAll, describe, expect, it } from 'vitest';
import {
  CLIENT_POINTS,
  type ClientPoint,
  PARTNER_POINTS,
} from '../../src/domain/journal/fail-points.ts';
import { canaryOrder, openCanaryWorld } from '../support/canary-world.ts';
import { IS_FULL } from '../support/fuzz.ts';

const SLOW_MS = 240_000;
const PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];

/** The clock of a process moved: `now` is the true time in milliseconds. */
const withClock = (now: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `const real=Date.now,start=real();Date.now=()=>{const now=real();return ${now}}`,
  )}`,
});
/** Blocks ten times as fast: a blockhash is over in seconds. */
const FAST = withClock('start+(now-start)*10');
const A_DAY_LATER = withClock('now+90000000');

/** Points that a purchase without trouble never comes to, and the trouble that leads there. */
interface Trouble {
  readonly fault: string;
  readonly service?: Readonly<Record<string, string>>;
  /** A first run comes to nothing; the second is so much later. */
  readonly later?: Readonly<Record<string, string>>;
}
const TROUBLE = {
  'dead-recorded': { fault: 'drop-request,payment', service: FAST },
  'landed-recorded': { fault: 'drop-reply,payment' },
  'attention-recorded': { fault: 'late-status=404,payment', later: A_DAY_LATER },
} as const satisfies Partial<Record<ClientPoint, Trouble>>;
const TROUBLED = Object.entries<Trouble>(TROUBLE);

/** After each of these something is sent or bought, and not all of it is on record. */
const ORDINARY: readonly ClientPoint[] = ['payment-sent', 'goods-read'];
const POINTS = IS_FULL ? CLIENT_POINTS.filter((point) => !(point in TROUBLE)) : ORDINARY;

const world = await openCanaryWorld();
const order = canaryOrder(world.product);
afterAll(() => world.close());

const dying = (point: string, more: Readonly<Record<string, string>> = {}) => ({
  env: { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point, ...more },
});

describe('no secret is told or left behind by a buyer that dies', () => {
  it.each(POINTS)('at %s, and by the run after it', { timeout: SLOW_MS }, async (point) => {
    const words = [...order, '--idempotency-key', `crash-${point}`];
    expect((await world.quietly(words, dying(point))).signal).toBe('SIGKILL');
    await world.quietly(['orders', 'resume', '--timeout', '60s']);
    expect((await world.quietly(words)).status).toBe(0);
    await world.reveal(`crash-${point}`);
  });

  it.runIf(IS_FULL).each(PARTNER_POINTS)(
    'of an order of the partner API, at %s',
    { timeout: SLOW_MS },
    async (point) => {
      const words = [...order, ...PARTNER, '--idempotency-key', `partner-${point}`];
      expect((await world.quietly(words, dying(point))).signal).toBe('SIGKILL');
      await world.quietly(['orders', 'resume', '--timeout', '60s']);
    },
  );

  it.runIf(IS_FULL).each(TROUBLED)('in trouble, at %s', { timeout: SLOW_MS }, async (...given) => {
    const [point, { fault, service, later }] = given;
    await world.serve(['--fault', fault], service);
    const words = [...order, '--idempotency-key', `trouble-${point}`, '--timeout', '5s'];
    if (later) await world.quietly(words);
    expect((await world.quietly(words, dying(point, later))).signal).toBe('SIGKILL');
    await world.serve();
    await world.quietly(['orders', 'resume', '--timeout', '60s']);
  });

  it('as the search of all of it shows', { timeout: SLOW_MS }, async () => {
    const { leaks, counts } = await world.search();
    expect(leaks).toEqual([]);
    expect(counts.code).toBeGreaterThanOrEqual(POINTS.length);
    expect(counts.payment).toBeGreaterThanOrEqual(POINTS.length);
  });
});
