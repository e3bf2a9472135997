/** Maps words that other tools and stores use to our commands, for hints. */

import { commandText, wordList } from '../../domain/message/command-text.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { withoutPlace } from '../same-place.ts';

/** Commands that accept the words typed after it. */
const WITH_WORDS: Readonly<Record<string, readonly string[]>> = {
  order: ['buy', 'purchase', 'get', 'gift', 'checkout', 'send', 'charge', 'payment', 'transfer'],
  brands: ['stores', 'shops', 'merchants', 'giftcards', 'gift-cards', 'cards'],
  catalog: ['products', 'items'],
  price: ['quote', 'cost', 'prices'],
  search: ['find', 'lookup'],
  show: ['info', 'details', 'describe', 'product', 'terms'],
  track: ['status', 'follow', 'watch'],
  open: ['redeem', 'browse'],
  'orders reveal': ['code', 'codes', 'reveal', 'voucher'],
  'orders show': ['invoice', 'view'],
  'orders resume': ['resume', 'retry', 'continue', 'recover'],
  'orders refund': ['refund', 'refunds', 'return'],
};

/** Commands suggested without the words typed after it: those would mean something else. */
const ALONE: Readonly<Record<string, readonly string[]>> = {
  orders: ['history', 'purchases', 'list', 'ls', 'transactions'],
  wizard: ['start', 'setup', 'interactive', 'demo', 'try'],
  'doctor --repair': ['repair', 'fix'],
  'wallet balance': ['balance', 'balances', 'funds'],
  'wallet fund': ['fund', 'deposit', 'faucet', 'airdrop'],
  'wallet address': ['address', 'whoami', 'receive'],
  'wallet new': ['init'],
  'wallet import': ['import'],
  vias: ['coins', 'networks', 'methods'],
  'policy show': ['limits', 'limit', 'budget', 'spending', 'allowance'],
  'config list': ['settings', 'set', 'configure', 'preferences'],
  'sandbox trigger': ['trigger'],
  sandbox: ['serve', 'server'],
  listen: ['webhook', 'webhooks', 'events'],
  'order --cart <file>': ['cart', 'batch', 'bulk'],
  '--version': ['version'],
};

const ACCOUNT = ['login', 'logout', 'signin', 'sign-in', 'signup', 'register', 'auth', 'account'];
const TOP_UP = ['topup', 'top-up', 'refill', 'recharge', 'airtime'];

const named = (
  table: Readonly<Record<string, readonly string[]>>,
): readonly (readonly [word: string, command: string])[] =>
  Object.entries(table).flatMap(([command, words]) =>
    words.map((word) => [word, command] as const),
  );

const TAKES_WORDS: ReadonlyMap<string, string> = new Map(named(WITH_WORDS));
const STANDS_ALONE: ReadonlyMap<string, string> = new Map(named(ALONE));

/**
 * Returns the hint for a word of another tool; undefined for unknown words.
 * @param words of the whole command line
 */
export function otherName(word: string, words: readonly string[]): Message | undefined {
  if (ACCOUNT.includes(word)) {
    return t`There are no accounts and nothing to log in to: your wallet pays. To see it: scrip wallet`;
  }
  if (TOP_UP.includes(word)) {
    return t`For a phone: scrip wizard --type mobile_topup. Money for the wallet: scrip wallet fund`;
  }
  const alone = STANDS_ALONE.get(word);
  if (alone !== undefined) return meant(alone.split(' '));
  const command = TAKES_WORDS.get(word);
  if (command === undefined) return undefined;
  return typedFor(command, word, words);
}

/** Returns the hint with the command in place of the word, and what was typed after it. */
export function typedFor(command: string, word: string, words: readonly string[]): Message {
  const rest = withoutPlace(words.slice(words.indexOf(word) + 1));
  return meant([...command.split(' '), ...rest]);
}

function meant(command: readonly string[]): Message {
  return commandText`Did you mean scrip ${wordList(command, ' ')}?`;
}
