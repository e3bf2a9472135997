/** `scrip wallet mark-play`: the owner declares that a wallet holds only test money. */

import type { Command } from 'commander';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Bind } from '../command.ts';
import type { With } from '../context.ts';
import { addExamples } from '../examples.ts';
import type { RecordView } from '../output/view.ts';
import type { MarkRecord } from '../schemas/machine.ts';
import { moneyText } from '../settings/money.ts';
import { checkWalletFits } from '../settings/settings.ts';
import { keyFile } from './wallet-view.ts';

interface MarkOptions {
  readonly off?: boolean;
}

export function declareMark(command: Command, bind: Bind): void {
  const marked = command
    .command('mark-play')
    .description('declare that the wallet holds only test money; confirmed in a terminal')
    .option('--off', 'remove the mark: the rules for real money apply again')
    .action(({ off }: MarkOptions) =>
      bind((context) => (off === true ? unmark(context) : mark(context))),
    );
  addExamples(marked, ['wallet mark-play --keypair ~/keys/test.json', 'wallet mark-play --off']);
}

/**
 * Needs a terminal, so that no script can switch to the rules for test money.
 * @throws {ScripError} TERMINAL_REQUIRED, DECLINED
 */
async function mark(context: With<'settings' | 'io' | 'parts' | 'keys'>): Promise<RecordView> {
  const {
    settings,
    keys: { wallets },
    parts: { playMarks },
    io: { prompter },
  } = context;
  checkWalletFits(settings, true);
  const { address } = await wallets.open(keyFile(context));
  if (await playMarks.has(address)) return markView(address, true);
  if (!settings.mayPrompt) {
    throw new ScripError('TERMINAL_REQUIRED', t`Wallet mark-play needs a terminal`, {
      hint: t`In a script, use a wallet that was made for the sandbox: scrip wallet new`,
    });
  }
  const isSure = await prompter.confirm(
    t`Mark ${address} as test money? It then pays any sandbox on this machine without asking, and no other host.`,
  );
  if (!isSure) throw new ScripError('DECLINED', t`You declined; the wallet was not changed`);
  await playMarks.add(address);
  return markView(address, true);
}

async function unmark(context: With<'settings' | 'parts' | 'keys'>): Promise<RecordView> {
  const { address } = await context.keys.wallets.open(keyFile(context));
  await context.parts.playMarks.remove(address);
  return markView(address, false);
}

function markView(address: string, isPlay: boolean): RecordView {
  return {
    kind: 'record',
    record: { address, money: isPlay ? 'play' : 'real' } satisfies MarkRecord,
    lines: [
      [t`Address`, address],
      [t`Money`, moneyText(isPlay ? 'play' : 'real')],
    ],
  };
}
