/** Settings as they are shown: what they come to, and who said so. */
import type { Column } from '../output/view.ts';
import type { SettingRecord } from '../schemas/config.ts';
import type { Settings } from './shape.ts';
import { SETTINGS, type SettingName } from './table.ts';

/** Every setting, the name of the profile first. */
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
      flag: 'flag' in row ? row.flag : null,
      variable: row.variable,
      profile,
    })),
  ];
}

function valuesOf(settings: Settings): { readonly [Name in SettingName]: string | undefined } {
  const { signer, passphrase } = settings;
  return {
    checkoutUrl: settings.checkoutUrl,
    apiUrl: settings.apiUrl,
    mcpUrl: settings.mcpUrl,
    siteUrl: settings.siteUrl,
    rpcUrl: settings.rpcUrl,
    rpcUrl2: settings.witnessRpcUrl,
    keypair: signer === undefined ? settings.keypairPath : undefined,
    signerCommand: signer && JSON.stringify(signer.command),
    signerAddress: signer?.address,
    passphraseFile: 'file' in passphrase ? passphrase.file : undefined,
    keySince: settings.keySince?.text,
    partnerId: settings.partnerId,
    country: settings.countryCode,
    lang: settings.lang,
  };
}

export const SETTING_COLUMNS: readonly Column<SettingRecord>[] = [
  { header: 'SETTING', cell: ({ key }) => key, isWhole: true },
  { header: 'VALUE', cell: ({ value }) => value ?? '' },
  { header: 'FROM', cell: placeOf },
  { header: 'VARIABLE', cell: ({ variable }) => variable ?? '', dropOrder: 1 },
];

/** Who said it, by the name that it was said with. */
function placeOf({ source, flag, variable, profile }: SettingRecord): string {
  const places = {
    flag: flag ?? 'flag',
    environment: variable ?? 'environment',
    profile: `profile ${profile}`,
    file: 'config.json',
    default: 'default',
  } as const;
  return places[source];
}
