/** Everything that was answered, and what it comes to, in a frame. */
import { type Answers, answerOf, productTypeOf } from '../../domain/wizard-step.ts';
import { hostName } from '../buying/purchasing.ts';
import type { Context } from '../context.ts';
import { escapeText } from '../output/escape.ts';
import { toldLines } from '../output/told.ts';
import { textWidth, wrapText } from '../output/width.ts';
import type { Settings } from '../settings/shape.ts';
import type { Deal, Way } from './deal.ts';

type Line = readonly [label: string, value: string];

const MAX_WIDTH = 76;
const LEAST_VALUE = 10;

const WAYS: Readonly<Record<Way, string>> = {
  x402: 'over x402 by the checkout host, from your wallet',
  wallet: 'by the partner API, from your wallet',
  elsewhere: 'by you, from another wallet: address and QR code follow',
};

export function recapLines(
  { settings, tell }: Pick<Context, 'settings' | 'tell'>,
  answers: Answers,
  deal: Deal,
): readonly Line[] {
  return toldLines(plainLines(settings, answers, deal), tell);
}

function plainLines(
  settings: Settings,
  answers: Answers,
  { way, country, recipient, price, cap, payer, standing, problem }: Deal,
): readonly Line[] {
  const of = (key: Parameters<typeof answerOf>[1]): string => answerOf(answers, key);
  const optional = (label: string, value: string | undefined): readonly Line[] =>
    value === undefined ? [] : [[label, value]];
  const merchant = settings.isEmbedded ? 'the embedded sandbox' : hostName(settings);
  return [
    [
      productTypeOf(answers) === 'mobile_topup' ? 'Top-up' : 'Gift',
      `${of('brand')}, ${of('amount')}`,
    ],
    ['Country', country],
    ['For', recipient.text],
    ['Your e-mail', of('user_email')],
    ['Merchant', merchant],
    ['Price', `${price ?? 'not known'}${price === undefined ? '' : ` on ${of('network')}`}`],
    ...optional('At most', cap),
    ['Paid', WAYS[way]],
    ...optional('Wallet', payer),
    ...standing,
    ...optional('Problem', problem?.message),
    ...optional('What to do', problem?.hint),
  ];
}

/** Fits 80 columns, and narrower terminals as well. */
export function drawCard(title: string, lines: readonly Line[], columns: number): string {
  const width = Math.max(LEAST_VALUE * 3, Math.min(MAX_WIDTH, columns - 4));
  const labels = Math.max(...lines.map(([label]) => label.length));
  const room = Math.max(LEAST_VALUE, width - labels - 2);
  const rows = lines.flatMap(([label, value]) =>
    wrapText(escapeText(value), room).map((part, index) =>
      row(`${(index === 0 ? label : '').padEnd(labels)}  ${part}`, width),
    ),
  );
  const top = `╭─ ${title} ${'─'.repeat(Math.max(0, width - title.length - 1))}╮`;
  return `${[top, ...rows, `╰${'─'.repeat(width + 2)}╯`].join('\n')}\n`;
}

function row(text: string, width: number): string {
  return `│ ${text}${' '.repeat(Math.max(0, width - textWidth(text)))} │`;
}
