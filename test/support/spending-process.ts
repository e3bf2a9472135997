/**
 * A process of its own: `spending-process <folder> <name> <times> <amount> <limit> [<die at>]` signs
 * payments of one wallet under a limit per day, and kills itself at a point `name:n`, n counted
 * over its payments. Prints how each ended, a line each.
 */
import { authorizePayment, type Payment } from '../../src/api/payment/authorize.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/usdc.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { openJournal } from '../../src/records/journal-files.ts';
import { anAttempt, anIntent, PAYER } from './journal-records.ts';
import { stubRail, tagOf } from './rails.ts';
import { spendingOf, spendLogAt } from './spending.ts';

const [dir = '', name = '', times = '0', amount = '0', limit = '0', dieAt = ''] =
  process.argv.slice(2);
const usdcAtomic = atomic(BigInt(amount));
const journal = openJournal({ dir, payer: PAYER });
const clock = { now: () => Date.now(), sleep: async () => undefined };
const refused = () => Promise.reject(new Error('not used here'));
const signed = anAttempt(1);
const rail = stubRail({ sign: async () => signed });
const spending = spendingOf(spendLogAt(dir, PAYER), { perDay: atomic(BigInt(limit)) });
const signer = { address: PAYER, sign: refused };

const dieIfNamed = (point: string): void => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL');
};

for (let index = 1; index <= Number(times); index += 1) {
  const intent = anIntent({ key: `${name}-${index}`, intentId: `${name}-${index}` });
  await journal.open(intent);
  const payment: Payment = {
    intent,
    number: 1,
    order: {
      way: 'x402',
      requirement: JSON.parse(signed.requirement),
      amountAtomic: usdcAtomic,
      signer,
      tag: tagOf(0),
    },
    terms: { network: SOLANA_MAINNET, asset: USDC_MINT, payTo: 'anybody' },
    usdcAtomic,
    toAttempt: () => ({ ...signed, amountAtomic: amount, createdAtMs: clock.now() }),
  };
  const failPoint = (point: string) => dieIfNamed(`${point}:${index}`);
  const others = async () => [];
  try {
    await authorizePayment({ spending, journal, rail, others, signer, clock, failPoint }, payment);
    dieIfNamed(`written:${index}`);
    console.log('paid');
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    console.log(error.code);
  }
}
