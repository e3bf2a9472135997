/** The country to buy for: from the command, the settings, or a question whose answer is saved. */

import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { WizardHost } from '../../domain/wizard/wizard-step.ts';
import type { BuyerContext, With } from '../context.ts';
import { isProductId } from '../parsing/order-options.ts';

/** Returns the country of the command, of a product's id, or of the settings; undefined if none is known. */
export async function countryMeant(
  context: With<'settings' | 'files'>,
  typed: string | undefined,
  product: string | undefined,
): Promise<string | undefined> {
  const isId = typed === undefined && product !== undefined && isProductId(product);
  const ofId = isId ? await context.files.countryOfProduct(product) : undefined;
  return ofId ?? typed ?? context.settings.countryCode;
}

/**
 * Returns the country; asks for it if needed.
 * @param typed the value of the command's own option
 * @param product the words of the product; the id of a listed product tells its country
 * @throws {ScripError} USAGE naming the flag in non-interactive use; INTERRUPTED
 */
export async function countryFor(
  context: BuyerContext,
  typed: string | undefined,
  product?: string,
): Promise<string> {
  const known = await countryMeant(context, typed, product);
  if (known !== undefined) return known;
  if (!context.settings.mayPrompt) throw countryMissing();
  const { askOne } = await import('../wizard/screen.ts');
  const { createWizardCatalog } = await import('../wizard/wizard-catalog.ts');
  const shop = createWizardCatalog(context, async () => undefined);
  // Skip the check that anything is sold there: the lists that follow show it.
  const brands: WizardHost['brands'] = async () => [{ name: '', isOutOfStock: false }];
  const { proposedCountry } = context.settings;
  const proposed = (await shop.countries()).find(
    ({ code }) => code.toLowerCase() === proposedCountry,
  );
  const code = await askOne(
    context,
    { ...shop, brands },
    { key: 'country', answers: { product_type: 'giftcard' }, proposal: proposed?.name },
  );
  const country = code.toLowerCase();
  const { keepAnswer } = await import('../settings/config-change.ts');
  await keepAnswer(context, { setting: 'country', value: country });
  return country;
}

export function countryMissing(): ScripError {
  return new ScripError('USAGE', t`Required option not given: ${'--country'}`, {
    details: { missing: ['--country'] },
    hint: commandText`Add --country <code>, or save a default: scrip config set country <code>`,
  });
}
