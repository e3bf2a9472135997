/** The recap: everything in it, whole and harmless, on any terminal. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../../src/cli/output/width.ts';
import { drawCard, recapLines } from '../../../src/cli/wizard/card.ts';
import type { OrderPreview } from '../../../src/cli/wizard/order-preview.ts';
import { ScripError } from '../../../src/domain/errors.ts';
import { t } from '../../../src/domain/message.ts';
import { smallContext } from '../../support/small-context.ts';

const ANSWERS = {
  product_type: 'giftcard',
  country: 'US',
  brand: 'Amazon.com',
  amount: '25 USD',
  beneficiary_account: 'friend@example.com',
  coin: 'USDC',
  network: 'Solana',
  user_email: 'you@example.com',
} as const;

const DEAL: OrderPreview = {
  way: 'x402',
  recipient: {
    account: 'friend@example.com',
    text: 'friend@example.com',
    phoneCountry: null,
    elsewhere: undefined,
  },
  price: '25.25 USDC',
  input: {
    merchant: 'checkout',
    orderInput: { items: [] },
    isPaid: true,
    key: undefined,
    isAgreed: true,
    isDryRun: false,
    isRevealed: false,
    isWaiting: true,
    timeouts: { waitMs: 0, settleMs: undefined },
    allowsDuplicate: false,
    allowsOtherCountry: false,
    opensAccount: false,
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
  problem: undefined,
};

describe('the recap', () => {
  it('is a card of every answer, the price and how it is paid', () => {
    const card = drawCard('Recap', recapLines(smallContext(), ANSWERS, DEAL), 60);
    expect(card).toBe(
      [
        '╭─ Recap ──────────────────────────────────────────────────╮',
        '│ Gift    Amazon.com gift card · 25 USD · United States    │',
        '│ For     friend@example.com                               │',
        '│ E-mail  you@example.com                                  │',
        '│ Pay     25.25 USDC of test money, at most 25.38          │',
        '│ Wallet  100.00 → 74.75 USDC                              │',
        '╰──────────────────────────────────────────────────────────╯',
        '',
      ].join('\n'),
    );
  });

  it('says why an order cannot be bought, and what to do', () => {
    const problem = new ScripError('AMOUNT_OVER_CAP', t`the price is 30 USDC`);
    const preview: OrderPreview = { ...DEAL, way: 'elsewhere', price: undefined, problem };
    const lines = recapLines(smallContext(), ANSWERS, preview);
    expect(Object.fromEntries(lines)).toMatchObject({
      Paid: 'by you, from another wallet: address and QR code follow',
      Problem: 'the price is 30 USDC',
      'What to do': 'Raise --max-amount if the new price is right for you.',
    });
  });

  it('fits the terminal whatever a merchant calls his goods', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.constantFrom('\u001b[2J', '漢字'.repeat(40), 'x'.repeat(300), 'a\nb\r│', '\u202etxt'),
    );
    fc.assert(
      fc.property(hostile, fc.integer({ min: 40, max: 200 }), (text, columns) => {
        const rows = drawCard('Recap', [['Gift', text]], columns)
          .trimEnd()
          .split('\n');
        for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(columns);
        expect(new Set(rows.map(textWidth)).size).toBe(1);
        expect(rows.join('')).not.toMatch(/\p{Cc}|\p{Cf}/u);
      }),
      { numRuns: 100 },
    );
  });
});
