/** The values that each option or argument may have: fixed sets, files, or kinds that are looked up. */

import type { Argument, Option } from 'commander';
import { PROBLEM_CODES, SUSPENSION_CODES } from '../../contract/codes.ts';
import { WEBHOOK_STATES } from '../../contract/operator-states.ts';
import { REQUEST_KIND } from '../../domain/journal/paid-request.ts';
import { CODES } from '../../domain/message/errors.ts';
import { LATEST_EVENT, PLAYED_EVENTS } from '../../domain/order/played-event.ts';
import { AGENT_PAY } from '../../domain/policy/policy.ts';
import { POLICY_KEYS } from '../../domain/policy/policy-change.ts';
import { CATEGORIES } from '../../domain/product/categories.ts';
import { PRODUCT_KINDS } from '../../domain/product/product.ts';
import { longFlags } from '../command.ts';
import { LANGUAGES } from '../i18n/localize.ts';
import { SETTINGS, type SettingName } from '../settings/table.ts';

/** Kinds of values that are looked up when Tab is pressed. */
export type LiveKind =
  | 'countries'
  | 'brands'
  | 'families'
  | 'products'
  | 'goods'
  | 'coins'
  | 'networks'
  | 'ways'
  | 'orders'
  | 'profiles'
  | 'faults'
  | 'fields'
  | 'schema';

/** The values of an option or argument. */
export type Values =
  /** Each word is a value, or a value with a tab and its description; a list separates values with commas. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly isList?: true }
  | { readonly kind: 'file' }
  | { readonly kind: 'folder' }
  /** Looked up when Tab is pressed. */
  | { readonly kind: 'live'; readonly of: LiveKind; readonly isList?: true }
  /** Depends on the argument before; a key that ends with a dot stands for all keys that start with it. */
  | { readonly kind: 'after'; readonly of: Readonly<Record<string, Values>> }
  | { readonly kind: 'any' };

const ANY: Values = { kind: 'any' };
const FILE: Values = { kind: 'file' };
const words = (...of: readonly string[]): Values => ({ kind: 'words', words: of });
const live = (of: LiveKind): Values => ({ kind: 'live', of });
const list = (...of: readonly string[]): Values => ({ kind: 'words', words: of, isList: true });

/** Settings whose values are not just any text. */
const SETTING_VALUES: Readonly<Partial<Record<SettingName, Values>>> = {
  keypair: FILE,
  passphraseFile: FILE,
  partnerSecretFile: FILE,
  caFile: FILE,
  signerCommand: FILE,
  country: live('countries'),
  updateNotice: words('on', 'off'),
  lang: words(...LANGUAGES),
};

const SETTING_KEYS = SETTINGS.map(({ key, what }) => `${key}\t${what}`);
const CHOSEN_PROFILE = ['profile\tthe one for all commands'];

const SETTING_BY_KEY: Values = {
  kind: 'after',
  of: {
    profile: live('profiles'),
    ...Object.fromEntries(SETTINGS.map(({ key, name }) => [key, SETTING_VALUES[name] ?? ANY])),
  },
};

/** Removes a key, so that its default applies. */
const AS_USUAL = 'default';
const YES_OR_NO = words('true', 'false', AS_USUAL);

const POLICY_BY_KEY: Values = {
  kind: 'after',
  of: {
    ...Object.fromEntries(POLICY_KEYS.map((key) => [key, words(AS_USUAL)])),
    kinds: list(...PRODUCT_KINDS, REQUEST_KIND, AS_USUAL),
    'nonInteractive.enabled': YES_OR_NO,
    'mcp.pay': words(...AGENT_PAY, AS_USUAL),
    'mcp.revealCodes': YES_OR_NO,
    'hosts.': words('any', 'manifest', 'off'),
  },
};

const EVENTS = words(
  ...PLAYED_EVENTS.map(({ event, what }) => `${event}\t${what}`),
  `${LATEST_EVENT}\tits own last change, told again`,
);

const ERROR_CODES = words(
  ...new Set([
    ...Object.keys(CODES),
    ...Object.keys(PROBLEM_CODES),
    ...Object.keys(SUSPENSION_CODES),
  ]),
);

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Arguments and options of one command, whose placeholder means something else elsewhere. */
const OF_COMMAND: ReadonlyMap<string, Values> = new Map([
  ['config get <key>', words(...SETTING_KEYS, ...CHOSEN_PROFILE)],
  ['config set <key>', words(...SETTING_KEYS, ...CHOSEN_PROFILE)],
  ['config unset <key>', words(...SETTING_KEYS, ...CHOSEN_PROFILE)],
  ['config set <value>', SETTING_BY_KEY],
  ['policy set <key>', words(...POLICY_KEYS, 'hosts.')],
  ['policy set <value>', POLICY_BY_KEY],
  ...['use', 'show', 'remove'].map((verb) => [`profile ${verb} <name>`, live('profiles')] as const),
  ...['show', 'refund', 'reveal', 'forget', 'resume'].map(
    (verb) => [`orders ${verb} <id>`, live('orders')] as const,
  ),
  ...['show', 'verify'].map((verb) => [`receipt ${verb} <id>`, live('orders')] as const),
  ['sandbox trigger <event>', EVENTS],
  ['help errors <code>', ERROR_CODES],
  ['help schema <command>', live('schema')],
  ['brands <name>', live('brands')],
  ['catalog <brand>', live('brands')],
  ['inspect <target>', live('products')],
  ...['fetch', 'inspect'].map((verb) => [`${verb} --request <method>`, words(...METHODS)] as const),
  ['wizard --type <kind>', words('giftcard', 'mobile_topup')],
  ...['sandbox', 'serve'].map(
    (verb) => [`${verb} webhooks --state <state>`, words(...WEBHOOK_STATES)] as const,
  ),
]);

/** Placeholders that mean the same for every command. */
const PLACEHOLDERS: ReadonlyMap<string, Values> = new Map([
  ['<file>', FILE],
  ['<dir>', { kind: 'folder' }],
  ['--signer-command <command>', FILE],
  ['<slug>', words(...CATEGORIES)],
  ['<product_id>', live('products')],
  ['<product>', live('goods')],
  ['<order_id>', live('orders')],
  ['--country <code>', live('countries')],
  ['--country <country>', live('countries')],
  ['--brand <name>', live('brands')],
  ['--family <name>', live('families')],
  ['--coin <ticker>', live('coins')],
  ['--network <name>', live('networks')],
  ['--payment-via <name>', live('ways')],
  ['--profile <name>', live('profiles')],
  ['--lang <language>', words(...LANGUAGES)],
  ['--fault <spec>', live('faults')],
  ['--fields <names>', { kind: 'live', of: 'fields', isList: true }],
]);

export function valuesOfOption(option: Option, path: string): Values {
  if (option.argChoices) return words(...option.argChoices);
  const flags = longFlags(option.flags);
  const [placeholder = ''] = /<[^>]*>/.exec(flags) ?? [];
  return (
    OF_COMMAND.get(`${path} ${flags}`) ??
    PLACEHOLDERS.get(flags) ??
    PLACEHOLDERS.get(placeholder) ??
    ANY
  );
}

export function valuesOfArgument(argument: Argument, path: string): Values {
  if (argument.argChoices) return words(...argument.argChoices);
  const placeholder = `<${argument.name()}>`;
  return OF_COMMAND.get(`${path} ${placeholder}`) ?? PLACEHOLDERS.get(placeholder) ?? ANY;
}
