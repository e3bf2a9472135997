/** What the wizard is asked about in tests: two countries, a few brands, coins of which some rest. */

import { parseDecimal } from '../../src/domain/money/money.ts';
import { checkBeneficiary } from '../../src/domain/product/beneficiary.ts';
import type { OrderingHost } from '../../src/domain/wizard/wizard.ts';
import type { WizardProduct } from '../../src/domain/wizard/wizard-step.ts';

const face = (text: string) => parseDecimal(text, 6);

export const fixed = (value: string, label: string, currency = 'USD'): WizardProduct => ({
  label,
  currency,
  denomination: { isRange: false, faceValue: face(value) },
});

export const range = (
  [min, max, step]: readonly [min: string, max: string, step: string],
  currency = 'USD',
): WizardProduct => ({
  label: `${min}-${max} ${currency}`,
  currency,
  denomination: { isRange: true, min: face(min), max: face(max), step: face(step) },
});

const GIFTS: Readonly<Record<string, readonly WizardProduct[]>> = {
  'Amazon.com': [fixed('25', '25 USD'), fixed('50', '50 USD')],
  'Uber Eats': [range(['5', '500', '2.5'])],
  'Uber Rides': [fixed('10', '10 USD'), range(['1', '12', '5'])],
  eSIM: [fixed('7', '1 GB 7 days'), fixed('7', 'Talk 30 days'), fixed('15.75', '3 GB 30 days')],
  'Sold Out': [fixed('25', '25 USD')],
};

const usable = (name: string) => ({ name, isSuspended: false });

export const wizardHost: OrderingHost = {
  paymentVia: 'user_wallet',
  countries: async () => [
    { code: 'us', name: 'United States' },
    { code: 'br', name: 'Brazil' },
    { code: 'gb', name: 'United Kingdom' },
    { code: 'ua', name: 'Ukraine' },
  ],
  brands: async (country, type) => {
    if (country.toLowerCase() === 'gb') return [];
    if (type === 'mobile_topup') return [{ name: 'Claro Credits', isOutOfStock: false }];
    return Object.keys(GIFTS).map((name) => ({ name, isOutOfStock: name === 'Sold Out' }));
  },
  products: async (_country, brand, type) =>
    type === 'mobile_topup' ? [fixed('20', '20 BRL', 'BRL')] : (GIFTS[brand] ?? []),
  coins: async () => [
    {
      ...usable('BTC'),
      networks: [usable('Mainnet'), usable('Lightning')],
    },
    {
      ...usable('USDC'),
      networks: [
        usable('Polygon (Matic)'),
        { name: 'Optimism', isSuspended: true },
        usable('Solana'),
      ],
    },
    { name: 'DASH', isSuspended: true, networks: [usable('Mainnet')] },
    { ...usable('OP'), networks: [{ name: 'Optimism', isSuspended: true }] },
  ],
  price: async ({ coin }) => `25.25 ${coin}`,
  checkBeneficiary: (type, account) => checkBeneficiary(type, account),
};
