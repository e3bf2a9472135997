/** Every setting that a profile may hold: its key, flag and variable. */
import { type Message, t } from '../../domain/message.ts';

export interface SettingRow {
  /** The name in a profile and for `scrip config`. */
  readonly key: string;
  readonly name: string;
  /** The global flag; undefined if each command has its own. */
  readonly flag?: string;
  readonly variable: string;
  readonly what: Message;
  /** Whether the profile `sandbox` may hold it, because it cannot lead to spending real money. */
  readonly isHarmless?: true;
}

export const SETTINGS = [
  {
    key: 'checkout_url',
    name: 'checkoutUrl',
    flag: '--checkout-url',
    variable: 'SCRIP_CHECKOUT_URL',
    what: t`checkout host`,
  },
  {
    key: 'api_url',
    name: 'apiUrl',
    flag: '--api-url',
    variable: 'SCRIP_API_URL',
    what: t`partner API`,
  },
  {
    key: 'mcp_url',
    name: 'mcpUrl',
    flag: '--mcp-url',
    variable: 'SCRIP_MCP_URL',
    what: t`agent tool server`,
  },
  {
    key: 'site_url',
    name: 'siteUrl',
    flag: '--site-url',
    variable: 'SCRIP_SITE_URL',
    what: t`site that lists the countries`,
  },
  {
    key: 'rpc_url',
    name: 'rpcUrl',
    flag: '--rpc-url',
    variable: 'SCRIP_RPC_URL',
    what: t`Solana JSON-RPC`,
  },
  {
    key: 'rpc_url_2',
    name: 'rpcUrl2',
    flag: '--rpc-url-2',
    variable: 'SCRIP_RPC_URL_2',
    what: t`a second one, of another operator`,
  },
  {
    key: 'keypair',
    name: 'keypair',
    flag: '--keypair',
    variable: 'SCRIP_KEYPAIR',
    what: t`key file that pays`,
  },
  {
    key: 'signer_command',
    name: 'signerCommand',
    flag: '--signer-command',
    variable: 'SCRIP_SIGNER_COMMAND',
    what: t`program that signs`,
  },
  {
    key: 'signer_address',
    name: 'signerAddress',
    variable: 'SCRIP_SIGNER_ADDRESS',
    what: t`address that the signer command signs for`,
  },
  {
    key: 'passphrase_file',
    name: 'passphraseFile',
    flag: '--passphrase-file',
    variable: 'SCRIP_PASSPHRASE_FILE',
    what: t`passphrase of the key file`,
  },
  {
    key: 'key_since',
    name: 'keySince',
    flag: '--key-since',
    variable: 'SCRIP_KEY_SINCE',
    what: t`earliest use of your idempotency keys`,
  },
  {
    key: 'partner_id',
    name: 'partnerId',
    flag: '--partner-id',
    variable: 'SCRIP_PARTNER_ID',
    what: t`your id for the partner API`,
    isHarmless: true,
  },
  {
    key: 'partner_secret_file',
    name: 'partnerSecretFile',
    variable: 'SCRIP_PARTNER_SECRET_FILE',
    what: t`file with the secret of this partner id`,
  },
  {
    key: 'country',
    name: 'country',
    variable: 'SCRIP_COUNTRY',
    what: t`two-letter code of the user’s country`,
    isHarmless: true,
  },
  {
    key: 'email',
    name: 'email',
    variable: 'SCRIP_EMAIL',
    what: t`your e-mail address, for messages from the merchant`,
    isHarmless: true,
  },
  {
    key: 'to',
    name: 'to',
    variable: 'SCRIP_TO',
    what: t`recipient when --to is missing`,
    isHarmless: true,
  },
  {
    key: 'lang',
    name: 'lang',
    flag: '--lang',
    variable: 'SCRIP_LANG',
    what: t`language of messages: en or es`,
    isHarmless: true,
  },
] as const satisfies readonly SettingRow[];

export type SettingName = (typeof SETTINGS)[number]['name'];

/** A profile's values as text; each means the same as the flag of its name. */
export type Profile = { readonly [Name in SettingName]?: string };

/** Keys whose value is the path of a file; they are saved as absolute ones. */
export const FILE_KEYS: ReadonlySet<string> = new Set([
  'keypair',
  'passphrase_file',
  'partner_secret_file',
]);

/** Where a value comes from, highest precedence first. */
export type Source = 'flag' | 'environment' | 'profile' | 'default';

/** Undefined for an unknown key. */
export function settingOf(key: string): (SettingRow & { readonly name: SettingName }) | undefined {
  return SETTINGS.find((row) => row.key === key);
}

/** Returns the keys that this profile may hold. */
export function keysFor(profile: string): readonly string[] {
  const rows: readonly SettingRow[] = SETTINGS;
  return rows
    .filter(({ isHarmless }) => profile !== SANDBOX_PROFILE || isHarmless === true)
    .map(({ key }) => key);
}

/** The profile that needs nothing but this program. */
export const SANDBOX_PROFILE = 'sandbox';
