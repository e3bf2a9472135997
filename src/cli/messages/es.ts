/** Spanish, by what the messages are about. */
import { AGENTS } from './es/agents.ts';
import { BATCHES } from './es/batches.ts';
import { BROWSING } from './es/browsing.ts';
import { CHAIN } from './es/chain.ts';
import { CODES } from './es/codes.ts';
import { COMPOSED } from './es/composed.ts';
import { LEDGER } from './es/ledger.ts';
import { MORE } from './es/more.ts';
import { ORDERING } from './es/ordering.ts';
import { PARTNER } from './es/partner.ts';
import { PAYMENTS } from './es/payments.ts';
import { RULES } from './es/rules.ts';
import { SANDBOX } from './es/sandbox.ts';
import { SETTINGS } from './es/settings.ts';
import { SPENDING } from './es/spending.ts';
import { TOPICS } from './es/topics.ts';
import { WALLETS } from './es/wallets.ts';
import { WIZARD } from './es/wizard.ts';
import type { Catalogue } from './translate.ts';

export const ES: Catalogue = {
  ...AGENTS,
  ...BATCHES,
  ...BROWSING,
  ...CHAIN,
  ...CODES,
  ...COMPOSED,
  ...LEDGER,
  ...MORE,
  ...ORDERING,
  ...PARTNER,
  ...PAYMENTS,
  ...RULES,
  ...SANDBOX,
  ...SETTINGS,
  ...SPENDING,
  ...TOPICS,
  ...WALLETS,
  ...WIZARD,
};
