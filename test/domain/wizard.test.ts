/** The guided purchase: each question with right and wrong answers, and walks through all of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, ask, orderRequest, type Reply } from '../../src/domain/wizard/wizard.ts';
import { ANSWER_KEYS, type AnswerKey, type Answers } from '../../src/domain/wizard/wizard-step.ts';
import { STEPS } from '../../src/domain/wizard/wizard-steps.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { wizardHost } from '../support/wizard-host.ts';

const GIFT: Required<Omit<Answers, 'lang'>> = {
  product_type: 'giftcard',
  country: 'US',
  brand: 'Amazon.com',
  amount: '25 USD',
  beneficiary_account: 'friend@example.com',
  coin: 'USDC',
  network: 'Solana',
  user_email: 'buyer@example.com',
};
const TOPUP: Required<Omit<Answers, 'lang'>> = {
  ...GIFT,
  product_type: 'mobile_topup',
  country: 'BR',
  brand: 'Claro Credits',
  amount: '20 BRL',
  beneficiary_account: '+5511912345678',
};

/** What is answered before a question is asked. */
function before(key: AnswerKey, all: Answers): Answers {
  const keys = ANSWER_KEYS.slice(0, ANSWER_KEYS.indexOf(key));
  return Object.fromEntries(keys.map((name) => [name, all[name]]));
}

const reply = (key: AnswerKey, text: string, all: Answers): Promise<Reply> =>
  advance(wizardHost, before(key, all), { answer: text });

describe('the question of the amount', () => {
  it.each([
    ['Amazon.com', 'Which amount for Amazon.com?'],
    ['eSIM', 'Which eSIM product?'],
  ])('for %s is %s', async (brand, question) => {
    const asked = await ask(wizardHost, { ...before('amount', GIFT), brand });
    expect(String(asked.question)).toBe(question);
  });
});

type Right = readonly [key: AnswerKey, text: string, value: string, all?: Answers];

const RIGHT: readonly Right[] = [
  ['product_type', ' GiftCard ', 'giftcard'],
  ['product_type', 'mobile_topup', 'mobile_topup'],
  ['product_type', 'gift card', 'giftcard'],
  ['country', 'us', 'US'],
  ['country', ' United States ', 'US'],
  ['country', 'BRAZIL', 'BR'],
  ['country', 'Brasil', 'BR'],
  ['country', 'U.S.A.', 'US'],
  ['brand', 'amazon.com', 'Amazon.com'],
  ['brand', 'Amazon', 'Amazon.com'],
  ['brand', 'uber eats', 'Uber Eats'],
  ['brand', 'ESIM', 'eSIM'],
  ['amount', '25', '25 USD'],
  ['amount', '25.00 usd', '25 USD'],
  ['amount', '$25', '25 USD'],
  ['amount', 'USD 50', '50 USD'],
  ['amount', '7.5', '7.50 USD', { ...GIFT, brand: 'Uber Eats' }],
  ['amount', '500', '500 USD', { ...GIFT, brand: 'Uber Eats' }],
  ['amount', '10', '10 USD', { ...GIFT, brand: 'Uber Rides' }],
  ['amount', '6', '6 USD', { ...GIFT, brand: 'Uber Rides' }],
  ['amount', '1 gb  7 days', '1 GB 7 days', { ...GIFT, brand: 'eSIM' }],
  ['amount', '15.75', '3 GB 30 days', { ...GIFT, brand: 'eSIM' }],
  ['amount', 'R$20', '20 BRL', TOPUP],
  ['beneficiary_account', ' friend@example.com', 'friend@example.com'],
  ['beneficiary_account', '+55 11 91234-5678', '+5511912345678', TOPUP],
  ['coin', 'usdc', 'USDC'],
  ['coin', 'BTC', 'BTC'],
  ['network', 'SOLANA', 'Solana'],
  ['network', 'polygon', 'Polygon (Matic)'],
  ['network', 'Polygon (Matic)', 'Polygon (Matic)'],
  ['user_email', 'buyer@example.com ', 'buyer@example.com'],
];

describe('an answer is taken', () => {
  it.each(RIGHT.map(([key, text, value, all = GIFT]) => [key, text, value, all] as const))(
    '%s: "%s" is %s',
    async (key, text, value, all) => {
      const taken = await reply(key, text, all);
      expect(taken.kind).toBe('continue');
      expect(taken.answers).toEqual({ ...before(key, all), [key]: value });
    },
  );
});

type WrongRow = readonly [
  key: AnswerKey,
  text: string,
  error: RegExp,
  suggestions: readonly string[],
  all?: Answers,
];

const WRONG: readonly WrongRow[] = [
  ['product_type', 'wallet', /matches no product type/, ['giftcard', 'mobile_topup']],
  ['product_type', '', /matches no product type/, ['giftcard', 'mobile_topup']],
  ['country', 'Brasill', /no country/, ['Brazil']],
  ['country', 'United', /no country/, ['United States', 'United Kingdom']],
  ['country', 'gb', /No giftcard is sold in United Kingdom/, []],
  ['country', 'UK', /No giftcard is sold in United Kingdom/, []],
  ['brand', 'uber', /matches 2 of the choices in United States/, ['Uber Eats', 'Uber Rides']],
  ['brand', 'Amazom.com', /matches no brand in United States/, ['Amazon.com']],
  ['brand', 'sold out', /out of stock/, ['Amazon.com', 'Uber Eats', 'Uber Rides', 'eSIM']],
  ['brand', '!!!', /matches no brand/, ['Amazon.com', 'Uber Eats', 'Uber Rides', 'eSIM']],
  ['amount', '30', /30 USD is not sold/, ['25 USD', '50 USD']],
  ['amount', '25 EUR', /sold in USD, not in EUR/, ['25 USD', '50 USD']],
  ['amount', '25,00', /is not an amount/, ['25 USD', '50 USD']],
  ['amount', '25.000', /may mean 25000/, ['25 USD', '50 USD']],
  ['amount', '-25', /is not an amount/, ['25 USD', '50 USD']],
  ['amount', '1e2', /is not an amount/, ['25 USD', '50 USD']],
  ['amount', 'much', /is not an amount/, ['25 USD', '50 USD']],
  ['amount', '0.00000001', /decimals/, ['25 USD', '50 USD']],
  ['amount', '4', /4 USD is not sold/, ['5 USD'], { ...GIFT, brand: 'Uber Eats' }],
  ['amount', '999', /999 USD is not sold/, ['500 USD'], { ...GIFT, brand: 'Uber Eats' }],
  [
    'amount',
    '6',
    /not a multiple of the step/,
    ['5 USD', '7.50 USD'],
    { ...GIFT, brand: 'Uber Eats' },
  ],
  [
    'amount',
    '12',
    /not a multiple of the step/,
    ['11 USD', '10 USD'],
    { ...GIFT, brand: 'Uber Rides' },
  ],
  ['amount', '7', /of 2 products/, ['1 GB 7 days', 'Talk 30 days'], { ...GIFT, brand: 'eSIM' }],
  ['beneficiary_account', '+14155550123', /phone number/, []],
  ['beneficiary_account', 'friend@', /domain/, []],
  ['beneficiary_account', 'a@b.example', /e-mail address; a top-up/, [], TOPUP],
  ['beneficiary_account', '5511912345678', /start with \+/, ['+5511912345678'], TOPUP],
  ['coin', 'DASH', /DASH is suspended/, ['USDC', 'BTC']],
  ['coin', 'OP', /OP is suspended/, ['USDC', 'BTC']],
  ['coin', 'USD', /matches no coin/, ['USDC']],
  ['network', 'optimism', /Optimism is suspended/, ['Solana', 'Polygon (Matic)']],
  ['network', 'Mainnet', /matches no network/, ['Solana', 'Polygon (Matic)']],
  ['user_email', 'buyer', /has no @/, []],
];

describe('an answer is refused, with what would be taken', () => {
  it.each(
    WRONG.map(
      ([key, text, error, suggestions, all = GIFT]) =>
        [key, text, error, suggestions, all] as const,
    ),
  )('%s: "%s"', async (key, text, error, suggestions, all) => {
    const wrong = await reply(key, text, all);
    expect(wrong).toMatchObject({
      kind: 'error',
      step: key,
      answers: before(key, all),
      suggestions,
    });
    expect(wrong.kind === 'error' && String(wrong.error)).toMatch(error);
    expect(wrong.kind === 'error' && String(wrong.fix).length).toBeGreaterThan(10);
  });
});

it('recommended comes first: USDC, and Solana', async () => {
  const coin = await ask(wizardHost, before('coin', GIFT));
  expect(coin.options).toEqual(['USDC', 'BTC']);
  expect(String(coin.question)).toContain('USDC on Solana is recommended');
  const network = await ask(wizardHost, before('network', GIFT));
  expect(network.options).toEqual(['Solana', 'Polygon (Matic)']);
});

it('the questions have the order of the interface', () => {
  expect(STEPS.map(({ key }) => key)).toEqual(ANSWER_KEYS);
});

it('the amount says its bounds and its step', async () => {
  const question = await ask(wizardHost, before('amount', { ...GIFT, brand: 'Uber Rides' }));
  expect(String(question.expectedFormat)).toBe('one of 10 USD, or 1 to 11 USD in steps of 5');
  expect(question.options).toEqual(['10 USD', '1 USD', '11 USD']);
});

it.each(['yes', ' YES '])('the recap takes "%s"', async (answer) => {
  expect(await advance(wizardHost, GIFT, { answer })).toEqual({ kind: 'complete', answers: GIFT });
});

it.each(['no', 'y', 'yes please', ''])('the recap does not take "%s"', async (answer) => {
  expect(await advance(wizardHost, GIFT, { answer })).toMatchObject({
    kind: 'error',
    step: 'confirmation',
    suggestions: ['yes'],
  });
});

it('the recap says everything and the price', async () => {
  const { question } = await ask(wizardHost, GIFT);
  const { product_type: _type, ...said } = GIFT;
  for (const value of [...Object.values(said), '25.25 USDC'])
    expect(String(question)).toContain(value);
});

it('back drops the last answer, and at the first question stays', async () => {
  const back = { action: 'back' } as const;
  const once = await advance(wizardHost, before('amount', GIFT), back);
  expect(once).toMatchObject({ kind: 'continue', step: 'brand', answers: before('brand', GIFT) });
  const first = await advance(wizardHost, {}, back);
  expect(first).toMatchObject({ kind: 'continue', step: 'product_type', answers: {} });
});

describe('the order', () => {
  it('of a fixed product names its denomination', async () => {
    const { deliveries, payment, user } = await orderRequest(wizardHost, GIFT);
    expect(deliveries).toEqual([
      {
        denomination: '25 USD',
        product_value: null,
        brand_name: 'Amazon.com',
        country_code: 'US',
        beneficiary_account: 'friend@example.com',
      },
    ]);
    expect(payment).toEqual({
      type: 'via',
      payment_via: 'user_wallet',
      coin: 'USDC',
      network: 'Solana',
    });
    expect(user).toEqual({ email: 'buyer@example.com' });
  });

  it('of a range product names the value', async () => {
    const answers = { ...GIFT, brand: 'Uber Eats', amount: '7.50 USD' };
    const { deliveries } = await orderRequest(wizardHost, answers);
    expect(deliveries[0]).toMatchObject({ denomination: 'range', product_value: '7.50' });
  });

  it('is none when the amount has left the catalog', async () => {
    const gone = orderRequest(wizardHost, { ...GIFT, amount: '30 USD' });
    await expect(gone).rejects.toMatchObject({ code: 'PRODUCT_UNKNOWN' });
  });
});

const TEXTS = [
  ...Object.values(GIFT),
  ...Object.values(TOPUP),
  ...['us', 'Brazil', 'amazon', 'Uber', 'Uber Eats', 'eSIM', '25', '7.5', '$50', '20'],
  ...['BTC', 'DASH', 'Lightning', 'Mainnet', 'optimism', 'yes', 'no', ''],
];

describe('a walk of answers and back', () => {
  const move = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('option', 'suggestion') },
    { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
    { weight: 2, arbitrary: fc.constant('back') },
  );

  /** What a buyer who follows the wizard's own words would answer, chosen by `pick`. */
  async function answerFor(said: string, last: Reply, answers: Answers, pick: number) {
    const offered =
      said === 'suggestion' && last.kind === 'error'
        ? last.suggestions
        : (await ask(wizardHost, answers)).options;
    if (said !== 'option' && said !== 'suggestion') return { text: said, isOffered: false };
    const text = offered[pick % Math.max(1, offered.length)];
    return { text: text ?? 'friend@example.com', isOffered: text !== undefined };
  }

  it('keeps a prefix of answers, each valid after those before it, and takes what it offers', async () => {
    const moves = fc.array(fc.tuple(move, fc.nat(9)), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(moves, async (walk) => {
        let last: Reply = await ask(wizardHost, {});
        for (const [said, pick] of walk) {
          const { answers } = last;
          if (said === 'back') {
            last = await advance(wizardHost, answers, { action: 'back' });
            expect(Object.keys(last.answers)).toHaveLength(
              Math.max(0, Object.keys(answers).length - 1),
            );
          } else {
            const { text, isOffered } = await answerFor(said, last, answers, pick);
            last = await advance(wizardHost, answers, { answer: text });
            // A country is offered for all it sells, before its brands of one type are looked at.
            if (isOffered && text !== 'United Kingdom')
              expect([text, last.kind]).not.toEqual([text, 'error']);
            if (last.kind !== 'continue') expect(last.answers).toEqual(answers);
          }
          await expectConsistent(last.answers);
        }
      }),
      { numRuns: fuzzRuns(150) },
    );
  }, 600_000);

  async function expectConsistent(answers: Answers): Promise<void> {
    expect(Object.keys(answers)).toEqual(ANSWER_KEYS.slice(0, Object.keys(answers).length));
    for (const step of STEPS.slice(0, Object.keys(answers).length)) {
      const value = answers[step.key as AnswerKey] ?? '';
      const again = await step.accept(wizardHost, before(step.key as AnswerKey, answers), value);
      expect(again).toEqual({ value });
    }
  }
});
