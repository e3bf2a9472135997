/** What the commands share that speak to the partner API. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { PartnerHost } from '../../client/partner.ts';
import type { WireCurrencyWithNetwork, WirePaymentVia } from '../../contract/partner-market.ts';
import type { WirePayment } from '../../contract/partner-orders.ts';
import type { Context } from '../context.ts';
import { spokenLanguage } from '../messages/language.ts';

/** Flags by which a command leaves the checkout host for the partner API. */
export interface SurfaceFlags {
  readonly via?: 'checkout' | 'partner';
  readonly coin?: string;
  readonly network?: string;
}

export const USUAL_COIN = 'USDC';
export const USUAL_NETWORK = 'Solana';
/** The via of a payment from a wallet of the buyer's own. */
export const USUAL_VIA = 'user_wallet';
const BINANCE_PAY = 'binance_pay';

/** Coin or network other than the checkout host's own select the partner API by themselves. */
export function isPartner({ via, coin, network }: SurfaceFlags): boolean {
  if (via !== undefined) return via === 'partner';
  return (
    !isSame(coin ?? USUAL_COIN, USUAL_COIN) || !isSame(network ?? USUAL_NETWORK, USUAL_NETWORK)
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
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
  return command.option(
    '--coin <ticker>',
    `coin to pay in (default: ${USUAL_COIN}); see scrip vias`,
  );
}

export function addMeansOptions(command: Command): Command {
  return addCoinOption(command)
    .option('--network <name>', 'network to pay on (default: the first of the coin)')
    .option('--payment-via <name>', `way to pay (default: ${USUAL_VIA})`)
    .option('--coupon <code>', 'coupon of the merchant');
}

/** @param countryCode where the goods are for; the country of the settings without it */
export function partnerHost(context: Context, countryCode?: string): PartnerHost {
  const { fetch, settings, version, clock, interrupted } = context;
  return {
    fetch,
    apiUrl: settings.apiUrl,
    applicationId: settings.partnerId,
    version,
    countryCode: countryCode ?? settings.countryCode,
    lang: spokenLanguage(settings),
    clock,
    signal: interrupted,
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
  const { callPartner } = await import('../../client/partner.ts');
  const { getPaymentVias } = await import('../../contract/partner-market.ts');
  const vias = await callPartner(host, getPaymentVias, {});
  const via = flags.paymentVia ?? USUAL_VIA;
  const typed = flags.coin ?? USUAL_COIN;
  const coin = findCoin(vias, via, typed);
  const name = coin?.name ?? typed;
  if (via === BINANCE_PAY) {
    return { payment: { type: BINANCE_PAY, coin: name }, coin: name, network: BINANCE_PAY };
  }
  const network = findNetwork(coin, flags.network) ?? flags.network ?? USUAL_NETWORK;
  return {
    payment: { type: 'via', payment_via: via, coin: name, network },
    coin: name,
    network,
  };
}

function findCoin(
  vias: readonly WirePaymentVia[],
  via: string,
  typed: string,
): WireCurrencyWithNetwork | undefined {
  const mine = vias.filter(({ name }) => name === via);
  return [...mine, ...vias]
    .flatMap(({ currencies }) => currencies)
    .find(({ name }) => isSame(name, typed));
}

/** By name, or by the beginning of it where that is enough: `polygon`. */
function findNetwork(
  coin: WireCurrencyWithNetwork | undefined,
  typed: string | undefined,
): string | undefined {
  const names = coin?.networks.map(({ name }) => name) ?? [];
  if (typed === undefined) return names[0];
  const exact = names.find((name) => isSame(name, typed));
  const begun = names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  return exact ?? (begun.length === 1 ? begun[0] : undefined);
}
