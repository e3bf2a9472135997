/** The recap: everything in it, whole and harmless, on any terminal. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inEnglish } from '../../../src/cli/i18n/localize.ts';
import { drawSummary } from '../../../src/cli/ordering/summary.ts';
import { localLines } from '../../../src/cli/output/local-view.ts';
import { type OrderPreview, recapOf } from '../../../src/cli/wizard/order-preview.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { capture } from '../../support/small-context.ts';

const PREVIEW: OrderPreview = {
  price: '25.25 USDC',
  input: {
    ...{ merchant: 'checkout', orderInput: { items: [] }, key: undefined },
    ...{ isPaid: true, isAgreed: true, isDryRun: false, isRevealed: false, isWaiting: true },
    ...{ allowsDuplicate: false, allowsOtherCountry: false, opensAccount: false },
    timeouts: { waitMs: 0, settleMs: undefined },
  },
  summary: {
    title: t`Amazon.com gift card · 25 USD · United States`,
    lines: [
      [t`For`, 'friend@example.com'],
      [t`E-mail`, 'you@example.com'],
      [t`Pay`, t`25.25 USDC of test money, at most 25.38`],
      [t`Wallet`, '100.00 → 74.75 USDC'],
    ],
  },
  more: [],
  problem: undefined,
};

const SCREEN = { stderr: capture({ isTerminal: true, columns: 50 }), localize: inEnglish };

describe('the recap', () => {
  it('shows every answer, the price and how it is paid, as the question of an order does', async () => {
    expect(await drawSummary(recapOf(PREVIEW), SCREEN)).toBe(
      [
        '',
        '  Amazon.com gift card · 25 USD · United States',
        '  For     friend@example.com',
        '  E-mail  you@example.com',
        '  Pay     25.25 USDC of test money, at most 25.38',
        '  Wallet  100.00 → 74.75 USDC',
        '',
        '',
      ].join('\n'),
    );
  });

  it('says why an order cannot be bought, and what to do', () => {
    const problem = new ScripError('AMOUNT_OVER_CAP', t`the price is 30 USDC`);
    const preview: OrderPreview = { ...PREVIEW, price: undefined, problem };
    const { lines } = recapOf(preview);
    expect(Object.fromEntries(localLines(lines, inEnglish))).toMatchObject({
      Problem: 'the price is 30 USDC',
      'What to do': 'Raise --max-amount to accept this price.',
    });
  });

  it('is harmless whatever a merchant calls his goods', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.constantFrom('\u001b[2J', '漢字'.repeat(40), 'x'.repeat(300), 'a\nb\r│', '\u202etxt'),
    );
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const shown = await drawSummary({ title: t`${text}`, lines: [[t`For`, text]] }, SCREEN);
        expect(shown.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u);
      }),
      { numRuns: 100 },
    );
  });
});
