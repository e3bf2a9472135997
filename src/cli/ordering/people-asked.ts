/** Recipient and e-mail address of an order: typed, from the settings, or asked for. */

import { ABILITIES } from '../../api/abilities.ts';
import { t } from '../../domain/message.ts';
import type { ProductKind } from '../../domain/product.ts';
import { scripDeps } from '../scrip-deps.ts';
import { keepAnswer } from '../settings/config-change.ts';
import { missingError } from './missing-options.ts';
import { type NamedProduct, shopFor } from './named-product.ts';
import { type Around, isAsking, type OrderRequest } from './order-words.ts';

/** Returns the recipient. @throws {ScripError} USAGE in non-interactive use, INTERRUPTED */
export async function recipientFor(
  context: Around,
  request: OrderRequest,
  product: NamedProduct,
): Promise<string> {
  const { words } = request;
  const { settings } = context;
  if (words.to !== undefined) return words.to;
  const kind = product.kind ?? (await kindOf(context, request, product));
  const isPhone = kind === 'mobile_topup';
  const usual = settings.to;
  const isFit = usual !== undefined && (kind === undefined || usual.includes('@') !== isPhone);
  if (isFit) return usual;
  if (!isAsking(context, request)) throw missingError(['--to']);
  const { askOne } = await import('../wizard/screen.ts');
  const answers = {
    product_type: isPhone ? 'mobile_topup' : 'giftcard',
    country: product.country.toUpperCase(),
  };
  const to = await askOne(context, await shopFor(context), {
    key: 'beneficiary_account',
    answers,
    proposal: isPhone ? undefined : (words.email ?? settings.email),
  });
  if (!isPhone && words.email === undefined && settings.email === undefined) {
    await offerToKeep(context, to);
  }
  return to;
}

/** The recipient may be a friend, so ask whether it is the user's own address. */
async function offerToKeep(context: Around, email: string): Promise<void> {
  const question = t`Is ${email} your own address, to be proposed next time?`;
  if (await context.io.prompter.confirm(question, { isYesUsual: true }))
    await keepAnswer(context, { setting: 'email', value: email });
}

/** The kind of a product named by id and brand, if the recipient depends on it. */
async function kindOf(
  context: Around,
  { input }: OrderRequest,
  { productId, country, brand }: NamedProduct,
): Promise<ProductKind | undefined> {
  if (!ABILITIES[input.merchant].needs.includes('brand') || brand === undefined) return undefined;
  const { openCatalog } = await import('../../api/merchants.ts');
  const catalog = await openCatalog(scripDeps(context), input.merchant);
  const products = await catalog.products({ country, brand });
  return products.find(({ id }) => id === productId)?.kind;
}

/** Returns the user's own e-mail address. @throws {ScripError} USAGE in non-interactive use, INTERRUPTED */
export async function emailFor(
  context: Around,
  request: OrderRequest,
  to: string,
): Promise<string> {
  const known = request.words.email ?? context.settings.email;
  if (known !== undefined) return known;
  if (to.includes('@')) return to;
  if (!isAsking(context, request)) throw missingError(['--email']);
  return askOwnEmail(context);
}

/** Asks for the user's own e-mail address, and saves it. @throws {ScripError} INTERRUPTED */
export async function askOwnEmail(context: Around): Promise<string> {
  const { askOne } = await import('../wizard/screen.ts');
  const email = await askOne(context, await shopFor(context), { key: 'user_email', answers: {} });
  await keepAnswer(context, { setting: 'email', value: email });
  return email;
}
