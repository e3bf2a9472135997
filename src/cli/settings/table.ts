/** Every setting that a profile may hold: its key, flag and variable. */

import { type Message, t } from '../../domain/message/message.ts';

/** `rpc_url_2` as `rpcUrl2`. */
type Camel<Key extends string> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Key;

interface More {
  /** Whether each command has its own flag for it, or none has. */
  readonly isFlagless?: true;
  /** Whether the profile `sandbox` may hold it, because it cannot lead to spending real money. */
  readonly isHarmless?: true;
}

/**
 * The row of a key, which is the name in a profile and for `scrip config`; name, global flag and variable are the
 * key in their own spelling.
 */
function row<const Key extends string>(key: Key, what: Message, more: More = {}) {
  // Safe: the same as the type says.
  const name = key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as Camel<Key>;
  const flag = more.isFlagless ? undefined : `--${key.replaceAll('_', '-')}`;
  const isHarmless = more.isHarmless ?? false;
  return { key, name, flag, variable: `SCRIP_${key.toUpperCase()}`, what, isHarmless };
}

export const SETTINGS = [
  row('checkout_url', t`checkout host`),
  row('api_url', t`partner API`),
  row('mcp_url', t`agent tool server`),
  row('site_url', t`site that lists the countries`),
  row('rpc_url', t`Solana JSON-RPC`),
  row('rpc_url_2', t`a second one, of another operator`),
  row('base_rpc_url', t`JSON-RPC of Base`),
  row('network', t`network to pay on: solana, base or base-sepolia`, { isFlagless: true }),
  row('keypair', t`key file that pays`),
  row('signer_command', t`program that signs`),
  row('signer_address', t`address that the signer command signs for`, { isFlagless: true }),
  row('passphrase_file', t`passphrase of the key file`),
  row('key_since', t`earliest use of your idempotency keys`),
  row('partner_id', t`your id for the partner API`, { isHarmless: true }),
  row('partner_secret_file', t`file with the secret of this partner id`, { isFlagless: true }),
  row('ca_file', t`file of more certificate authorities to trust`, { isFlagless: true }),
  row('country', t`two-letter code of the user’s country`, { isFlagless: true, isHarmless: true }),
  row('email', t`your e-mail address, for messages from the merchant`, {
    isFlagless: true,
    isHarmless: true,
  }),
  row('to', t`recipient when --to is missing`, { isFlagless: true, isHarmless: true }),
  row('update_notice', t`tell of new versions: on or off`, {
    isFlagless: true,
    isHarmless: true,
  }),
  row('lang', t`language of messages: en or es`, { isHarmless: true }),
] as const;

export type SettingRow = (typeof SETTINGS)[number];
export type SettingName = SettingRow['name'];

/** A profile's values as text; each means the same as the flag of its name. */
export type Profile = { readonly [Name in SettingName]?: string | undefined };

/** Keys whose value is the path of a file; they are saved as absolute ones. */
export const FILE_KEYS: ReadonlySet<string> = new Set([
  'keypair',
  'passphrase_file',
  'partner_secret_file',
  'ca_file',
]);

/** Where a value comes from, highest precedence first. */
export type Source = 'flag' | 'environment' | 'profile' | 'default';

/** Undefined for an unknown key. */
export function settingOf(key: string): SettingRow | undefined {
  return SETTINGS.find((row) => row.key === key);
}

/** Returns the keys that this profile may hold. */
export function keysFor(profile: string): readonly string[] {
  const mayHold = SETTINGS.filter(({ isHarmless }) => profile !== SANDBOX_PROFILE || isHarmless);
  return mayHold.map(({ key }) => key);
}

/** The profile that needs nothing but this program. */
export const SANDBOX_PROFILE = 'sandbox';
