/** Shows settings: their values, and where those come from. */
import { BASE, BASE_SEPOLIA, networkName, SOLANA_MAINNET } from '../../contract/usdc.ts';
import { type Said, t } from '../../domain/message/message.ts';
import type { Column } from '../output/view.ts';
import type { SettingRecord } from '../schemas/machine.ts';
import type { Settings } from './settings.ts';
import { type Profile, SETTINGS } from './table.ts';

/** Returns every setting, the profile's name first. */
export function settingRecords(settings: Settings): readonly SettingRecord[] {
  const { profile, profileSource, sources } = settings;
  const values = valuesOf(settings);
  const named: SettingRecord = {
    key: 'profile',
    value: profile,
    source: profileSource,
    flag: '--profile',
    variable: 'SCRIP_PROFILE',
    profile,
  };
  return [
    named,
    ...SETTINGS.map((row) => ({
      key: row.key,
      value: values[row.name] ?? null,
      source: sources[row.name] ?? ('default' as const),
      flag: row.flag ?? null,
      variable: row.variable,
      profile,
    })),
  ];
}

function valuesOf(settings: Settings): Required<Profile> {
  const { signer, passphrase } = settings;
  return {
    checkoutUrl: settings.checkoutUrl,
    apiUrl: settings.apiUrl,
    mcpUrl: settings.mcpUrl,
    siteUrl: settings.siteUrl,
    rpcUrl: settings.rpcUrl,
    rpcUrl2: settings.rpcs[SOLANA_MAINNET]?.witnessUrl,
    baseRpcUrl: (settings.rpcs[BASE] ?? settings.rpcs[BASE_SEPOLIA])?.url,
    network: settings.payNetwork && networkName(settings.payNetwork),
    keypair: signer === undefined ? settings.keypairPath : undefined,
    signerCommand: signer && JSON.stringify(signer.command),
    signerAddress: signer?.address,
    passphraseFile: 'file' in passphrase ? passphrase.file : undefined,
    keySince: settings.keySince?.text,
    partnerId: settings.partnerId,
    partnerSecretFile: settings.partnerSecretFile,
    caFile: settings.caFile,
    country: settings.countryCode,
    email: settings.email,
    to: settings.to,
    updateNotice: settings.updateNotice,
    lang: settings.lang,
  };
}

export const SETTING_COLUMNS: readonly Column<SettingRecord>[] = [
  { header: t`SETTING`, cell: ({ key }) => key, isWhole: true },
  { header: t`VALUE`, cell: ({ value }) => value ?? '' },
  { header: t`FROM`, cell: placeOf },
  { header: t`VARIABLE`, cell: ({ variable }) => variable ?? '', dropOrder: 1 },
];

/** Where the value comes from, by the name of its flag, variable or profile. */
function placeOf({ value, source, flag, variable, profile }: SettingRecord): Said {
  if (value === null) return t`not set`;
  const places = {
    flag: flag ?? 'flag',
    environment: variable ?? 'environment',
    profile: t`profile ${profile ?? ''}`,
    file: 'config.json',
    default: t`default`,
  } as const;
  return places[source];
}
