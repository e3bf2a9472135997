import { beforeEach, describe, expect, it } from 'vitest';
import {
  duplicateError,
  findTwin,
  type IntentDeps,
  type IntentInput,
  lookUp,
  newIntent,
  type Opening,
  openIntent,
  reopen,
} from '../../../src/api/payment/intent.ts';
import { sha256 } from '../../../src/api/payment/outcome.ts';
import { recoveredKey } from '../../../src/api/payment/payment-tag.ts';
import type { Intent, Journal } from '../../../src/domain/journal/journal.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { openJournal } from '../../../src/records/journal-files.ts';
import { anAttempt, anIntent, PAYER } from '../../support/journal-records.ts';
import { START_MS } from '../../support/manual-clock.ts';
import { quickDisk } from '../../support/quick-disk.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const DAY_MS = 86_400_000;
const { host, network, summary } = anIntent();
const item = (to: string) => ({ product_id: 'p-1', product_value: '25', beneficiary_account: to });
const bodyOf = (...to: string[]) => JSON.stringify({ email: 'a@example.com', items: to.map(item) });
const BODY = bodyOf('a@example.com');
const OTHER_BODY = bodyOf('b@example.com');

let dir: string;
let journal: Journal;
let drawn: number;
/** From when on the journal was read. */
let readSinceMs: number[];
beforeEach(() => {
  dir = tempFolder();
  const files = openJournal({ dir, payer: PAYER, disk: quickDisk });
  readSinceMs = [];
  journal = {
    ...files,
    recent: (sinceMs) => {
      readSinceMs.push(sinceMs);
      return files.recent(sinceMs);
    },
  };
  drawn = 0;
});

const resumed: string[] = [];
function deps(nowMs = START_MS): IntentDeps {
  return {
    ...{ journal, host, network, payer: PAYER, clock: { now: () => nowMs } },
    random: (length) => new Uint8Array(length).fill(++drawn),
    resuming: ({ intentId }) => resumed.push(intentId),
  };
}

const INPUT: IntentInput = { quotedAtomic: atomic(25n), capAtomic: atomic(26n), summary };
const TWICE: IntentInput = { ...INPUT, allowsDuplicate: true };
const opening = (more: Partial<Opening> = {}): Opening => ({
  body: BODY,
  terms: async () => ({}),
  ...more,
});
/** A purchase in the journal. */
async function begun(more: Partial<Intent> = {}, number?: number): Promise<string> {
  const intentId = more.intentId ?? `known-${++drawn}`;
  const { intent } = await journal.open(
    anIntent({ body: BODY, key: `key of ${intentId}`, ...more, intentId }),
  );
  if (number !== undefined) await journal.addAttempt(intent, anAttempt(number));
  return intentId;
}
const idOf = async (work: ReturnType<typeof openIntent>) => (await work).intent.intentId;

describe('a request without a key', () => {
  it('continues the unfinished purchase of the same body at the same host, and says so', async () => {
    await begun({ host: 'https://other.example' });
    await begun({ body: OTHER_BODY });
    const id = await begun();
    resumed.length = 0;
    expect(await idOf(openIntent(deps(), INPUT, opening()))).toBe(id);
    expect(resumed).toEqual([id]);
  });

  it('prefers a purchase that may be paid, the first of them, to the newest', async () => {
    await begun({ createdAtMs: START_MS - 4 });
    const paid = await begun({ createdAtMs: START_MS - 3 }, 1);
    await begun({ createdAtMs: START_MS - 2 }, 1);
    const newest = await begun({ createdAtMs: START_MS - 1 });
    expect(await idOf(openIntent(deps(), INPUT, opening()))).toBe(paid);
    const isStillMeant = ({ createdAtMs }: Intent) => createdAtMs === START_MS - 1;
    expect(await idOf(openIntent(deps(), INPUT, opening({ isStillMeant })))).toBe(newest);
  });

  it('continues none that is finished, and none that is no longer meant', async () => {
    const closed = await begun();
    const { intent } = anIntentOf(await journal.all(), closed);
    await journal.addFact(intent, { fact: 'closed', reason: 'declined' });
    await begun();
    const fresh = await idOf(openIntent(deps(), TWICE, opening({ isStillMeant: () => false })));
    expect(fresh).not.toMatch(/^known/);
  });
});

describe('a request with a key', () => {
  it('continues the purchase of that key without announcing it, and no other', async () => {
    const id = await begun({ key: 'mine' });
    resumed.length = 0;
    expect(await idOf(openIntent(deps(), { ...INPUT, key: 'mine' }, opening()))).toBe(id);
    expect(resumed).toEqual([]);
    const other = await idOf(openIntent(deps(), { ...TWICE, key: 'other' }, opening()));
    expect(other).not.toBe(id);
  });

  it.each([
    ['another body', { body: OTHER_BODY }],
    ['another host', { host: 'https://other.example' }],
  ])('is refused when the key belongs to a purchase of %s', async (_what, more) => {
    const id = await begun({ key: 'mine', ...more });
    await expect(openIntent(deps(), { ...INPUT, key: 'mine' }, opening())).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      details: { intent_id: id },
    });
  });

  it('is refused, where the merchant asks for it, when a repair recovered its purchase without the key', async () => {
    await begun({ key: recoveredKey(await sha256('mine')), body: OTHER_BODY });
    const asked = opening({ refusesRecovered: true });
    const mine = { ...INPUT, key: 'mine' };
    await expect(openIntent(deps(), mine, asked)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      message: expect.stringContaining('damaged'),
    });
    expect(await idOf(openIntent(deps(), INPUT, asked))).toBeDefined();
    expect(await idOf(openIntent(deps(), { ...TWICE, key: 'new' }, asked))).toBeDefined();
    expect(await idOf(openIntent(deps(), { ...TWICE, key: 'mine' }, opening()))).toBeDefined();
    // Once the key has a purchase of its own, that one counts.
    expect(await idOf(openIntent(deps(), mine, asked))).toBeDefined();
  });
});

describe('the same goods a moment ago', () => {
  const mine = { ...INPUT, key: 'mine' };

  it('are refused under another key, unless allowed', async () => {
    const id = await begun({ key: 'theirs' });
    await expect(openIntent(deps(), mine, opening())).rejects.toMatchObject({
      code: 'DUPLICATE_PURCHASE',
      details: { intent_id: id, idempotency_key: 'theirs', ordered_at: expect.any(String) },
    });
    expect(await idOf(openIntent(deps(), { ...TWICE, key: 'mine' }, opening()))).not.toBe(id);
  });

  it('are found in the journal of a day, before the question, although their purchase is finished', async () => {
    const id = await begun({ key: 'theirs' }, 1);
    const { intent } = anIntentOf(await journal.all(), id);
    const goods = { fact: 'goods', attempt: 1, status: 'completed', sealed: '' } as const;
    await journal.addFact(intent, goods);
    const wanted = { key: 'mine', body: BODY, host, nowMs: START_MS, summary };
    const twins = [(await lookUp(journal, wanted)).twin, await findTwin(journal, wanted)];
    expect(twins.map((entry) => entry?.intent.intentId)).toEqual([id, id]);
    await openIntent(deps(), TWICE, opening());
    expect(readSinceMs).toEqual(Array(3).fill(START_MS - DAY_MS));
    const own = await lookUp(journal, { ...wanted, key: 'theirs' });
    expect([own.known?.intent.intentId, own.twin]).toEqual([id, undefined]);
    await expect(openIntent(deps(), mine, opening())).rejects.toMatchObject({
      code: 'DUPLICATE_PURCHASE',
    });
    expect(await idOf(openIntent(deps(START_MS + DAY_MS), mine, opening()))).not.toBe(id);
  });

  it.each([
    [{}, 'Amazon.com 25 USD'],
    [{ productName: '' }, 'Amazon.com 25 USD'],
    [{ productName: 'Amazon.com' }, 'Amazon.com 25 USD'],
    [{ productName: '', faceValue: '25 USD' }, 'Amazon.com 25 USD'],
    [{ productName: '', faceValue: '' }, 'Amazon.com'],
    [{ productName: '', faceValue: '', currency: '' }, 'Amazon.com'],
    [{ productName: 'Amazon.com 1-2000 USD' }, 'Amazon.com 25 USD'],
    [{ productName: '$25 Amazon', faceValue: 'USD 25' }, '$25 Amazon'],
    [{ productName: '', faceValue: 'USD 25' }, 'Amazon.com USD 25 USD'],
  ])('are named: %j', (more, name) => {
    const intent = anIntent({ summary: { ...summary, ...more } });
    const error = duplicateError({ intent, attempts: [], facts: [] });
    const at = new Date(START_MS).toISOString().slice(0, 16).replace('T', ' ');
    expect(error.message).toBe(
      `${name} for a@example.com was already ordered at ${at} UTC; nothing was sent`,
    );
  });
});

describe('a new purchase', () => {
  it('has an id of its own, which is its key where the caller has none', () => {
    const one = newIntent(deps(), INPUT, { body: BODY });
    const other = newIntent(deps(), { ...INPUT, key: 'mine' }, { body: BODY });
    expect(one.key).toBe(one.intentId);
    expect(other).toMatchObject({ key: 'mine', capAtomic: '26', quotedAtomic: '25' });
    expect(other.intentId).not.toBe(one.intentId);
  });

  it('records what there is, and no field for what there is not', () => {
    const bare = newIntent(deps(), INPUT, { body: BODY });
    const optional = ['policy', 'note', 'kinds', 'cart', 'partner'];
    expect(Object.keys(bare).filter((key) => optional.includes(key))).toEqual([]);
    // Safe: what the merchant adds is recorded as it is, unread.
    const given = { policy: 'its', cart: 'own', partner: 'terms' } as unknown as Pick<
      Intent,
      'policy' | 'cart' | 'partner'
    >;
    const input = { ...INPUT, note: 'for Ann', kinds: ['giftcard'] };
    const whole = newIntent(deps(), input, { body: BODY, ...given });
    expect(whole).toMatchObject({ ...given, note: 'for Ann', kinds: ['giftcard'] });
  });

  it('asks for its terms once, and a continued one does not', async () => {
    let asked = 0;
    const counted = opening({
      terms: async () => {
        asked += 1;
        return {};
      },
    });
    await openIntent(deps(), INPUT, counted);
    await openIntent(deps(), INPUT, counted);
    expect(asked).toBe(1);
  });
});

describe('a purchase that cannot be opened again', () => {
  const broken = (error: unknown): Journal => ({ ...journal, open: () => Promise.reject(error) });
  const full = new ScripError('JOURNAL_UNUSABLE', t`The disk is full`, { details: { a: 1 } });
  const entry = (attempts: number) => ({
    intent: anIntent(),
    attempts: Array.from({ length: attempts }, (_, at) => anAttempt(at + 1)),
    facts: [],
  });

  it('warns of the payment that may be in progress, and of none where nothing was signed', async () => {
    await expect(reopen(broken(full), entry(1))).rejects.toMatchObject({
      ...{ code: 'JOURNAL_UNUSABLE', fundsAtRisk: 'possible', cause: full },
      ...{ message: 'The disk is full', details: { a: 1, intent_id: 'intent-1' } },
    });
    await expect(reopen(broken(full), entry(0))).rejects.toBe(full);
  });

  it('passes on faults of other kinds', async () => {
    const fault = new RangeError('no');
    await expect(reopen(broken(fault), entry(1))).rejects.toBe(fault);
  });
});

function anIntentOf(entries: readonly { readonly intent: Intent }[], id: string) {
  const found = entries.find(({ intent }) => intent.intentId === id);
  if (found === undefined) throw new RangeError(id);
  return found;
}
