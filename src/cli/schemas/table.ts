/** The schema of each command's `--json` output. */
import { z } from 'zod';
import type { MerchantName } from '../../api/merchants.ts';
import { brand, catalogItem, priceQuote } from '../../contract/checkout.ts';
import { type Lazy, lazy } from '../../contract/endpoint.ts';
import { partnerBrand, partnerProduct } from '../../contract/partner-catalog.ts';
import { currency } from '../../contract/partner-market.ts';
import { availableCountry } from '../../contract/site.ts';
import { toolManifest } from '../../contract/tool-manifest.ts';
import { chosenProfile, configPath, profile, removedProfile, setting } from './config.ts';
import { debugBundle, writtenBundle } from './debug.ts';
import { examination } from './doctor.ts';
import { listening, receivedWebhook } from './listen.ts';
import { listedProduct, productDocument, viaRow } from './listing.ts';
import { allowedPayment, changedRule, policyPath, shownPolicy, spent } from './policy.ts';
import {
  agentConfig,
  completionFile,
  errorRow,
  guide,
  schemaDocument,
  schemaRow,
  servedTools,
} from './program.ts';
import {
  cartLine,
  checkedOrder,
  exportedPurchase,
  followedOrder,
  forgottenPurchase,
  inspection,
  namedRefund,
  openedPage,
  paidOrder,
  printedOrder,
  purchase,
  receipt,
  rehearsal,
  resumedPurchase,
  revealedPurchase,
  shownPurchase,
} from './purchase.ts';
import { auditReport, playedEvent, refund, servedSandbox, triggered, webhook } from './sandbox.ts';
import {
  catalogVersion,
  operatedOrder,
  operatorAction,
  partner,
  partnerWithSecret,
  rotatedPartner,
  served,
  shopOrder,
  stock,
  wokenOrder,
} from './serve.ts';
import { calledOrder, trackedOrder } from './track.ts';
import { balance, exportedKey, keyFile, mark, walletAddress } from './wallet.ts';

/**
 * The schema of a command's output, and those of merchants (`--via` or a coin chooses) whose output differs.
 */
export interface Printed extends Readonly<Partial<Record<MerchantName, Lazy<z.ZodType>>>> {
  readonly output: Lazy<z.ZodType>;
}

const listOf = (record: Lazy<z.ZodType>): Lazy<z.ZodType> => lazy(() => z.array(record()));
const oneOf = (...records: readonly Lazy<z.ZodType>[]): Lazy<z.ZodType> =>
  lazy(() => z.union(records.map((record) => record())));

const bought = oneOf(receipt, rehearsal, listOf(cartLine));
const ordered = oneOf(paidOrder, checkedOrder);
const listed: Printed = { output: listOf(purchase) };
const order: Printed = { output: printedOrder };

/** By the words after `scrip`, such as `wallet new`. Append-only: scripts use the names. */
export const PRINTED: ReadonlyMap<string, Printed> = new Map<string, Printed>([
  ['brands', { output: listOf(brand), partner: listOf(partnerBrand) }],
  ['catalog', { output: listOf(catalogItem), partner: listOf(listedProduct) }],
  ['price', { output: priceQuote, partner: partnerProduct }],
  ['show', { output: productDocument }],
  ['search', { output: listOf(partnerBrand) }],
  ['countries', { output: listOf(availableCountry) }],
  ['currencies', { output: listOf(currency) }],
  ['vias', { output: listOf(viaRow) }],
  ['validate', { output: checkedOrder }],
  ['inspect', { output: inspection }],
  ['order', { output: bought, partner: ordered }],
  ['wizard', { output: oneOf(receipt, paidOrder) }],
  ['pay', { output: paidOrder }],
  ['track', { output: oneOf(calledOrder, followedOrder, listOf(trackedOrder)) }],
  ['orders', listed],
  ['orders list', listed],
  ['orders export', { output: listOf(exportedPurchase) }],
  ['orders show', { output: oneOf(shownPurchase, followedOrder) }],
  ['orders refund', { output: namedRefund }],
  ['orders resume', { output: listOf(resumedPurchase) }],
  ['orders reveal', { output: revealedPurchase }],
  ['orders forget', { output: forgottenPurchase }],
  ['open', { output: openedPage }],
  ['policy', { output: shownPolicy }],
  ['policy show', { output: shownPolicy }],
  ['policy set', { output: changedRule }],
  ['policy check', { output: allowedPayment }],
  ['policy path', { output: policyPath }],
  ['spend', { output: spent }],
  ['wallet', { output: balance }],
  ['wallet new', { output: keyFile }],
  ['wallet import', { output: keyFile }],
  ['wallet encrypt', { output: keyFile }],
  ['wallet change-passphrase', { output: keyFile }],
  ['wallet export', { output: exportedKey }],
  ['wallet address', { output: walletAddress }],
  ['wallet balance', { output: balance }],
  ['wallet fund', { output: balance }],
  ['wallet mark-play', { output: mark }],
  ['sandbox', { output: servedSandbox }],
  ['sandbox pay', order],
  ['sandbox cancel', order],
  ['sandbox refund', order],
  ['sandbox resolve', order],
  ['sandbox close', order],
  ['sandbox clear', order],
  ['sandbox audit', { output: auditReport }],
  ['sandbox trigger', { output: oneOf(listOf(playedEvent), triggered) }],
  ['sandbox webhooks', { output: listOf(webhook) }],
  ['sandbox webhooks replay', { output: webhook }],
  ['serve', { output: served }],
  ['serve orders', { output: listOf(shopOrder) }],
  ['serve order', { output: operatedOrder }],
  ['serve retry', { output: wokenOrder }],
  ['serve release', { output: operatedOrder }],
  ['serve books', { output: auditReport }],
  ['serve catalog', { output: listOf(catalogVersion) }],
  ['serve stock', { output: listOf(stock) }],
  ['serve log', { output: listOf(operatorAction) }],
  ['serve partners', { output: listOf(partner) }],
  ['serve partners list', { output: listOf(partner) }],
  ['serve partners add', { output: partnerWithSecret }],
  ['serve partners set', { output: partner }],
  ['serve partners rotate', { output: rotatedPartner }],
  ['serve partners revoke', { output: partner }],
  ['serve refunds', { output: listOf(refund) }],
  ['serve refunds approve', { output: refund }],
  ['serve refunds refuse', { output: refund }],
  ['serve refunds mark-paid', { output: refund }],
  ['serve webhooks', { output: listOf(webhook) }],
  ['serve webhooks replay', { output: webhook }],
  ['listen', { output: oneOf(listOf(receivedWebhook), listening) }],
  ['mcp', { output: oneOf(toolManifest, servedTools) }],
  ['mcp install', { output: agentConfig }],
  ['mcp uninstall', { output: agentConfig }],
  ['config', { output: listOf(setting) }],
  ['config get', { output: setting }],
  ['config list', { output: listOf(setting) }],
  ['config path', { output: configPath }],
  ['config set', { output: oneOf(setting, chosenProfile) }],
  ['config unset', { output: oneOf(setting, chosenProfile) }],
  ['profile', { output: listOf(profile) }],
  ['profile add', { output: profile }],
  ['profile use', { output: chosenProfile }],
  ['profile list', { output: listOf(profile) }],
  ['profile show', { output: listOf(setting) }],
  ['profile remove', { output: removedProfile }],
  ['doctor', { output: oneOf(examination, debugBundle, writtenBundle) }],
  ['debug bundle', { output: oneOf(debugBundle, writtenBundle) }],
  ['errors', { output: listOf(errorRow) }],
  ['context', { output: guide }],
  ['completion', { output: completionFile }],
  ['schema', { output: oneOf(schemaDocument, listOf(schemaRow)) }],
  // The same documents under the commands' current names.
  ['vias coins', { output: listOf(currency) }],
  ['policy spend', { output: spent }],
  ['help errors', { output: listOf(errorRow) }],
  ['help context', { output: guide }],
  ['help schema', { output: oneOf(schemaDocument, listOf(schemaRow)) }],
]);

/** The output's schema for whichever merchant is asked. */
export function printedSchema({ output, partner }: Printed): z.ZodType {
  return partner === undefined ? output() : z.union([output(), partner()]);
}
