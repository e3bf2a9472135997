/**
 * The schema of each command's `--json` output, as JSON Schema for other programs; and the check of --fields and
 * --template by it.
 */

import { z } from 'zod';
import type { MerchantName } from '../../api/merchants.ts';
import { brand, catalogItem, priceQuote } from '../../contract/checkout.ts';
import { type Lazy, lazy } from '../../contract/endpoint.ts';
import * as operator from '../../contract/operator-records.ts';
import { partnerBrand, partnerProduct } from '../../contract/partner-catalog.ts';
import { currency } from '../../contract/partner-market.ts';
import { availableCountry } from '../../contract/site.ts';
import { toolManifest } from '../../contract/tool-manifest.ts';
import { unknownField } from '../output/fields.ts';
import type { Output } from '../output/format.ts';
import { parseTemplate } from '../output/template.ts';
import * as machine from './machine.ts';
import * as program from './program.ts';
import * as purchases from './purchase.ts';
import * as shop from './serve.ts';

/**
 * The schema of a command's output, and those of merchants (`--via` or a coin chooses) whose output differs.
 */
interface Printed extends Readonly<Partial<Record<MerchantName, Lazy<z.ZodType>>>> {
  readonly output: Lazy<z.ZodType>;
}

const listOf = (record: Lazy<z.ZodType>): Lazy<z.ZodType> => lazy(() => z.array(record()));
const oneOf = (...records: readonly Lazy<z.ZodType>[]): Lazy<z.ZodType> =>
  lazy(() => z.union(records.map((record) => record())));

const bought = oneOf(purchases.receipt, purchases.rehearsal, listOf(purchases.cartLine));
const ordered = oneOf(purchases.paidOrder, purchases.checkedOrder);
const listed: Printed = { output: listOf(purchases.purchase) };
const order: Printed = { output: purchases.printedOrder };

/** By the words after `scrip`, such as `wallet new`. Append-only: scripts use the names. */
export const PRINTED: ReadonlyMap<string, Printed> = new Map<string, Printed>([
  ['brands', { output: listOf(brand), partner: listOf(partnerBrand) }],
  ['catalog', { output: listOf(catalogItem), partner: listOf(purchases.listedProduct) }],
  ['price', { output: priceQuote, partner: partnerProduct }],
  ['show', { output: purchases.productDocument }],
  ['search', { output: listOf(partnerBrand) }],
  ['countries', { output: listOf(availableCountry) }],
  ['vias', { output: listOf(purchases.viaRow) }],
  ['validate', { output: purchases.checkedOrder }],
  ['inspect', { output: purchases.inspection }],
  ['order', { output: bought, partner: ordered }],
  ['wizard', { output: oneOf(purchases.receipt, purchases.paidOrder) }],
  ['pay', { output: purchases.paidOrder }],
  [
    'track',
    {
      output: oneOf(purchases.calledOrder, purchases.followedOrder, listOf(purchases.trackedOrder)),
    },
  ],
  ['orders', listed],
  ['orders list', listed],
  ['orders export', { output: listOf(purchases.exportedPurchase) }],
  ['orders show', { output: oneOf(purchases.shownPurchase, purchases.followedOrder) }],
  ['orders refund', { output: purchases.namedRefund }],
  ['orders resume', { output: listOf(purchases.resumedPurchase) }],
  ['orders reveal', { output: purchases.revealedPurchase }],
  ['orders recover', { output: listOf(purchases.recoveredOrder) }],
  ['orders forget', { output: purchases.forgottenPurchase }],
  ['receipt', { output: purchases.signedReceipt }],
  ['receipt show', { output: purchases.signedReceipt }],
  ['receipt verify', { output: purchases.verifiedReceipt }],
  ['open', { output: purchases.openedPage }],
  ['fetch', { output: purchases.fetched }],
  ['approvals', { output: machine.approvals }],
  ['approvals list', { output: machine.approvals }],
  ['approvals answer', { output: machine.approval }],
  ['policy', { output: machine.shownPolicy }],
  ['policy show', { output: machine.shownPolicy }],
  ['policy set', { output: machine.changedRule }],
  ['policy check', { output: machine.allowedPayment }],
  ['policy path', { output: machine.policyPath }],
  ['wallet', { output: machine.balance }],
  ['wallet new', { output: machine.keyFile }],
  ['wallet import', { output: machine.keyFile }],
  ['wallet encrypt', { output: machine.keyFile }],
  ['wallet change-passphrase', { output: machine.keyFile }],
  ['wallet export', { output: machine.exportedKey }],
  ['wallet address', { output: machine.walletAddress }],
  ['wallet balance', { output: machine.balance }],
  ['wallet fund', { output: machine.balance }],
  ['wallet mark-play', { output: machine.mark }],
  ['sandbox', { output: shop.servedSandbox }],
  ['sandbox pay', order],
  ['sandbox cancel', order],
  ['sandbox refund', order],
  ['sandbox resolve', order],
  ['sandbox close', order],
  ['sandbox clear', order],
  ['sandbox audit', { output: shop.auditReport }],
  ['sandbox trigger', { output: oneOf(listOf(shop.playedEvent), shop.triggered) }],
  ['sandbox webhooks', { output: listOf(operator.webhook) }],
  ['sandbox webhooks replay', { output: operator.webhook }],
  ['serve', { output: shop.served }],
  ['serve orders', { output: listOf(operator.shopOrder) }],
  ['serve order', { output: oneOf(shop.operatedOrder, listOf(operator.shopOrder)) }],
  ['serve retry', { output: shop.wokenOrderNext }],
  ['serve release', { output: shop.operatedOrder }],
  ['serve books', { output: shop.auditReport }],
  ['serve sales', { output: oneOf(listOf(operator.sales), listOf(operator.saleLine)) }],
  ['serve catalog', { output: listOf(operator.catalogVersion) }],
  ['serve alarms', { output: oneOf(listOf(operator.alarm), operator.alarmTrial) }],
  ['serve stock', { output: listOf(operator.stock) }],
  ['serve log', { output: listOf(operator.operatorAction) }],
  ['serve partners', { output: listOf(operator.partner) }],
  ['serve partners list', { output: listOf(operator.partner) }],
  ['serve partners add', { output: operator.partnerWithSecret }],
  ['serve partners set', { output: operator.partner }],
  ['serve partners rotate', { output: shop.rotatedPartner }],
  ['serve partners revoke', { output: operator.partner }],
  ['serve person', { output: listOf(operator.operatorAction) }],
  ['serve person export', { output: operator.personExport }],
  ['serve person erase', { output: operator.personErased }],
  ['serve refunds', { output: listOf(operator.refund) }],
  ['serve refunds approve', { output: operator.refund }],
  ['serve refunds refuse', { output: operator.refund }],
  ['serve refunds mark-paid', { output: operator.refund }],
  ['serve webhooks', { output: listOf(operator.webhook) }],
  ['serve webhooks replay', { output: operator.webhook }],
  ['listen', { output: oneOf(listOf(shop.receivedWebhook), shop.listening) }],
  ['mcp', { output: oneOf(toolManifest, program.servedTools) }],
  ['mcp install', { output: program.agentConfig }],
  ['mcp uninstall', { output: program.agentConfig }],
  ['config', { output: listOf(machine.setting) }],
  ['config get', { output: machine.setting }],
  ['config list', { output: listOf(machine.setting) }],
  ['config path', { output: machine.configPath }],
  ['config set', { output: oneOf(machine.setting, machine.chosenProfile) }],
  ['config unset', { output: oneOf(machine.setting, machine.chosenProfile) }],
  ['profile', { output: listOf(machine.profile) }],
  ['profile add', { output: machine.profile }],
  ['profile use', { output: machine.chosenProfile }],
  ['profile list', { output: listOf(machine.profile) }],
  ['profile show', { output: listOf(machine.setting) }],
  ['profile remove', { output: machine.removedProfile }],
  ['doctor', { output: oneOf(machine.examination, machine.debugBundle, machine.writtenBundle) }],
  ['completion', { output: program.completionFile }],
  ['vias coins', { output: listOf(currency) }],
  ['policy spend', { output: machine.spent }],
  ['help errors', { output: listOf(program.errorRow) }],
  ['help context', { output: program.guide }],
  ['help schema', { output: oneOf(program.schemaDocument, listOf(program.schemaRow)) }],
]);

/** The output's schema for whichever merchant is asked. */
function printedSchema({ output, partner }: Printed): z.ZodType {
  return partner === undefined ? output() : z.union([output(), partner()]);
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The commands with a schema, in the order of the help. */
export function describedCommands(): readonly string[] {
  return [...PRINTED.keys()];
}

/** The schemas of a command's output and error; undefined for commands that print nothing. */
export function schemaOf(path: string): program.SchemaDocument | undefined {
  const printed = PRINTED.get(path);
  if (printed === undefined) return undefined;
  return {
    command: path,
    output: titled(`scrip ${path} --json`, printedSchema(printed)),
    error: titled('an error of scrip', program.errorDocument()),
  };
}

function titled(title: string, schema: z.ZodType) {
  const { $schema = DRAFT, ...rest } = toJsonSchema(schema);
  return { $schema, title, ...rest };
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

function toJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'output' });
}

interface Asked {
  readonly fields: Output['fields'] | undefined;
  readonly template: string | undefined;
  /** The command's words, such as `wallet new`. */
  readonly path: string;
  /** The merchant that the command asks. */
  readonly merchant: MerchantName;
}

/**
 * Refuses a field that the command's documents cannot have.
 * @throws {ScripError} USAGE with the existing fields, or for an invalid template
 */
export function checkAskedFields({ path, merchant, fields = [], template }: Asked): void {
  const inTemplate = template === undefined ? [] : parseTemplate(template).fields;
  const printed = PRINTED.get(path);
  if (printed === undefined) return;
  const schema = printed[merchant] ?? printed.output;
  const records = recordsOf(toJsonSchema(schema()));
  for (const field of [...fields, ...inTemplate]) checkField(records, field);
}

/** The fields that `--fields` accepts for each command, for both merchants. */
export function fieldsByCommand(): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...PRINTED].map(([path, { output, partner }]) => {
      const schemas = [output, ...(partner === undefined ? [] : [partner])];
      return [path, namesIn(schemas.flatMap((schema) => recordsOf(toJsonSchema(schema()))))];
    }),
  );
}

function checkField(records: Schemas, field: string): void {
  let reached = records;
  let before = '';
  for (const name of field.split('.')) {
    const next = reached.flatMap((schema) => step(schema, name));
    if (next.length === 0) {
      const known = namesIn(reached).map((one) => `${before}${one}`);
      // A plain value has no fields of its own, so list the top-level ones.
      throw unknownField(field, known.length > 0 ? known : namesIn(records));
    }
    reached = next.flatMap(alternatives);
    before = `${before}${name}.`;
  }
}

type Schemas = readonly JsonSchema[];

/** For a list, --fields selects fields of its records. */
function recordsOf(document: JsonSchema): Schemas {
  return alternatives(document).flatMap((schema) =>
    schema.type === 'array' ? itemsOf(schema) : [schema],
  );
}

/** Every schema that a value may match, without unions. */
function alternatives(schema: JsonSchema): Schemas {
  const choices = schema.anyOf ?? schema.oneOf;
  return choices === undefined ? [schema] : choices.filter(isSchema).flatMap(alternatives);
}

/** The schemas of a field, by the rules of `valueAt`; empty if it cannot exist. */
function step(schema: JsonSchema, name: string): Schemas {
  const own = schema.properties?.[name];
  if (own !== undefined) return isSchema(own) ? [own] : [];
  if (schema.type === 'array') return /^\d+$/.test(name) ? itemsOf(schema) : lengthOf(name);
  const isOpen = schema.type === undefined && schema.const === undefined;
  if (isOpen && schema.enum === undefined) return [schema];
  return isSchema(schema.additionalProperties) ? [schema.additionalProperties] : [];
}

function itemsOf({ items }: JsonSchema): Schemas {
  return isSchema(items) ? alternatives(items) : [];
}

function lengthOf(name: string): Schemas {
  return name === 'length' ? [{ type: 'integer' }] : [];
}

function namesIn(schemas: Schemas): readonly string[] {
  const names = schemas.flatMap((schema) =>
    schema.type === 'array'
      ? namesIn(itemsOf(schema)).map((name) => `0.${name}`)
      : Object.keys(schema.properties ?? {}),
  );
  return [...new Set(names)];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
