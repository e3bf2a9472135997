/** What the journal holds, as `scrip orders` and `scrip track` show it. */

import { describe, expect, it } from 'vitest';
import { clockTime, localMinute } from '../../src/cli/output/instant.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { Attempt, Entry, Journal, JournalEvent } from '../../src/domain/journal/journal.ts';
import type { JournalCare } from '../../src/domain/journal/journal-care.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { anAttempt, anIntent } from '../support/journal-records.ts';
import { stubRail } from '../support/rails.ts';
import {
  type ContextParts,
  cannedFetch,
  capture,
  merged,
  smallContext,
  smallHost,
} from '../support/small-context.ts';

const PAYER = '7JZic8gYkssMLbrqaiFgxWSU7QAicTvyBMmofQihg68x';

const ATTEMPT = anAttempt(1, {
  sessionId: 'session',
  payTo: 'shop',
  payer: PAYER,
  createdAtMs: 1_767_225_600_000,
});

function entry(
  id: string,
  facts: readonly JournalEvent[],
  more: { attempts?: readonly Attempt[]; host?: string } = {},
): Entry {
  const { host = 'embedded:sandbox', attempts = [ATTEMPT] } = more;
  const named = { intentId: `intent-${id}`, key: `key-${id}`, host, payer: PAYER };
  return { intent: anIntent({ ...named, createdAtMs: ATTEMPT.createdAtMs }), attempts, facts };
}

const ACCEPTED: JournalEvent = {
  fact: 'accepted',
  attempt: 1,
  orderId: 'cr_1',
  transaction: 'tx1',
};
const LANDED: JournalEvent = { fact: 'landed', attempt: 1, transaction: 'tx1', slot: 9 };
const goods = (
  delivery: object = {},
  status: 'completed' | 'failed' = 'completed',
): JournalEvent => ({
  ...{ fact: 'goods', attempt: 1, status },
  sealed: JSON.stringify({
    ...{ order_id: 'cr_1', status: 'completed' },
    deliveries: [{ delivery_state: 'completed', voucher_code: 'TEST-1', ...delivery }],
  }),
});
const GOODS = goods();
const FORGOTTEN = { ...GOODS, sealed: '' } as JournalEvent;
const DELIVERED = entry('done', [ACCEPTED, LANDED, GOODS]);

const UUID = '0b3f6a52-8f0e-4c57-9d8e-0123456789ab';

/** An order of the partner API that this machine made. */
function partnerEntry(
  facts: readonly JournalEvent[],
  more: { network?: string; attempts?: readonly Attempt[] } = {},
): Entry {
  const made = entry('partner', [{ fact: 'created', orderId: UUID, order: '{}' }, ...facts], {
    attempts: more.attempts ?? [],
  });
  const network = more.network ?? 'Solana';
  const order = partnerOrder('WaitingForPayment', 'PaymentRequested');
  return {
    ...made,
    facts: made.facts.map((fact) =>
      fact.fact === 'created' ? { ...fact, order: JSON.stringify(order) } : fact,
    ),
    intent: {
      ...made.intent,
      partner: { coin: 'USDC', network, decimals: 6, refundAddress: null },
    },
  };
}

function partnerOrder(orderState: string, paymentState: string) {
  return {
    order_id: UUID,
    created_at: 1_767_225_600,
    order_state: orderState,
    payment_state: paymentState,
    is_payment_processor_external: false,
    coin: 'USDC',
    network: 'Base',
    deliveries: [],
  };
}

function journalOf(
  entries: () => readonly Entry[],
  addFact: Journal['addFact'] = async () => undefined,
): Journal {
  const byKey = async (key: string) => entries().find(({ intent }) => intent.key === key);
  return {
    ...{ byKey, addFact, all: async () => entries(), recent: async () => entries() },
    open: async ({ key }) => (await byKey(key)) ?? DELIVERED,
    addAttempt: () => Promise.reject(new Error('nothing is signed here')),
  };
}

/** What the merchant answers about the order. */
const tells = (orderState: string, paymentState: string) => ({
  [`/v5/orders/${UUID}`]: partnerOrder(orderState, paymentState),
});

/** A journal that keeps what is added to it. */
function growing(first: Entry): { readonly parts: ContextParts; readonly entry: () => Entry } {
  const state = { entry: first };
  const journal = journalOf(
    () => [state.entry],
    async (_intent, fact) => {
      state.entry = { ...state.entry, facts: [...state.entry.facts, fact] };
    },
  );
  return { parts: { parts: { journal: async () => journal } }, entry: () => state.entry };
}

function books(entries: readonly Entry[]): ContextParts {
  const signer = { address: PAYER, sign: async () => new Uint8Array(64) };
  return {
    keys: { wallets: { ...smallContext().keys.wallets, open: async () => signer } },
    parts: {
      signer: async () => signer,
      journal: async () => journalOf(() => entries),
      journalWallets: async () => [PAYER],
      vault: async () => ({
        seal: (plain) => plain,
        open: (sealed) => sealed,
        mark: () => new Uint8Array(32),
      }),
      rail: async () => stubRail(),
    },
  };
}

/** @param answers of the merchant, by path; without them it is not asked */
async function run(
  words: readonly string[],
  entries: readonly Entry[],
  parts: ContextParts = {},
  answers?: Readonly<Record<string, unknown>>,
) {
  const { fetch, asked } = cannedFetch(answers ?? {});
  const asking = answers === undefined ? {} : { parts: { fetch } };
  const host = smallHost(merged(books(entries), parts, asking));
  const exit = await runProgram(words, host);
  const urls = asked.map(({ url }) => url);
  return { exit, stdout: host.stdout.text(), stderr: host.stderr.text(), urls };
}

/** A person who answers each question so; `questions` and `opened` are what was put and opened. */
function person(isYes: boolean) {
  const [questions, opened]: [string[], string[]] = [[], []];
  const parts: ContextParts = {
    settings: { ...smallContext().settings, mayPrompt: true },
    io: {
      prompter: {
        ...smallContext().io.prompter,
        confirm: async (question) => {
          questions.push(String(question));
          return isYes;
        },
      },
    },
    system: {
      openAddress: async (url) => {
        opened.push(url);
        return true;
      },
    },
  };
  return { questions, opened, parts };
}

/** A journal of which codes are removed. */
function forgetting() {
  const forgotten: string[] = [];
  const refused = () => Promise.reject(new Error('nobody asks for this'));
  const journalCare = async (): Promise<JournalCare> => ({
    forgetGoods: async (key) => void forgotten.push(key),
    ...{ survey: refused, rebuild: refused },
  });
  return { forgotten, parts: { parts: { journalCare } } };
}

/** In the time of this machine. */
const BOUGHT_AT = localMinute('2026-01-01T00:00:00.000Z');

describe('scrip orders', () => {
  it('lists what was bought, newest first, without codes', async () => {
    const { stdout } = await run(['orders', '--json'], [entry('old', [LANDED]), DELIVERED]);
    const orders = JSON.parse(stdout);
    expect(orders.map((order: { intent_id: string }) => order.intent_id)).toEqual([
      'intent-done',
      'intent-old',
    ]);
    expect(orders[0]).toMatchObject({
      order_id: 'cr_1',
      status: 'completed',
      amount: '25.25',
      transaction: 'tx1',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    expect(stdout).not.toContain('TEST-1');
  });

  it.each([
    [80, `cr_aaaa  completed  Amazon.com 25 USD  25.25  USDC  ${BOUGHT_AT.slice(5)}`],
    [70, `cr_aaaa  completed  Amazon.com 25 USD  25.25  USDC  ${BOUGHT_AT.slice(5)}`],
    [120, `25.25  USDC  ${BOUGHT_AT}`],
  ])(
    'on a terminal of %i columns shows what fits, with as much of the id as names it',
    async (columns, line) => {
      const orderId = `cr_${'a'.repeat(26)}`;
      const bought = entry('wide', [{ ...ACCEPTED, orderId }, LANDED, GOODS]);
      const stdout = capture({ isTerminal: true, columns });
      const host = smallHost(books([bought]), { stdout });
      expect(await runProgram(['orders'], host)).toBe(0);
      expect(stdout.text()).toContain(line);
      for (const text of stdout.text().split('\n'))
        expect(text.length).toBeLessThanOrEqual(columns);
    },
  );

  const statuses: readonly (readonly [
    what: string,
    facts: readonly JournalEvent[],
    status: string,
  ])[] = [
    ['sent without an answer', [], 'unknown'],
    ['accepted', [ACCEPTED], 'processing'],
    ['delivered', [ACCEPTED, GOODS], 'completed'],
    ['given up by the merchant', [ACCEPTED, LANDED, goods({}, 'failed')], 'failed'],
    ['paid and refused', [LANDED, { fact: 'attention', reason: 'r' }], 'attention'],
    [
      'proven dead',
      [
        { fact: 'dead', attempt: 1, proof: 'p' },
        { fact: 'closed', reason: 'r' },
      ],
      'unpaid',
    ],
  ];
  it.each(statuses)('shows one that was %s', async (_what, facts, status) => {
    const { stdout } = await run(['orders', '--json'], [entry('x', facts)]);
    expect(JSON.parse(stdout)[0].status).toBe(status);
  });

  it('leaves out what was never signed', async () => {
    const { stdout } = await run(['orders', '--json'], [entry('x', [], { attempts: [] })]);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('says so when outcomes are unknown', async () => {
    expect((await run(['orders'], [entry('x', [])])).stderr).toBe(
      '1 order. Paid: 25.25 USDC.\nOutcome unknown: 1. Run: scrip orders resume\n',
    );
  });

  it('show of one that needs a person is groups of labels in words, has its bundle, and ends with 11', async () => {
    const stdout = capture({ isTerminal: true, columns: 120 });
    const nowMs = Date.parse('2026-01-01T00:00:00.000Z');
    const ordered = clockTime(nowMs, { nowMs, lang: 'en' });
    const lost = entry('x', [LANDED, { fact: 'attention', reason: 'unknown session' }]);
    await runProgram(['orders', 'show', 'intent-x'], smallHost(books([lost]), { stdout }));
    const shown = stdout.text();
    expect(shown).toMatch(/^Amazon\.com 25 USD\nOrder +not yet known\nStatus +attention\n/);
    expect(shown).toMatch(new RegExp(`\nOrdered +${ordered}\n\nPaid `));
    expect(shown).toMatch(
      /\nReason +unknown session\nMerchant host +embedded:sandbox\nPaid to +shop\n/,
    );
    expect(shown.match(/tx1/g)).toHaveLength(1);
    expect(shown).not.toMatch(/^[a-z_0-9]+ {2}/m);
    // In a pipe it has the names of the bundle, as scripts know them.
    const { exit, stdout: piped } = await run(['orders', 'show', 'intent-x'], [lost]);
    expect([exit, piped]).toEqual([11, expect.stringContaining('\npay_to\tshop\n')]);
    expect(piped).toContain('Ordered\t2026-01-01T00:00:00.000Z\n');
    const { stdout: told, stderr } = await run(['orders', 'show', 'intent-x', '--json'], [lost]);
    expect(JSON.parse(told)).toMatchObject({
      ...{ status: 'attention', reason: 'unknown session' },
      bundle: {
        ...{ host: 'embedded:sandbox', transaction: 'tx1', slot: 9, pay_to: 'shop' },
        ...{ session_id: 'session', amount_atomic: '25250000' },
      },
    });
    const error = { code: 'ATTENTION_NEEDED', funds_at_risk: 'spent' };
    expect(JSON.parse(stderr).error).toMatchObject(error);
  });

  it('reveal prints the codes, in a pipe too: the command is the asking', async () => {
    const { exit, stdout } = await run(['orders', 'reveal', 'key-done'], [DELIVERED]);
    expect(exit).toBe(0);
    expect(stdout).toContain('Code\tTEST-1\n');
  });

  it('reveal writes a file and prints no code', async () => {
    const written: string[][] = [];
    const writeSecret = async (...words: [string, string]) => void written.push(words);
    const { exit, stdout, stderr } = await run(
      ['orders', 'reveal', 'cr_1', '--output', 'card.json'],
      [DELIVERED],
      { io: { writeSecret } },
    );
    expect(exit).toBe(0);
    expect(stdout + stderr).not.toContain('TEST-1');
    expect(written.map(([path]) => path)).toEqual(['card.json']);
    expect(JSON.parse(written[0]?.[1] ?? '')).toMatchObject({
      order_id: 'cr_1',
      deliveries: [{ voucher_code: 'TEST-1' }],
    });
  });

  const codeless: readonly (readonly [string, Entry, number, string, string])[] = [
    ['sent without an answer', entry('x', []), 8, 'possible', 'scrip orders resume intent-x'],
    ['paid', entry('x', [ACCEPTED, LANDED]), 8, 'spent', 'scrip orders resume intent-x'],
    [
      'in need of a person',
      entry('x', [LANDED, { fact: 'attention', reason: 'r' }]),
      8,
      'spent',
      'scrip orders show intent-x',
    ],
    ['never paid', entry('x', [], { attempts: [] }), 3, 'none', 'scrip orders'],
    ['forgotten', entry('x', [ACCEPTED, LANDED, FORGOTTEN]), 3, 'spent', 'scrip track cr_1'],
  ];
  it.each(codeless)(
    'reveal of one that is %s says what to do',
    async (_what, made, exit, risk, hint) => {
      const result = await run(['orders', 'reveal', 'intent-x', '--json'], [made]);
      expect(result.exit).toBe(exit);
      const { error } = JSON.parse(result.stderr);
      expect(error.funds_at_risk).toBe(risk);
      expect(String(error.hint)).toContain(hint);
    },
  );

  it('forget removes the codes and shows that they are gone', async () => {
    const { forgotten, parts } = forgetting();
    const { exit, stdout } = await run(['orders', 'forget', 'cr_1'], [DELIVERED], parts);
    expect(exit).toBe(0);
    expect(stdout).toContain('no longer on this machine');
    expect(forgotten).toEqual(['key-done']);
    const gone = entry('done', [ACCEPTED, LANDED, FORGOTTEN]);
    const shown = await run(['orders', 'show', 'cr_1'], [gone]);
    expect(shown.stdout).toContain('no longer on this machine');
  });

  it('forget asks at a terminal, which may give the beginning of an id, and not with --yes', async () => {
    const { forgotten, parts } = forgetting();
    const [no, yes] = [person(false), person(true)];
    const forget = async (words: readonly string[], asked = no) =>
      (await run(['orders', 'forget', ...words], [DELIVERED], merged(parts, asked.parts))).exit;
    expect(await forget(['cr_1'])).toBe(7);
    expect(forgotten).toEqual([]);
    expect(no.questions[0]).toMatch(/^Remove the codes of .+ \(cr_1\) from this machine\?/);
    expect(await forget(['intent-d'], yes)).toBe(0);
    expect(forgotten).toEqual(['key-done']);
    expect(await forget(['cr_1', '--yes'])).toBe(0);
    expect(await forget(['intent-d', '--yes'])).toBe(3);
    expect([...no.questions, ...yes.questions]).toHaveLength(2);
  });

  it('reveal lets a terminal choose the order, and names the id where it cannot', async () => {
    const picked: string[] = [];
    const pick = async ({ message }: { readonly message: string }) => {
      picked.push(message);
      return 'cr_1';
    };
    const settings = { ...smallContext().settings, mayPrompt: true };
    await run(['orders', 'reveal'], [DELIVERED], {
      settings,
      io: { dialog: { ...smallContext().io.dialog, pick } },
    });
    expect(picked).toEqual(['Which order?']);
    const { exit, stderr } = await run(['orders', 'reveal', '--json'], [DELIVERED]);
    expect([exit, JSON.parse(stderr).error.details.missing]).toEqual([2, ['<order_id>']]);
  });

  it('resume finishes those that are open, and no other', async () => {
    const deliveries = [{ voucher_code: 'TEST-2' }];
    const { exit, stdout, urls } = await run(
      ['orders', 'resume', '--json'],
      [DELIVERED, entry('open', [ACCEPTED])],
      {},
      { '/v1/orders/cr_1': { order_id: 'cr_1', status: 'completed', deliveries } },
    );
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { intent_id: 'intent-open', status: 'completed', deliveries },
    ]);
    expect(urls).toHaveLength(1);
  });

  it('resume names the host of a purchase that was made elsewhere', async () => {
    const elsewhere = entry('x', [ACCEPTED], { host: 'https://shop.example' });
    const { exit, stdout, stderr } = await run(['orders', 'resume'], [elsewhere]);
    expect(exit).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('--checkout-url https://shop.example');
  });

  it.each([
    ['orders', 'show', 'intent-x'],
    ['orders', 'reveal', 'intent-x'],
  ])('%s %s names the host of a purchase that was made elsewhere', async (...words) => {
    const elsewhere = entry('x', [ACCEPTED], { host: 'https://shop.example' });
    const { stderr } = await run(words, [elsewhere]);
    expect(stderr).toContain(
      ': scrip orders resume --checkout-url https://shop.example intent-x\n',
    );
  });
});

describe('a purchase is found', () => {
  const long = (id: string, orderId: string, transaction: string) =>
    entry(id, [{ ...ACCEPTED, orderId, transaction }, { ...LANDED, transaction }, GOODS]);
  const TWO = [long('one', 'cr_abcdef1', '5txAAAA'), long('two', 'cr_abcdef2', '5txBBBB')];
  const shown = async (id: string) => {
    const { exit, stdout, stderr } = await run(['orders', 'show', id, '--json'], TWO);
    return exit === 0 ? JSON.parse(stdout).intent_id : JSON.parse(stderr).error.code;
  };

  it.each([
    ['its order id', 'cr_abcdef1', 'intent-one'],
    ['its intent id', 'intent-two', 'intent-two'],
    ['its key', 'key-two', 'intent-two'],
    ['its transaction', '5txAAAA', 'intent-one'],
    ['the beginning of its transaction', '5txB', 'intent-two'],
    ['the beginning of its intent id', 'intent-o', 'intent-one'],
    ['a beginning that two have: neither', 'cr_abcdef', 'INPUT_INVALID'],
    ['the beginning of a key: not by that', 'key-o', 'ORDER_UNKNOWN'],
    ['too short a beginning', '5tx', 'ORDER_UNKNOWN'],
    ['nothing that is known', 'cr_zzzz', 'ORDER_UNKNOWN'],
  ])('by %s', async (_what, id, found) => {
    expect(await shown(id)).toBe(found);
  });

  it('to be forgotten by its whole id alone', async () => {
    const { exit, stderr } = await run(['orders', 'forget', '5txB', '--json'], TWO);
    expect([exit, JSON.parse(stderr).error.code]).toEqual([3, 'ORDER_UNKNOWN']);
  });
});

describe('an order of the partner API in the listing', () => {
  const TRACK = ['track', UUID, '--timeout', '0s'];
  const list = async (made: Entry) =>
    JSON.parse((await run(['orders', '--json'], [made])).stdout)[0];

  const ends = [
    ['Canceled', 'PaymentCanceled', 'canceled'],
    ['Expired', 'Expired', 'expired'],
    ['Refunded', 'ExpiredAfterPaymentDetection', 'refunded'],
    ['PaymentSetupFailed', 'Failed', 'failed'],
    ['Done', 'PaymentReceived', 'completed'],
  ] as const;
  const learned = ends.flatMap((end) => [
    [TRACK, ...end] as const,
    [['pay', UUID], ...end] as const,
    [['pay', UUID, '--show'], ...end] as const,
  ]);
  it.each(learned)('after %j has seen %s (%s) is %s', async (words, order, payment, status) => {
    const { parts, entry: kept } = growing(partnerEntry([], { network: 'Base' }));
    await run(words, [], parts, tells(order, payment));
    expect((await list(kept())).status).toBe(status);
  });

  const told = [
    ['WaitingForPayment', 'PaymentRequested', 'unpaid'],
    ['Created', 'WalletRequested', 'unpaid'],
    ['PaymentStarted', 'PaymentStarted', 'processing'],
    ['WaitingForDelivery', 'PaymentReceived', 'processing'],
    ['WaitingForManualAction', 'PaymentReceived', 'attention'],
    ['Done', 'PaymentReceived', 'completed'],
    ['Expired', 'Expired', 'expired'],
  ] as const;
  it.each(told)(
    'that its merchant calls %s (%s) is %s, also resumed',
    async (order, payment, is) => {
      for (const words of [['orders'], ['orders', 'resume', '--timeout', '0s']]) {
        const { parts } = growing(partnerEntry([], { network: 'Base' }));
        const made = await run([...words, '--json'], [], parts, tells(order, payment));
        const { exit, stdout } = made;
        expect([words[1], exit, JSON.parse(stdout)[0]?.status]).toEqual([words[1], 0, is]);
      }
    },
  );

  it('is as last known where the merchant does not answer, and the list says so', async () => {
    const made = partnerEntry([], { network: 'Base' });
    for (const [expected, ...words] of [
      [0, 'orders'],
      [4, 'orders', 'resume'],
    ] as const) {
      const { exit, stdout, stderr } = await run(words, [made]);
      expect([exit, stdout]).toEqual([expected, expect.stringContaining('unpaid')]);
      expect(stderr).toContain('without an answer: 1. Before you pay one, run: scrip track');
    }
    expect((await run(['orders', 'resume', UUID], [made])).exit).not.toBe(0);
  });

  it('is one of the newest 24, or is not asked for', async () => {
    const made = partnerEntry([], { network: 'Base' });
    const ids = Array.from({ length: 30 }, (_, at) => `${UUID.slice(0, -2)}${at + 10}`);
    const entries = ids.map((orderId, at) => ({
      ...made,
      intent: { ...made.intent, intentId: `i${at}`, key: `k${at}` },
      facts: made.facts.map((fact) => ({ ...fact, orderId })),
    }));
    const order = partnerOrder('WaitingForPayment', 'PaymentRequested');
    const told = ids.map((id) => [`/v5/orders/${id}`, { ...order, order_id: id }] as const);
    const { stderr, urls } = await run(['orders'], entries, {}, Object.fromEntries(told));
    expect(urls.map((url) => url.slice(-2)).toSorted()).toEqual(
      ids.slice(6).map((id) => id.slice(-2)),
    );
    expect(stderr).toContain('without an answer: 6.');
    expect((await run(['orders'], entries, {}, {})).urls).toHaveLength(8);
  });

  it('of another host is shown there, and paid where that host is named', async () => {
    const made = partnerEntry([]);
    const host = 'http://127.0.0.1:4020';
    const { parts } = growing({ ...made, intent: { ...made.intent, host } });
    const open = tells('WaitingForPayment', 'PaymentRequested');
    const refused = await run(['pay', UUID, '--yes', '--max-amount', '60'], [], parts, open);
    expect([refused.exit, refused.urls.length]).toEqual([2, 0]);
    expect(refused.stderr).toContain(`scrip pay ${UUID} --checkout-url ${host}`);
    const shown = await run(['pay', UUID, '--show'], [], parts, open);
    expect([shown.exit, shown.urls.length]).toEqual([0, 1]);
  });

  it('that expired with a part paid needs no resuming', async () => {
    const paid = partnerEntry([ACCEPTED, LANDED], { attempts: [ATTEMPT] });
    const { parts, entry: kept } = growing(paid);
    const over = tells('Expired', 'ExpiredAfterPaymentDetection');
    await run(TRACK, [], parts, over);
    expect((await list(kept())).status).toBe('expired');
    const shown = await run(['orders', 'show', kept().intent.intentId], [kept()]);
    expect(shown.stderr + shown.stdout).not.toContain('resume');
    expect((await run(['orders', 'resume'], [kept()], {}, over)).urls).toEqual([]);
  });

  it.each(['Expired', 'Canceled'])('that was %s and paid back later is refunded', async (end) => {
    const paid = partnerEntry([ACCEPTED, LANDED], { attempts: [ATTEMPT] });
    const { parts, entry: kept } = growing(paid);
    for (const state of [end, 'Refunded', 'Refunded']) {
      await run(TRACK, [], parts, tells(state, 'ExpiredAfterPaymentDetection'));
    }
    expect((await list(kept())).status).toBe('refunded');
  });

  it('whose transfer may still land stays open', async () => {
    const { parts, entry: kept } = growing(partnerEntry([ACCEPTED], { attempts: [ATTEMPT] }));
    await run(TRACK, [], parts, tells('Expired', 'Expired'));
    expect((await list(kept())).status).toBe('processing');
  });

  it('whose creation was refused once and then paid is still followed', async () => {
    const refused: JournalEvent = { fact: 'closed', reason: 'no stock' };
    const paid = partnerEntry([refused, ACCEPTED, LANDED], { attempts: [ATTEMPT] });
    expect((await list(paid)).status).toBe('processing');
  });
});

describe('scrip track', () => {
  const TRACK = ['track', 'cr_1', '--timeout', '0s'];
  const tellsOf = (status: string, more: object = {}) => ({
    '/v1/orders/cr_1': { order_id: 'cr_1', status, ...more },
  });

  it('of a purchase of this machine keeps the goods', async () => {
    const { parts, entry: kept } = growing(entry('x', [ACCEPTED]));
    const deliveries = [{ delivery_state: 'completed', voucher_code: 'TEST-3' }];
    await run(TRACK, [], parts, tellsOf('completed', { deliveries }));
    const shown = await run(['orders', 'reveal', 'cr_1', '--json'], [kept()]);
    expect(JSON.parse(shown.stdout)).toEqual({ order_id: 'cr_1', deliveries });
  });

  it.each([
    ['completed', 0, undefined],
    ['failed', 10, 'ORDER_FAILED'],
    ['expired', 10, 'ORDER_EXPIRED'],
    ['processing', 8, 'DELIVERY_PENDING'],
  ])('prints an order that is %s and ends with %i', async (status, exit, code) => {
    const told = tellsOf(status, { deliveries: [{ failure_reason: 'no stock' }] });
    const result = await run([...TRACK, '--json'], [], {}, told);
    expect(result.exit).toBe(exit);
    expect(JSON.parse(result.stdout)).toEqual(told['/v1/orders/cr_1']);
    expect(code === undefined ? result.stderr : JSON.parse(result.stderr).error.code).toBe(
      code ?? '',
    );
  });

  it('is an error for an order that nobody knows', async () => {
    const { exit, stderr } = await run(['track', 'cr_2', '--json'], [], {}, {});
    expect(exit).toBe(3);
    expect(JSON.parse(stderr).error.code).toBe('ORDER_UNKNOWN');
  });

  it('asks the host that the order was bought from when none is named', async () => {
    const bought = entry('far', [ACCEPTED], { host: 'https://shop.example' });
    const { urls } = await run(TRACK, [bought], {}, tellsOf('completed', { deliveries: [] }));
    expect(urls.map((url) => new URL(url).origin)).toEqual(['https://shop.example']);
  });
});

describe('a journal that cannot be read', () => {
  it('is no word about charges when purchases are listed', async () => {
    const journal = () =>
      Promise.reject(new ScripError('JOURNAL_UNUSABLE', t`the folder cannot be read`));
    const { exit, stderr } = await run(['orders'], [], { parts: { journal } });
    expect(exit).toBe(13);
    expect(stderr).not.toMatch(/charged/i);
  });
});

describe('scrip open', () => {
  const TRANSACTION = '5'.repeat(88);
  const PAGE = `https://explorer.solana.com/tx/${TRANSACTION}`;
  const paid: JournalEvent = { ...ACCEPTED, transaction: TRANSACTION };
  const landed: JournalEvent = { ...LANDED, transaction: TRANSACTION };
  const live = (facts: readonly JournalEvent[]) =>
    entry('live', [paid, landed, ...facts], { host: 'https://host.example' });

  it('prints the page of the payment on the explorer', async () => {
    const { exit, stdout } = await run(['open', 'cr_1', '--tx', '--print'], [live([])]);
    expect([exit, stdout]).toEqual([0, `${PAGE}\n`]);
  });

  it('hands that page to the browser after a yes, with its host told first', async () => {
    const { opened, questions, parts } = person(true);
    const { exit, stderr } = await run(['open', 'cr_1', '--tx'], [live([])], parts);
    expect([exit, opened, questions.length]).toEqual([0, [PAGE], 1]);
    expect(stderr).toContain('host: explorer.solana.com');
  });

  it.each([
    ['http://shop.example/r', 'LINK_UNSAFE'],
    ['javascript:alert(1)', 'LINK_UNSAFE'],
    ['file:///etc/passwd', 'LINK_UNSAFE'],
    ['https://shop.example@evil.example/', 'LINK_UNSAFE'],
    ['', 'LINK_MISSING'],
  ])('never opens %j for a redemption', async (url, code) => {
    const { stderr, stdout } = await run(['open', 'cr_1', '--yes'], [live([goods({ url })])]);
    expect([stdout, stderr]).toEqual(['', expect.stringContaining(code)]);
    expect(stderr).not.toContain('TEST-1');
  });

  it('names a host by its letters in the network', async () => {
    const { opened, parts } = person(true);
    const page = live([goods({ url: 'https://аmazon.example/r' })]);
    const { stderr } = await run(['open', 'cr_1', '--yes'], [page], parts);
    expect(stderr).toContain('host: xn--mazon-3ve.example');
    expect(opened).toEqual(['https://xn--mazon-3ve.example/r']);
  });
});
