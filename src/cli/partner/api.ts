/** What the commands share that speak to the partner API. */

import type { Command } from 'commander';
import { Option } from 'commander';
import type { PartnerHost } from '../../api/partner/partner.ts';
import type { WirePayment } from '../../contract/partner-orders.ts';
import {
  choosePaymentMeans,
  isOwnNetwork,
  isSameName,
  OWN_NETWORK,
} from '../../domain/payment-means.ts';
import type { Context } from '../context.ts';
import { spokenLanguage } from '../i18n/language.ts';

/** Flags by which a command leaves the checkout host for the partner API. */
export interface SurfaceFlags {
  readonly via?: 'checkout' | 'partner';
  readonly coin?: string;
  readonly network?: string;
}

export const USUAL_COIN = 'USDC';
/** Ours, where the merchant lists no via: the interface speaks of a user-wallet kind. */
const USUAL_VIA = 'user_wallet';
const BINANCE_PAY = 'binance_pay';

/** Coin or network other than the checkout host's own select the partner API by themselves. */
export function isPartner({ via, coin, network }: SurfaceFlags): boolean {
  if (via !== undefined) return via === 'partner';
  return !isSameName(coin ?? USUAL_COIN, USUAL_COIN) || !isOwnNetwork(network ?? OWN_NETWORK);
}

export function addSurfaceOption(command: Command): Command {
  return command.addOption(
    new Option('--via <surface>', 'which side of the merchant to ask (default: checkout)').choices([
      'checkout',
      'partner',
    ]),
  );
}

export function addCoinOption(command: Command): Command {
  return command.option('--coin <ticker>', 'coin to pay in (default: USDC); see scrip vias');
}

export function addMeansOptions(command: Command): Command {
  return addCoinOption(command)
    .option('--network <name>', 'network to pay on (default: Solana where the coin has it)')
    .option('--payment-via <name>', 'way to pay (default: from a wallet of yours)')
    .option('--coupon <code>', 'coupon of the merchant');
}

/** @param countryCode where the goods are for; the country of the settings without it */
export function partnerHost(context: Context, countryCode?: string): PartnerHost {
  const {
    parts: { fetch, clock, signal },
    settings,
    version,
  } = context;
  return {
    fetch,
    apiUrl: settings.apiUrl,
    applicationId: settings.partnerId,
    version,
    countryCode: countryCode ?? settings.countryCode,
    lang: spokenLanguage(settings),
    clock,
    signal,
  };
}

export interface MeansFlags {
  readonly coin?: string;
  readonly network?: string;
  readonly paymentVia?: string;
}

/** How an order is paid, in the wire's spelling. */
export interface ChosenMeans {
  readonly payment: WirePayment;
  readonly coin: string;
  readonly network: string;
}

/**
 * Finds coin and network as they are typed among those that the merchant names, in any case; what
 * it does not name goes on as it is typed, for the merchant to judge.
 * @throws {ScripError} the codes of a call
 */
export async function chooseMeans(host: PartnerHost, flags: MeansFlags): Promise<ChosenMeans> {
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { getPaymentVias } = await import('../../contract/partner-market.ts');
  const vias = await callPartner(host, getPaymentVias, {});
  const wanted = {
    via: flags.paymentVia,
    coin: flags.coin ?? USUAL_COIN,
    network: flags.network,
  };
  const { via = USUAL_VIA, coin, network } = choosePaymentMeans(vias, wanted);
  if (isSameName(via, BINANCE_PAY)) {
    return { payment: { type: BINANCE_PAY, coin }, coin, network: BINANCE_PAY };
  }
  const named = network ?? OWN_NETWORK;
  return {
    payment: { type: 'via', payment_via: via, coin, network: named },
    coin,
    network: named,
  };
}
