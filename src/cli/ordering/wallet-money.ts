/** Offers to create or fund a wallet during a purchase on a terminal, so that it can continue. */

import { pause } from '../../api/http/pause.ts';
import { walletIfThere } from '../../api/scrip.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { isOnThisMachine } from '../../domain/address/loopback.ts';
import { expected } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { joined, type Message, t } from '../../domain/message/message.ts';
import { COINS } from '../../domain/money/coins.ts';
import { atomic, formatDecimal, parseDecimal, parseSol } from '../../domain/money/money.ts';
import { dueText, heldText } from '../../domain/money/shown-amount.ts';
import { addressUri, paymentUri } from '../../domain/payment/payment-uri.ts';
import type { PayerRail } from '../../rails/rail.ts';
import { parseUsdc } from '../amount.ts';
import type { BuyerContext } from '../context.ts';
import { makeKeyFile, PLAY_MONEY } from '../keys/wallet-keys.ts';
import { fits, qrPicture } from '../output/record-text.ts';
import { sentenceText } from '../output/wrap.ts';
import { checkMayBeFunded } from '../settings/settings.ts';
import type { OutputStream } from '../terminal/ports.ts';

/**
 * Runs the work; if a wallet or money is missing, offers to fix that and runs the work again.
 * @param work throws only before anything is signed, and requests a new price each time
 * @param isAsked whether the user can be asked and has not confirmed yet
 */
export async function withWallet<Result>(
  context: BuyerContext,
  isAsked: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isAsked || !(await isMended(context, error))) throw error;
    }
  }
}

/**
 * Whether the problem was fixed.
 * @throws {ScripError} DECLINED, INTERRUPTED, and errors of creating or funding a wallet
 */
async function isMended(context: BuyerContext, error: unknown): Promise<boolean> {
  if (!(error instanceof ScripError) || error.fundsAtRisk !== 'none') return false;
  if (error.code === 'WALLET_MISSING') return isPlayWalletMade(context);
  return error.code === 'FUNDS_TOO_LOW' && isMoneyAdded(context, error);
}

const NO_WALLET_HINT = t`Run: scrip wallet new && scrip wallet fund`;
const OTHER_COIN_HINT = t`To pay in a coin that needs no wallet: scrip wizard --coin BTC`;

/**
 * Offers a wallet with test money, since no external wallet can pay on the embedded chain.
 * @returns whether it was created; false if real money is in use
 * @throws {ScripError} DECLINED
 */
async function isPlayWalletMade(context: BuyerContext, otherwise?: Message): Promise<boolean> {
  const { settings, io, parts, keys } = context;
  if (!settings.isEmbedded) return false;
  checkMayBeFunded(settings);
  const { usdc, sol } = PLAY_MONEY;
  io.progress.done();
  // A wallet may have been made before it could have a key for this network.
  const isThere = (await keys.wallets.addressAt(settings.keypairPath)) !== undefined;
  const network = isThere ? 'base' : undefined;
  const question =
    network === undefined
      ? t`No wallet here yet. Create one with ${usdc} USDC of test money?`
      : t`The wallet has no key for Base yet. Create one with ${usdc} USDC of test money?`;
  const isWanted = await io.prompter.confirm(question, { isYesUsual: true });
  if (!isWanted) {
    throw new ScripError('DECLINED', t`You declined; nothing was created`, {
      hint: joined(otherwise === undefined ? [NO_WALLET_HINT] : [NO_WALLET_HINT, otherwise], '\n'),
    });
  }
  const { address } = await makeKeyFile(context, { network });
  // Also mark a wallet from --keypair: the user has just agreed.
  if (network === undefined) await parts.playMarks.add(address);
  const rail = await paysOn(context);
  await keys.fund((await parts.payer(rail.network)).address, {
    usdcAtomic: parseUsdc(usdc),
    lamports: parseSol(sol),
  });
  return true;
}

/**
 * Creates the wallet before the first question, for purchases that need one.
 * @throws {ScripError} WALLET_MISSING in non-interactive use, DECLINED
 */
export async function readyWallet(context: BuyerContext): Promise<void> {
  const { settings, parts } = context;
  if (!settings.isEmbedded || (await walletIfThere(parts)) !== undefined) return;
  if (!settings.mayPrompt) {
    throw new ScripError(
      'WALLET_MISSING',
      t`There is no wallet, and only a local wallet can pay in the built-in sandbox`,
      { hint: NO_WALLET_HINT },
    );
  }
  await isPlayWalletMade(context, OTHER_COIN_HINT);
}

type Shortage = NonNullable<ReturnType<typeof shortageIn>>;

/** Undefined if the error does not say how much of which coin is missing. */
function shortageIn({ details }: ScripError) {
  const { address, balance, price, coin = 'USDC' } = details;
  if (typeof address !== 'string' || typeof balance !== 'string' || typeof price !== 'string') {
    return undefined;
  }
  if (coin !== 'USDC' && coin !== 'SOL') return undefined;
  const decimals = coin === 'USDC' ? USDC_DECIMALS : 9;
  const dueAtomic = parseDecimal(price, decimals);
  const missingAtomic = dueAtomic - parseDecimal(balance, decimals);
  return { address, coin, decimals, dueAtomic, missingAtomic };
}

/** Whether the missing money arrived. @throws {ScripError} INTERRUPTED, and errors of funding */
export async function isMoneyAdded(context: BuyerContext, error: ScripError): Promise<boolean> {
  const shortage = shortageIn(error);
  if (shortage === undefined) return false;
  context.io.progress.done();
  return (await isPlay(context, shortage))
    ? isPlayMoneyAdded(context, shortage)
    : isDeposited(context, shortage);
}

async function isPlay({ settings, parts }: BuyerContext, { address }: Shortage): Promise<boolean> {
  if (!isOnThisMachine(settings.rpcUrl) || settings.isLiveKey) return false;
  return settings.isEmbedded || parts.playMarks.has(address);
}

async function isPlayMoneyAdded({ io, keys }: BuyerContext, shortage: Shortage): Promise<boolean> {
  const { address, coin, decimals, missingAtomic } = shortage;
  explain(io, shortage);
  const usual = parseDecimal(coin === 'SOL' ? PLAY_MONEY.sol : PLAY_MONEY.usdc, decimals);
  // In whole units, a little more than is missing: the price may move.
  const unit = 10n ** BigInt(decimals);
  const needed = (((missingAtomic * 102n) / 100n + unit - 1n) / unit) * unit;
  const amount = atomic(needed > usual ? needed : usual);
  const question = t`Add ${formatDecimal(amount, decimals)} ${coin} of test money?`;
  if (!(await io.prompter.confirm(question, { isYesUsual: true }))) return false;
  const isSol = coin === 'SOL';
  await keys.fund(address, { usdcAtomic: isSol ? 0n : amount, lamports: isSol ? amount : 0n });
  return true;
}

function explain({ stderr, localize }: BuyerContext['io'], shortage: Shortage): void {
  const { coin, decimals, dueAtomic, missingAtomic } = shortage;
  const held = heldText(formatDecimal(atomic(dueAtomic - missingAtomic), decimals, 2), coin);
  const due = dueText(formatDecimal(atomic(dueAtomic), decimals, 2), coin);
  stderr.write(
    sentenceText(localize(t`The wallet has ${held} ${coin}; this costs ${due}.`), stderr),
  );
}

const LOOK_EVERY_MS = 5_000;

/** Shows where to send the money, and waits for it if the user wants. */
async function isDeposited(context: BuyerContext, shortage: Shortage): Promise<boolean> {
  const { io } = context;
  const { address, coin, decimals, missingAtomic } = shortage;
  const amount = dueText(formatDecimal(atomic(missingAtomic), decimals, 2), coin);
  explain(io, shortage);
  const question = t`Wait for the money here? Ctrl-C is safe: nothing was ordered yet.`;
  const { name, network } = await paysOn(context);
  const below = `${io.localize(t`Send ${amount} ${coin} on ${name} to`)}\n  ${address}\n`;
  const asked = sentenceText(io.localize(question), io.stderr);
  const shown = { amount, network, below: `${below}${asked}` };
  io.stderr.write(await depositPicture(io.stderr, shortage, shown));
  io.stderr.write(below);
  if (!(await io.prompter.confirm(question, { isYesUsual: true }))) return false;
  return waitFor(context, shortage, amount);
}

/** QR code with address, network, coin and amount; if that does not fit, without the amount, or nothing. */
async function depositPicture(
  stderr: OutputStream,
  { address, coin: ticker, decimals }: Shortage,
  deposit: { readonly amount: string; readonly network: string; readonly below: string },
): Promise<string> {
  const { below } = deposit;
  const coin = COINS.find(({ name }) => name === ticker);
  const network = coin?.networks.find(({ caip2 }) => caip2 === deposit.network);
  if (coin === undefined || network === undefined) return '';
  const amount = parseDecimal(deposit.amount, decimals);
  const whole = await qrPicture(paymentUri({ coin, network, address, amount }));
  const choices = [whole, await qrPicture(addressUri(network, address))];
  return choices.find((drawing) => fits(drawing + below, stderr)) ?? '';
}

/** The rail that the wallet is to be funded on. */
async function paysOn({ settings, parts }: BuyerContext): Promise<PayerRail> {
  return parts.rail(settings.payNetwork);
}

async function waitFor(
  context: BuyerContext,
  { address, coin, dueAtomic }: Shortage,
  amount: string,
): Promise<true> {
  const { io, parts } = context;
  const rail = await paysOn(context);
  const held = async (): Promise<bigint> => {
    const { coinAtomic, usdcAtomic } = await rail.balances(address);
    return coin === rail.coin ? coinAtomic : (usdcAtomic ?? 0n);
  };
  io.progress.step(t`Waiting for ${amount} ${coin}`);
  // If the chain cannot be reached, the next round asks again.
  const later = expected(() => 0n, 'CHAIN_UNREACHABLE');
  while ((await held().catch(later)) < dueAtomic) {
    await pause(parts.clock, LOOK_EVERY_MS, parts.signal);
  }
  io.progress.done();
  return true;
}
