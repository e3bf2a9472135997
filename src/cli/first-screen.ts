/** What bare `scrip` shows: how to begin, the main commands, and what to do next. */

import { escapeText, type Message, t } from '../domain/message/message.ts';
import type { Localize } from './i18n/localize.ts';
import { itemLines, textWidth, wrapWords } from './output/wrap.ts';

/** The state of this machine, found from files. */
export type FirstState =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'no-wallet'; readonly isPlayMoney: boolean }
  | { readonly kind: 'unfinished'; readonly orders: readonly string[] }
  | { readonly kind: 'draft' };

interface Look {
  readonly columns: number;
  readonly localize: Localize;
}

/** `scrip help all` lists the other commands. */
export const FIRST_COMMANDS: readonly (readonly [group: Message, verbs: readonly string[]])[] = [
  [t`Find`, ['brands', 'catalog', 'price', 'show', 'search']],
  [t`Buy`, ['order', 'wizard', 'validate', 'track', 'orders']],
  [t`Wallet`, ['wallet', 'policy']],
  [t`More`, ['config', 'doctor', 'sandbox', 'mcp']],
];

const BEGINNINGS: readonly (readonly [command: string, what: Message])[] = [
  ['scrip wizard', t`step by step`],
  ['scrip order amazon 25', t`right away`],
];

const ENDS: readonly (readonly [command: string, what: Message])[] = [
  ['scrip <command> --help', t`help for a command`],
  ['scrip help all', t`all commands and topics`],
];

/** Returns the screen, ending with a line break. It fits 80 columns by 24 lines, and 50 by 18. */
export function firstScreen(state: FirstState, { columns, localize }: Look): string {
  const names = FIRST_COMMANDS.map(([group]) => localize(group));
  const margin = Math.max(...names.map(textWidth)) + 2;
  return [
    ...wrapWords(localize(t`scrip buys gift cards, mobile top-ups and eSIMs with USDC.`), columns),
    '',
    ...pairLines(BEGINNINGS, localize),
    '',
    ...FIRST_COMMANDS.flatMap(([, verbs], at) =>
      itemLines(names[at] ?? '', verbs.join('  '), { margin, columns }),
    ),
    '',
    ...pairLines(ENDS, localize),
    ...nextLines(state, { columns, localize }),
    '',
  ].join('\n');
}

function pairLines(pairs: typeof BEGINNINGS, localize: Localize): readonly string[] {
  const width = Math.max(...pairs.map(([command]) => command.length)) + 3;
  return pairs.map(([command, what]) => `  ${command.padEnd(width)}${localize(what)}`);
}

/** The command stays on one line, so that it can be copied. */
function nextLines(state: FirstState, { columns, localize }: Look): readonly string[] {
  const next = nextOf(state);
  if (next === undefined) return [];
  const [what, command] = [escapeText(localize(next[0])), next[1]];
  if (command === undefined) return ['', ...wrapWords(what, columns)];
  const line = `${what} ${command}`;
  return [
    '',
    ...(textWidth(line) <= columns ? [line] : [...wrapWords(what, columns), `  ${command}`]),
  ];
}

function nextOf(state: FirstState): readonly [what: Message, command?: string] | undefined {
  switch (state.kind) {
    case 'nothing':
      return undefined;
    case 'no-wallet':
      // With test money no command is needed: the lines above are the shortest way.
      return state.isPlayMoney
        ? [t`No wallet yet: the first purchase makes one, with test money.`]
        : [t`No wallet yet. Create one:`, 'scrip wallet new'];
    case 'draft':
      return [t`You left the wizard. Continue with:`, 'scrip wizard --resume'];
    case 'unfinished':
      return [unfinishedText(state.orders), 'scrip orders resume'];
  }
}

function unfinishedText([first = '', ...more]: readonly string[]): Message {
  return more.length === 0
    ? t`Not finished: ${first}. Continue with:`
    : t`${more.length + 1} orders are not finished. Continue with:`;
}
