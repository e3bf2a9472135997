/** The wizard of a terminal and that of HTTP: one table of questions, two ways to put them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWizardCatalog, type WizardCatalog } from '../../../src/cli/wizard/wizard-catalog.ts';
import type { Fetch } from '../../../src/contract/fetch.ts';
import { advance, ask, type Question } from '../../../src/domain/wizard/wizard.ts';
import { type PartnerSandbox, partnerSandbox } from '../../support/partner-sandbox.ts';
import { smallContext } from '../../support/small-context.ts';
import { elicitOnce } from '../../support/wizard-caller.ts';

const EMBEDDED = 'http://embedded.scrip.localhost';

const WALKS: readonly (readonly [what: string, answers: readonly string[]])[] = [
  [
    'a gift card',
    ['giftcard', 'us', 'amazon', '30', 'friend@example.com', 'usdc', 'solana', 'you@example.com'],
  ],
  [
    'a gift card of a fixed value, paid in bitcoin',
    ['giftcard', 'us', 'steam', '#first', 'friend@example.com', 'BTC', 'Mainnet', 'a@b.example'],
  ],
  [
    'a top-up, with wrong answers between',
    [
      'wallet',
      'mobile_topup',
      'Atlantis',
      'br',
      'claro credits',
      '#first',
      'a@b.example',
      '+5511912345678',
    ],
  ],
];

let host: PartnerSandbox;
let asked: string[];
let wizardCatalog: WizardCatalog;

beforeAll(async () => {
  host = await partnerSandbox();
  asked = [];
  const fetch: Fetch = (url, init) => {
    asked.push(url);
    return host.current().fetch(url.replace(EMBEDDED, 'http://sandbox.invalid'), init);
  };
  wizardCatalog = createWizardCatalog(smallContext({ parts: { fetch } }), async () => undefined);
});
afterAll(() => host.close());

interface Put {
  readonly question: string;
  readonly format: string;
}

/** What is put to somebody who answers so, over HTTP; `#first` is the first option. */
async function overHttp(answers: readonly string[]): Promise<readonly Put[]> {
  const sandbox = host.current();
  let last = await elicitOnce(sandbox, {});
  const token = last.session_token ?? '';
  const put = [last];
  for (const said of answers) {
    const answer = said === '#first' ? (last.options?.[0] ?? '') : said;
    const next = await elicitOnce(sandbox, { session_token: token, answer });
    put.push(next);
    if (next.status === 'continue') last = next;
  }
  return put.map(({ question = '', expected_format: format = '' }) => ({
    // Here nobody is asked for a price; what it is shows in the purchases of test/e2e.
    question: question.replace(/[\d.]+ (?=[A-Z]+ on )/, ''),
    format,
  }));
}

async function onTerminal(answers: readonly string[]): Promise<readonly Put[]> {
  let last: Question = await ask(wizardCatalog, {});
  const put = [last];
  for (const said of answers) {
    const answer = said === '#first' ? (last.options[0] ?? '') : said;
    const reply = await advance(wizardCatalog, last.answers, { answer });
    if (reply.kind === 'continue') last = reply;
    put.push(last);
  }
  return put.map(({ question, expectedFormat: format }) => ({
    question: String(question),
    format: String(format),
  }));
}

describe('the questions', () => {
  it.each(WALKS)('of %s are the same over HTTP and on a terminal', async (_what, answers) => {
    const put = await onTerminal(answers);
    expect(put).toEqual(await overHttp(answers));
    expect(put).toHaveLength(answers.length + 1);
  });

  it('ask the merchant for each list once', () => {
    const lists = asked.filter((url) => !url.includes('/price'));
    expect(new Set(lists).size).toBe(lists.length);
  });

  it('offer what the shop names first', async () => {
    const [first] = await wizardCatalog.brands('US', 'giftcard');
    const { options } = await ask(wizardCatalog, { product_type: 'giftcard', country: 'US' });
    expect(options[0]).toBe(first?.name);
    expect(options.length).toBeGreaterThan(300);
  });
});

describe('an amount', () => {
  const amazon = { product_type: 'giftcard', country: 'US', brand: 'Amazon.com' };

  it('that is listed has its price at once, another one when it is chosen', async () => {
    expect(await wizardCatalog.listPrice(amazon, '25 USD')).toBe('25.25 USDC');
    expect(await wizardCatalog.listPrice(amazon, '30 USD')).toBeUndefined();
    expect(await wizardCatalog.indicativePrice(amazon, '30 USD')).toBe('30.30 USDC');
    expect(await wizardCatalog.indicativePrice(amazon, '30000 USD')).toBeUndefined();
  });

  it('stands for a product of the catalog, and for its value where that is chosen', async () => {
    const fixed = await wizardCatalog.goods({ ...amazon, amount: '25 USD' });
    const range = await wizardCatalog.goods({ ...amazon, amount: '30 USD' });
    expect([fixed.value, range.value]).toEqual([undefined, '30']);
    expect([fixed.faceValue, range.faceValue]).toEqual([25_000_000n, 30_000_000n]);
    expect(fixed.productId).not.toBe(range.productId);
    const gone = wizardCatalog.goods({ ...amazon, amount: '30000 USD' });
    await expect(gone).rejects.toMatchObject({ code: 'PRODUCT_UNKNOWN' });
  });
});
