/** A damaged or lost journal: found out, paid for by nothing, and written anew (reliability T9). */

import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { resume } from '../../../src/api/checkout/pay.ts';
import type { PurchaseDeps } from '../../../src/api/checkout/purchase-deps.ts';
import { repairJournal } from '../../../src/api/recovery/journal-repair.ts';
import type { OwnOrder } from '../../../src/contract/sign-in.ts';
import { USDC_MINT } from '../../../src/contract/x402.ts';
import {
  type Attempt,
  acceptedOrder,
  type Entry,
  eventOf,
  nextStep,
} from '../../../src/domain/journal/journal.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { recorded } from '../../../src/rails/solana/seal.ts';
import { openJournalCare } from '../../../src/records/journal-care.ts';
import { openJournal } from '../../../src/records/journal-files.ts';
import { type InsightfulWorld, withInsight } from '../../support/chain-insight.ts';
import { IS_FULL } from '../../support/fuzz.ts';
import { purchase } from '../../support/purchase.ts';
import {
  CHECKOUT_URL,
  type Fault,
  makeWorld,
  orderOf,
  type World,
} from '../../support/purchase-world.ts';
import { quickDisk } from '../../support/quick-disk.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** Ten thousand on the whole; a part of them, drawn evenly, where time is short. */
const ROUNDS = IS_FULL ? 10_000 : 500;
const STRIDE = IS_FULL ? 1 : 13;
const A_DAY_MS = 86_400_000;

let world: World;
let seen: InsightfulWorld;
let home: string;
let stamps = 0;
/** What was signed, by message hash. */
const terms = new Map<string, Pick<Attempt, 'amountAtomic' | 'payTo'>>();

/** Of the four, by whoever knows them: `cr_4` was never paid. */
const ORDERS = new Set(['cr_1', 'cr_2', 'cr_3', 'cr_5']);

function toolsAt(dir: string, over: Partial<PurchaseDeps> = {}): PurchaseDeps {
  const payer = world.signer.address;
  return seen.deps({ journal: openJournal({ dir, payer, disk: quickDisk }), ...over });
}

function repairAt(dir: string, over: Partial<PurchaseDeps> = {}, orders: readonly OwnOrder[] = []) {
  const payer = world.signer.address;
  stamps += 1;
  const stamp = () => `t${stamps}`;
  const care = openJournalCare({ dir, payer, stamp, disk: quickDisk });
  return repairJournal({ ...toolsAt(dir, over), care, payer, ownOrders: async () => orders });
}

/** Four landed payments, as four ways of being bought leave them. */
const KEYS = ['delivered', 'accepted', 'unanswered', 'second'] as const;

beforeAll(async () => {
  world = await makeWorld();
  seen = withInsight(world);
  home = tempFolder();
  await purchase(toolsAt(home), orderOf('delivered'));
  await purchase(toolsAt(home, { waitMs: 0 }), orderOf('accepted'));
  world.faults.push('reply lost', ...Array<Fault>(300).fill('request lost'));
  await purchase(toolsAt(home, { settleMs: 1_000 }), orderOf('unanswered'));
  world.faults.length = 0;
  world.faults.push('accepted, never sent to the chain');
  await purchase(toolsAt(home), orderOf('second'));
  for (const { attempts } of await toolsAt(home).journal.all()) {
    for (const { messageHash, amountAtomic, payTo } of attempts) {
      terms.set(messageHash, { amountAtomic, payTo });
    }
  }
  // Every payment is final before anything is damaged.
  world.clock.advance(60_000);
});

const filesOf = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.rec'))
    .toSorted();

function copyJournal(): string {
  const dir = tempFolder();
  const target = toolsDir(dir);
  for (const name of filesOf(home)) {
    const [, folder = '', file = ''] = name.split('/');
    quickDisk.makeDirectory(join(target, folder));
    copyFileSync(join(home, name), join(target, folder, file));
  }
  return dir;
}

const toolsDir = (dir: string): string => join(dir, world.signer.address);

/** What can happen to records; each says whether it can be seen at all. */
interface Damage {
  readonly name: string;
  readonly do: (path: string, draw: number, all: readonly string[]) => boolean;
}

const DAMAGES: readonly Damage[] = [
  {
    name: 'a flipped bit',
    do: (path, draw) => {
      const bytes = readFileSync(path);
      const at = draw % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (draw % 8));
      writeFileSync(path, bytes);
      return true;
    },
  },
  {
    name: 'a lost end',
    do: (path, draw) => {
      truncateSync(path, draw % readFileSync(path).length);
      return true;
    },
  },
  {
    name: 'bytes too many',
    do: (path, draw) => {
      appendFileSync(path, Buffer.from([draw % 256]));
      return true;
    },
  },
  {
    name: 'the record of another place',
    do: (path, draw, all) => {
      const other = all[draw % all.length] ?? path;
      const [bytes, others] = [readFileSync(path), readFileSync(other)];
      writeFileSync(path, others);
      writeFileSync(other, bytes);
      return !bytes.equals(others);
    },
  },
  {
    name: 'another digit',
    do: (path, draw) => {
      const text = readFileSync(path, 'latin1');
      const digits = [...text.matchAll(/\d/g)];
      const { index = 0, 0: digit = '0' } = digits[draw % digits.length] ?? {};
      const other = String((Number(digit) + 1 + (draw % 9)) % 10);
      writeFileSync(path, text.slice(0, index) + other + text.slice(index + 1), 'latin1');
      return true;
    },
  },
  {
    name: 'a second copy under a name of its own',
    do: (path, draw) => {
      const name = ['attempt-9.rec', 'fact-9-landed.rec', 'note.rec'][draw % 3] ?? '';
      copyFileSync(path, join(path, '..', name));
      return true;
    },
  },
];

/** The records that were touched are as they were, and what was added beside them is gone. */
function putBack(whole: ReadonlyMap<string, Buffer>, touched: readonly string[]): void {
  for (const path of touched) {
    writeFileSync(path, whole.get(path) ?? '');
    for (const name of ['attempt-9.rec', 'fact-9-landed.rec', 'note.rec']) {
      rmSync(join(path, '..', name), { force: true });
    }
  }
}

describe('a damaged journal', () => {
  it(`is found out ${ROUNDS} times of ${ROUNDS}, and signs nothing`, async () => {
    const dir = copyJournal();
    const all = filesOf(dir).map((name) => join(dir, name));
    const whole = new Map(all.map((path) => [path, readFileSync(path)]));
    const journal = openJournal({ dir, payer: world.signer.address });
    const before = world.signed();
    let missed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = all[round % all.length] ?? '';
      const damage = DAMAGES[Math.floor(round / all.length) % DAMAGES.length];
      const isSeen = damage?.do(path, round * 7919, all) ?? false;
      const error = await journal.all().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (isSeen && !(error instanceof ScripError && error.code === 'JOURNAL_UNUSABLE'))
        missed += 1;
      putBack(whole, [path, all[(round * 7919) % all.length] ?? path]);
    }
    expect(missed).toBe(0);
    expect(await journal.all()).toHaveLength(KEYS.length);
    expect(world.signed()).toBe(before);
  }, 1_200_000);

  it('is found out when any record ends early, wherever that is', async () => {
    const dir = copyJournal();
    const journal = openJournal({ dir, payer: world.signer.address });
    for (const name of filesOf(dir)) {
      const path = join(dir, name);
      const bytes = readFileSync(path);
      for (let length = 0; length < bytes.length; length += STRIDE) {
        writeFileSync(path, bytes.subarray(0, length));
        await expect(journal.all()).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
      }
      writeFileSync(path, bytes);
    }
    expect(await journal.all()).toHaveLength(KEYS.length);
  }, 600_000);

  it('without its newest records makes no second payment', async () => {
    const before = world.signed();
    for (const name of filesOf(home)) {
      const dir = copyJournal();
      rmSync(join(dir, name));
      for (const key of KEYS) {
        // A whole entry may be gone with its intent: then the journal says so, or the key is unknown.
        if (name.endsWith('intent.rec') || name.endsWith('attempt-1.rec')) break;
        if (name.endsWith('attempt-2.rec')) break;
        const outcome = await purchase(toolsAt(dir), orderOf(key)).catch((error) => error);
        if (outcome instanceof ScripError) expect(outcome.code).toBe('JOURNAL_UNUSABLE');
        else expect(outcome.kind).toBe('delivered');
      }
    }
    expect(world.signed()).toBe(before);
  });

  it('is refused for every payment, at exit 13, and resume tells how to mend it', async () => {
    const dir = copyJournal();
    const [first = ''] = filesOf(dir);
    appendFileSync(join(dir, first), 'x');
    const sent = world.requests.length;
    for (const key of [...KEYS, 'new']) {
      await expect(purchase(toolsAt(dir), orderOf(key))).rejects.toMatchObject({
        code: 'JOURNAL_UNUSABLE',
        exit: 13,
        fundsAtRisk: 'possible',
        hint: expect.stringContaining('scrip doctor --repair'),
      });
    }
    expect(world.requests).toHaveLength(sent);
  });
});

/** Everything that landed is in the journal, with goods or, after a day, with a person to ask. */
async function checkRestored(dir: string, what = ''): Promise<readonly Entry[]> {
  const deps = toolsAt(dir);
  for (const waitMs of [0, A_DAY_MS]) {
    world.clock.advance(waitMs);
    for (const entry of await deps.journal.all()) {
      if (['settle', 'follow'].includes(nextStep(entry))) await resume(deps, entry);
    }
  }
  const entries = await deps.journal.all();
  for (const [messageHash, { transaction }] of world.landed) {
    const owners = entries.filter(({ attempts }) =>
      attempts.some((attempt) => attempt.messageHash === messageHash),
    );
    expect(owners, `${transaction} ${what}`).toHaveLength(1);
    expect(owners.map((entry) => nextStep(entry))).toEqual([
      expect.stringMatching(/finished|attention/),
    ]);
  }
  for (const { messageHash, amountAtomic, payTo } of entries.flatMap(({ attempts }) => attempts)) {
    const owner = payTo.replace('account-of-', '');
    expect({ amountAtomic, payTo: owner }, what).toEqual(terms.get(messageHash));
  }
  return entries;
}

/** The only copy of an intent that is left is not sealed onto anything: nothing proves the attempt. */
function unprove(dir: string, key: string, change: (attempt: Attempt) => Attempt): void {
  const folder = join(dir, world.signer.address, createHash('sha256').update(key).digest('hex'));
  truncateSync(join(folder, 'intent.rec'), 10);
  const path = join(folder, 'attempt-1.rec');
  const [line = '', seal = ''] = readFileSync(path, 'utf8').split('\n');
  const record = JSON.parse(line);
  const changed = JSON.stringify({ ...record, attempt: change(record.attempt) });
  writeFileSync(path, `${changed}\n${seal}\n`);
}

describe('doctor', () => {
  it('leaves a whole journal where it is', async () => {
    const dir = copyJournal();
    const before = await toolsAt(dir).journal.all();
    const report = await repairAt(dir);
    expect(report).toMatchObject({ kept: KEYS.length, lines: [], isHistoryWhole: true });
    expect(report.aside).toBeNull();
    expect(await toolsAt(dir).journal.all()).toEqual(before);
    expect(readdirSync(dir)).toEqual([world.signer.address]);
  });

  it('moves a folder with a damaged record aside, and deletes nothing', async () => {
    const dir = copyJournal();
    appendFileSync(join(dir, filesOf(home)[0] ?? ''), 'x');
    const report = await repairAt(dir);
    expect(filesOf(report.aside ?? '')).toHaveLength(filesOf(home).length);
  });

  const single = () =>
    filesOf(home).flatMap((name) => DAMAGES.slice(0, 3).map(({ name: what }) => ({ name, what })));

  it('restores every purchase when any one record is damaged, key, goods and all', async () => {
    const before = world.signed();
    for (const [index, { name, what }] of single().entries()) {
      const dir = copyJournal();
      const damage = DAMAGES.find((one) => one.name === what);
      damage?.do(join(dir, name), index * 31 + 40, []);
      const report = await repairAt(dir);
      expect(
        report.lines.map(({ outcome }) => outcome),
        `${what} in ${name}`,
      ).toEqual(['restored']);
      const entries = await checkRestored(dir);
      expect(entries.map((entry) => eventOf(entry, 'goods')?.status)).toEqual(
        KEYS.map(() => 'completed'),
      );
      expect(entries.map(({ intent }) => intent.key).toSorted()).toEqual([...KEYS].toSorted());
      expect(new Set(entries.map((entry) => acceptedOrder(entry)?.orderId))).toEqual(ORDERS);
      for (const key of KEYS) {
        const again = await purchase(toolsAt(dir), orderOf(key));
        expect(again.kind).toBe('delivered');
      }
    }
    expect(world.signed()).toBe(before);
  }, 600_000);

  it('restores every landed payment when any one record is gone', async () => {
    const before = world.signed();
    for (const name of filesOf(home)) {
      const dir = copyJournal();
      rmSync(join(dir, name));
      await repairAt(dir);
      await checkRestored(dir, `without ${name}`);
    }
    expect(world.signed()).toBe(before);
  });

  it('restores every landed payment whatever is damaged, lost or copied', async () => {
    const before = world.signed();
    const names = filesOf(home);
    const hit = fc.record({
      file: fc.nat(names.length - 1),
      kind: fc.nat(DAMAGES.length),
      draw: fc.nat(1_000_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(hit, { minLength: 1, maxLength: 8 }), async (hits) => {
        const dir = copyJournal();
        const all = names.map((name) => join(dir, name));
        for (const { file, kind, draw } of hits) {
          const path = all[file] ?? '';
          const damage = DAMAGES[kind];
          try {
            if (damage === undefined) rmSync(path);
            else damage.do(path, draw, all);
          } catch {
            // That record was removed, or emptied, by a hit before.
          }
        }
        await repairAt(dir);
        await checkRestored(dir);
      }),
      { numRuns: IS_FULL ? 1_000 : 60 },
    );
    expect(world.signed()).toBe(before);
  }, 1_200_000);

  it('believes what was signed, and not what a record says of it that nothing proves', async () => {
    const dir = copyJournal();
    unprove(dir, 'unanswered', (attempt) => ({
      ...attempt,
      amountAtomic: '1',
      payTo: 'elsewhere',
      asset: 'SOL',
      createdAtMs: 9_767_225_605_000,
    }));
    await repairAt(dir);
    const entries = await checkRestored(dir);
    const { attempts } = entries.find(({ intent }) => intent.key === 'unanswered') ?? {};
    expect(attempts).toMatchObject([{ asset: USDC_MINT }]);
  });

  it('concludes nothing before a payment that nothing proves can land no more', async () => {
    const sea = await makeWorld();
    const { deps } = withInsight(sea);
    const dir = tempFolder();
    const payer = sea.signer.address;
    const tools = (over: Partial<PurchaseDeps> = {}) =>
      deps({ journal: openJournal({ dir, payer, disk: quickDisk }), ...over });
    sea.faults.push(...Array<Fault>(300).fill('request lost'));
    await purchase(tools({ settleMs: 1_000 }), orderOf('at sea'));
    sea.faults.length = 0;
    // It can land for a minute still, and its record calls it long over.
    unprove(dir, 'at sea', (attempt) => ({
      ...attempt,
      lastValidBlockHeight: 1,
      baseline: { ...recorded(attempt).baseline, slot: 9_999_999 },
    }));
    const care = openJournalCare({ dir, payer, stamp: () => 'x', disk: quickDisk });
    await repairJournal({ ...tools(), care, payer, ownOrders: async () => [] });
    const [header = ''] = sea.sent;
    const { body } =
      sea.requests.find(({ init }) => init.headers?.['PAYMENT-SIGNATURE'])?.init ?? {};
    expect((await purchase(tools(), orderOf('at sea'))).kind).toBe('delivered');
    // Whoever held the first one back until now hands it over.
    await sea.fetch(`${CHECKOUT_URL}/v1/orders`, {
      method: 'POST',
      headers: { 'PAYMENT-SIGNATURE': header },
      ...(body === undefined ? {} : { body }),
    });
    expect([sea.signed(), sea.landed.size]).toEqual([2, 1]);
  });

  it('asks for the order again where a record that nothing proves names one', async () => {
    const dir = copyJournal();
    unprove(dir, 'accepted', (attempt) => attempt);
    const name =
      filesOf(dir).find(
        (one) =>
          one.endsWith('fact-1-accepted.rec') &&
          one.includes(createHash('sha256').update('accepted').digest('hex')),
      ) ?? '';
    writeFileSync(join(dir, name), readFileSync(join(dir, name), 'utf8').replace('cr_2', 'cr_7'));
    await repairAt(dir);
    const entries = await checkRestored(dir);
    const entry = entries.find(({ intent }) => intent.key === 'accepted');
    expect(entry && acceptedOrder(entry)?.orderId).toBe('cr_2');
  });

  it('makes of a lost journal one entry for every payment, for a person to look at', async () => {
    const dir = tempFolder();
    const report = await repairAt(dir);
    expect(report.aside).toBeNull();
    expect(report.lines.map(({ outcome }) => outcome)).toEqual(
      KEYS.map(() => 'found on the chain'),
    );
    const entries = await toolsAt(dir).journal.all();
    expect(entries.map(nextStep)).toEqual(KEYS.map(() => 'attention'));
    expect(entries.map((entry) => eventOf(entry, 'landed')?.transaction).toSorted()).toEqual(
      [...world.landed.values()].map(({ transaction }) => transaction).toSorted(),
    );
  });

  it('makes one of each payment where somebody landed them in one transaction', async () => {
    const dir = tempFolder();
    const { rail } = toolsAt(dir);
    const ownPayments: typeof rail.ownPayments = async (...asked) => {
      const { payments, ...history } = await rail.ownPayments(...asked);
      return { ...history, payments: payments.map((one) => ({ ...one, transactionId: 'shared' })) };
    };
    // What the host says tells them apart no better.
    const orders = [...ORDERS].map((order_id) => ({
      ...{
        order_id,
        status: 'completed',
        created_at: '2026-11-28T00:00:00Z',
        products: ['A card'],
      },
      ...{ network: rail.network, transaction: 'shared' },
    }));
    await repairAt(dir, { rail: { ...rail, ownPayments } }, orders);
    const entries = await toolsAt(dir).journal.all();
    expect(entries.map(nextStep)).toEqual(KEYS.map(() => 'attention'));
    const hashes = entries.flatMap(({ attempts }) => attempts.map((one) => one.messageHash));
    expect(hashes.toSorted()).toEqual([...world.landed.keys()].toSorted());
  });

  it('run twice finds nothing twice', async () => {
    const dir = tempFolder();
    await repairAt(dir);
    const before = await toolsAt(dir).journal.all();
    expect((await repairAt(dir)).lines).toEqual([]);
    expect(await toolsAt(dir).journal.all()).toEqual(before);
  });

  it('a key whose own record is lost buys nothing again', async () => {
    const dir = copyJournal();
    const folder =
      filesOf(dir)
        .find((name) => name.endsWith('goods.rec'))
        ?.split('/')[1] ?? '';
    for (const name of filesOf(dir).filter((one) => one.includes(folder))) {
      if (/intent|attempt/.test(name)) truncateSync(join(dir, name), 10);
    }
    await repairAt(dir);
    const before = world.signed();
    const refused: string[] = [];
    for (const key of KEYS) {
      const outcome = await purchase(toolsAt(dir), orderOf(key)).catch((error) => error);
      if (outcome instanceof ScripError) refused.push(outcome.code);
    }
    expect(refused).toEqual(['IDEMPOTENCY_KEY_REUSED']);
    expect(world.signed()).toBe(before);
  });

  /** Two purchases without their attempts, and all payments in one transaction, in another order than they were made. */
  const inOneTransaction = async (lost: RegExp) => {
    const dir = copyJournal();
    const whole = (await toolsAt(dir).journal.all()).filter(({ intent }) =>
      ['accepted', 'unanswered'].includes(intent.key),
    );
    const shared = whole.flatMap((entry) => eventOf(entry, 'accepted')?.transaction ?? [])[0] ?? '';
    for (const { intent } of whole) {
      const folder = createHash('sha256').update(intent.key).digest('hex');
      const names = filesOf(dir).filter((one) => one.includes(folder) && lost.test(one));
      for (const name of names) truncateSync(join(dir, name), 10);
    }
    const { rail } = toolsAt(dir);
    const ownPayments: typeof rail.ownPayments = async (...asked) => {
      const { payments, ...history } = await rail.ownPayments(...asked);
      const moved = payments.map((one) => ({ ...one, transactionId: shared }));
      return { ...history, payments: moved.toReversed() };
    };
    world.faults.push(...Array<Fault>(300).fill('request lost'));
    await repairAt(dir, { rail: { ...rail, ownPayments } });
    world.faults.length = 0;
    return { dir, whole, entries: await toolsAt(dir).journal.all() };
  };
  const paymentOf = ({ intent, attempts }: Entry) => [intent.key, attempts.at(-1)?.messageHash];

  it('gives each purchase its own payment where one transaction holds several', async () => {
    const { whole, entries } = await inOneTransaction(/attempt/);
    expect(entries.map(paymentOf)).toEqual(expect.arrayContaining(whole.map(paymentOf)));
  });

  it('finds the payment that its records name where no tag tells', async () => {
    const dir = copyJournal();
    const folder = createHash('sha256').update('accepted').digest('hex');
    const names = filesOf(dir).filter((one) => one.includes(folder) && /attempt/.test(one));
    for (const name of names) truncateSync(join(dir, name), 10);
    const { vault } = toolsAt(dir);
    // As of an attempt beyond those that are looked for.
    const mark: typeof vault.mark = (text) => vault.mark(`${text}0`);
    await repairAt(dir, { vault: { ...vault, mark } });
    const entries = await toolsAt(dir).journal.all();
    const entry = entries.find(({ intent }) => intent.key === 'accepted');
    expect(entry && eventOf(entry, 'landed')).toBeDefined();
    expect(entries).toHaveLength(KEYS.length);
  });

  it('and asks a person where no key tells which it was', async () => {
    const { whole, entries, dir } = await inOneTransaction(/attempt|intent/);
    const hashes = whole.map((entry) => paymentOf(entry)[1]);
    const theirs = entries.filter((entry) => hashes.includes(paymentOf(entry)[1]));
    expect(theirs.map(nextStep)).toEqual(['attention', 'attention']);
    const before = world.signed();
    for (const { intent } of whole) {
      await expect(purchase(toolsAt(dir), orderOf(intent.key))).rejects.toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSED',
      });
    }
    expect(world.signed()).toBe(before);
  });

  it('leaves the journal as it was when the chain cannot be asked', async () => {
    const dir = copyJournal();
    const [first = ''] = filesOf(dir);
    appendFileSync(join(dir, first), 'x');
    const payer = world.signer.address;
    const care = openJournalCare({ dir, payer, stamp: () => 'x', disk: quickDisk });
    const deps = toolsAt(dir);
    const away = () => Promise.reject(new ScripError('CHAIN_UNREACHABLE', t`away`));
    const rail = { ...deps.rail, ownPayments: away, horizon: away };
    const files = filesOf(dir);
    await expect(
      repairJournal({ ...deps, rail, care, payer, ownOrders: async () => [] }),
    ).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
    });
    expect(filesOf(dir)).toEqual(files);
    await repairAt(dir);
    await checkRestored(dir);
  });
});
