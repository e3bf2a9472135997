/** A guided purchase from the embedded service, where there is no wallet yet. */

import { walletIfThere } from '../../api/wallet-if-there.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { parseSol, parseUsdc } from '../amount.ts';
import type { With } from '../context.ts';
import { PLAY_MONEY } from '../keys/play-money.ts';
import { makeKeyFile } from '../keys/wallet-keys.ts';
import { checkMayBeFunded } from '../settings/settings.ts';

const HINT = t`Run: scrip wallet new && scrip wallet fund`;

/**
 * No wallet from outside can pay on the embedded chain: one with play money is offered instead.
 * @param say prints a line that needs no answer
 * @throws {ScripError} WALLET_MISSING where nobody can be asked, DECLINED
 */
export async function offerPlayWallet(
  context: With<'settings' | 'io' | 'parts' | 'keys'>,
  say: (text: Message) => void,
): Promise<void> {
  const {
    settings,
    io: { prompter },
  } = context;
  if (!settings.isEmbedded || (await walletIfThere(context.parts)) !== undefined) return;
  if (!settings.mayPrompt) {
    throw new ScripError(
      'WALLET_MISSING',
      t`There is no wallet, and no wallet from outside can pay in the embedded sandbox`,
      { hint: HINT },
    );
  }
  checkMayBeFunded(settings);
  if (!(await prompter.confirm(t`There is no wallet yet. Make one with play money?`))) {
    throw new ScripError('DECLINED', t`you declined; nothing was made`, { hint: HINT });
  }
  const { address } = await makeKeyFile(context);
  // Of a wallet that is named too: whoever was asked has just said so.
  await context.parts.playMarks.add(address);
  const { usdc, sol } = PLAY_MONEY;
  await context.keys.fund(address, { usdcAtomic: parseUsdc(usdc), lamports: parseSol(sol) });
  say(t`The wallet ${address} has ${usdc} USDC of play money.`);
}
