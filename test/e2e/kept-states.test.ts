/**
 * Homes in which an earlier version was stopped, one at each fail point of each surface (test/kept): this
 * version finishes each of them: paid once, delivered once, the code told. A moment later, when a signed
 * payment may still land; and half a year later, when one that has not landed is proven dead and the
 * order is given anew. `SCRIP_FULL=1` does both with each home; otherwise half a year passes for some.
 */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CLIENT_POINTS,
  PARTNER_POINTS,
  SERVICE_POINTS,
} from '../../src/domain/journal/fail-points.ts';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { type CliResult, type Home, isExecutable, makeHome } from '../support/cli.ts';
import { IS_FULL } from '../support/fuzz.ts';
import { type Keep, type KeptState, keptStates } from '../support/kept-states.ts';
import { serveSandbox } from '../support/served-sandbox.ts';

const DATABASE = '.local/state/scrip/sandbox/sandbox.db';
const MOMENT_MS = 1_000;
const HALF_A_YEAR_MS = 180 * 86_400_000;
/** What takes the program a minute is waited for in seconds; sent at once, a payment is still in time. */
const SPEED = 4;
const LATER_SPEED = 10;
const ORDER_EXIT = 10;
const UNKNOWN_EXIT = 9;
const MOST_RUNS = 5;
const FUNDED_ATOMIC = 200_000_000n;
/** Nothing signed; signed and not sent; landed; proven dead; given up; goods here. */
const LATER = [
  ...['challenge-read', 'attempt-written', 'broadcast', 'dead-recorded', 'attention-recorded'],
  ...['goods-recorded', 'created-recorded', 'submitted'],
];

interface PurchaseDocument {
  readonly deliveries: readonly {
    readonly voucher_code?: string;
    readonly deliverable?: { readonly pin_code?: string };
  }[];
}

const CASES = keptStates().flatMap((keep) =>
  keep.states.map(
    (state) => [keep.version, `${state.surface}: ${state.point}`, keep, state] as const,
  ),
);
const LATER_CASES = CASES.filter(([, , , { point }]) => IS_FULL || LATER.includes(point));

// The standalone executable is led to no other time.
describe.skipIf(isExecutable)('a home that an earlier version left in the middle', () => {
  it.each(CASES)(
    'of %s, %s, is finished',
    { timeout: 180_000 },
    async (_version, _name, keep, state) => {
      await finish(keep, state, { atMs: state.atMs + MOMENT_MS, speed: SPEED });
    },
  );

  it.each(LATER_CASES)(
    'of %s, %s, is finished half a year later',
    { timeout: 180_000 },
    async (_version, _name, keep, state) => {
      await finish(keep, state, { atMs: state.atMs + HALF_A_YEAR_MS, speed: LATER_SPEED });
    },
  );

  it.each(keptStates())('$version was stopped at every fail point', ({ states }) => {
    const points = (surface: string) =>
      states.filter((state) => state.surface === surface).map(({ point }) => point);
    expect(points('checkout').toSorted()).toEqual([...CLIENT_POINTS, ...SERVICE_POINTS].toSorted());
    expect(points('partner')).toEqual(expect.arrayContaining([...PARTNER_POINTS]));
  });
});

interface Time {
  readonly atMs: number;
  readonly speed: number;
}

async function finish(keep: Keep, state: KeptState, time: Time): Promise<void> {
  const { home, close } = await openHome(keep, state, time);
  try {
    const resumed = await home.run(['orders', 'resume', state.key, '--json', ...state.flags]);
    const isHere = codesOf(resumed).length > 0;
    const ordered = isHere ? resumed : await orderAgain(home, state);
    expect(ordered.status, `${resumed.stderr}${ordered.stderr}`).toBe(0);
    expect(codesOf(ordered), ordered.stdout).toEqual([expect.stringMatching(/^TEST-/)]);
  } finally {
    await close();
  }
  expect(await booksOf(join(home.dir, DATABASE), keep.wallet)).toEqual({
    spentAtomic: BigInt(Math.round(Number(keep.price_usdc) * 1e6)),
    sold: 1,
    delivered: 1,
  });
  home.remove();
}

/** By its key, which keeps it from being paid twice; by another once its order ran out, and unpaid. */
async function orderAgain(home: Home, { order, flags }: KeptState): Promise<CliResult> {
  let result = await home.run([...order, ...flags, '--reveal']);
  // Where time runs fast, a busy machine may be late for one blockhash after another: the same command again.
  for (let runs = 1; result.status === UNKNOWN_EXIT && runs < MOST_RUNS; runs += 1) {
    result = await home.run([...order, ...flags, '--reveal']);
  }
  if (result.status !== ORDER_EXIT) return result;
  const { error } = JSON.parse(result.stderr);
  expect(error).toMatchObject({ code: 'ORDER_EXPIRED', funds_at_risk: 'none' });
  return home.run([...order, '--idempotency-key', 'another', ...flags, '--reveal']);
}

/** The home on disk and, where its order was made at a served shop, that shop. */
async function openHome(keep: Keep, state: KeptState, { atMs, speed }: Time) {
  const inTime = makeHome();
  keep.unpack(state, inTime.dir);
  const nowMs = Date.now();
  const clock = { sinceMs: nowMs, speed, offsetMs: atMs - nowMs };
  const led = { FAULT_CLOCK: JSON.stringify(clock), OTHER_PORT: `${keep.port}:${keep.port}` };
  const homeLed = (env: Readonly<Record<string, string>>): Home => ({
    ...inTime,
    run: (words) => inTime.run(words, { env }),
    start: (words) => inTime.start(words, { env }),
  });
  const home = homeLed(led);
  if (state.flags.length === 0) return { home, close: async () => undefined };
  const shop = await serveSandbox(home, ['--data', dirname(DATABASE)]);
  const port = new URL(shop.url).port;
  return {
    home: homeLed({ ...led, OTHER_PORT: `${keep.port}:${port}` }),
    close: async () => {
      await shop.stop();
    },
  };
}

function codesOf({ stdout }: CliResult): readonly string[] {
  const documents: readonly PurchaseDocument[] = stdout === '' ? [] : [JSON.parse(stdout)].flat();
  return documents.flatMap(({ deliveries }) =>
    deliveries.flatMap(
      ({ voucher_code, deliverable }) => voucher_code ?? deliverable?.pin_code ?? [],
    ),
  );
}

/** By the ledgers of chain, supplier and shop; what the journal says counts for nothing. */
async function booksOf(database: string, wallet: string) {
  const { run } = await connect(database);
  const count = async (from: string): Promise<number> =>
    Number((await run(`select count(*) as n from ${from}`))[0]?.n);
  // Where nothing has been opened since, the chain is still in the shop's file.
  const own = join(dirname(database), 'chain.db');
  const chain = await connect(existsSync(own) ? own : database);
  const accounts = await chain.run('select data from chain_accounts where length(data) = 165');
  const [account] = accounts
    .map(({ data }) => Buffer.from(data as Uint8Array))
    .filter((data) => encodeBase58(data.subarray(32, 64)) === wallet);
  return {
    spentAtomic: FUNDED_ATOMIC - (account?.readBigUInt64LE(64) ?? 0n),
    sold: await count("purchases where outcome = 'fulfilled'"),
    delivered:
      (await count("orders where status = 'completed'")) +
      (await count("partner_orders where order_state = 'Done'")),
  };
}
