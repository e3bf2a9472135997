/**
 * Many paid requests of one wallet, several processes at a time; some are killed, at a fail point or at any moment,
 * and run again with the same key. The chains' ledgers say how often each was paid. `SCRIP_FULL=1`: 200 and 40 kills.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collect, makeHome } from '../support/cli.ts';
import { IS_FULL } from '../support/fuzz.ts';
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';
import { onBase, onSolana, paidHost } from '../support/paid-host.ts';
import { seeded } from '../support/random.ts';
import { serveHere } from '../support/served-here.ts';

const [REQUESTS, KILLS] = IS_FULL ? [200, 40] : [16, 6];
const AT_ONCE = 4;
/** Without a kill a run is as long as this at first; then as the last ones were. */
const USUAL_MS = 1_500;

const POINTS = [
  ...['challenge-answered', 'purchase-asked', 'intent-written', 'reserved', 'signed'],
  ...['attempt-written', 'payment-sent', 'submitted', 'accepted-recorded', 'goods-read'],
  'goods-recorded',
];

const served = makeHome();
const sandbox = await serveHere(served, true);
const home = makeHome();
const [solana, base] = [await onSolana(sandbox.url), await onBase(sandbox.url)];
/** They answer the same payment in the same way, as servers do that keep answers for a while. */
const hosts = [
  ['solana', await paidHost(2, solana, true)],
  ['base', await paidHost(2, base, true)],
  ['solana', await paidHost(1, solana, true)],
  ['base', await paidHost(1, base, true)],
] as const;
const random = seeded(Number(process.env.SCRIP_SEED));

const fileOf = (request: number) => join(home.dir, `answer-${request}.json`);

function words(request: number, file = fileOf(request)): readonly string[] {
  const [network, { url }] = hosts[request % hosts.length] ?? hosts[0];
  return [
    ...['fetch', `${url}/report`, '--max-amount', '0.02', '--network', network],
    ...['--idempotency-key', `request-${request}`, '-o', file, ...sandbox.flags],
  ];
}

const killed: string[] = [];
let usualMs = USUAL_MS;

/** Whether the process was killed: at a fail point always, at a moment unless it had ended before. */
async function runAndKill(request: number, point: string | undefined): Promise<boolean> {
  const env = { SCRIP_TEST: '1', ...(point === undefined ? {} : { SCRIP_FAIL_POINT: point }) };
  const child = home.start(words(request), { env });
  const ended = collect(child);
  if (point === undefined) {
    const afterMs = Math.round(random() * usualMs);
    await Promise.race([ended, setTimeout(afterMs)]);
    child.kill('SIGKILL');
  }
  const { signal } = await ended;
  if (signal === 'SIGKILL') killed.push(point ?? 'at any moment');
  return signal === 'SIGKILL';
}

async function runToItsEnd(request: number, file = fileOf(request)): Promise<void> {
  const result = await home.run(words(request, file), { isProcess: true });
  expect(result.status, `request ${request}: ${result.stderr}`).toBe(0);
}

async function each(requests: readonly number[], work: (request: number) => Promise<void>) {
  const left = [...requests];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

it(`${REQUESTS} requests with ${KILLS} kills are paid once each, and each answer is written out`, {
  timeout: IS_FULL ? 90 * 60_000 : 180_000,
}, async () => {
  await home.json(['wallet', 'new', ...sandbox.flags]);
  for (const network of ['solana', 'base']) {
    await home.json(['wallet', 'fund', '--network', network, ...sandbox.flags]);
  }
  const all = Array.from({ length: REQUESTS }, (_, index) => index);
  let notYet = REQUESTS;
  let planned = 0;
  const killedOnce = new Set<number>();
  await each(all, async (request) => {
    const isChosen = random() < (KILLS - planned) / notYet;
    notYet -= 1;
    if (isChosen) {
      planned += 1;
      // Every second one at a point; so are the last ones, where none may end before its moment.
      const isAtPoint = planned % 2 === 0 || KILLS - planned >= notYet;
      const point = isAtPoint ? POINTS[planned % POINTS.length] : undefined;
      const wasKilled = await runAndKill(request, point);
      if (wasKilled) killedOnce.add(request);
      else planned -= 1;
    }
    const startedMs = performance.now();
    await runToItsEnd(request);
    if (!isChosen) usualMs = performance.now() - startedMs;
  });
  expect(killed).toHaveLength(killedOnce.size);

  // Each answer is one of its own, and its host gave it for one payment.
  const answers = all.map((request) => readFileSync(fileOf(request), 'utf8'));
  expect(answers.every((text) => JSON.parse(text).report === 'fine')).toBe(true);
  expect(new Set(answers).size).toBe(REQUESTS);
  const payments = hosts.flatMap(([, { paid }]) =>
    paid.map(({ headers }) => headers.get('payment-signature') ?? headers.get('x-payment')),
  );
  expect(new Set(payments).size).toBe(REQUESTS);

  // By the chains' own ledgers.
  const [ledger, baseLedger] = [
    ledgerAt(`${sandbox.url}/rpc`),
    baseLedgerAt(`${sandbox.url}/rpc/base`),
  ];
  const cents = async (): Promise<number> => {
    const credits = [await ledger.credits(solana.payTo), await baseLedger.credits(base.payTo)];
    return credits.flatMap((one) => [...one.values()]).filter((one) => one === 10_000n).length;
  };
  expect(await cents()).toBe(REQUESTS);

  // Killed or not, the key gives the answer that is kept, and nothing is paid for it.
  await each([...killedOnce], async (request) => {
    await runToItsEnd(request, fileOf(-1 - request));
    expect(readFileSync(fileOf(-1 - request), 'utf8')).toBe(answers[request]);
  });
  expect(await cents()).toBe(REQUESTS);
  process.stdout.write(
    `${REQUESTS} requests, killed ${killed.length} (${killed.filter((at) => at.startsWith('at ')).length} at any moment)\n`,
  );
  // A request may end before its moment.
  expect(killed.length).toBeGreaterThan(KILLS / 2);
});
