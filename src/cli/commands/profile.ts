/** `scrip profile`: named settings, such as a host with its wallet. */

import type { Command } from 'commander';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext, With } from '../context.ts';
import { type Column, listView, type RecordView, type View } from '../output/view.ts';
import type { ProfileRecord } from '../schemas/machine.ts';
import { type Config, unknownProfile } from '../settings/config.ts';
import {
  changeConfig,
  chooseForAll,
  hostOf,
  moneyOf,
  moneyText,
  profileSettings,
  readConfig,
  savedText,
  withProfile,
} from '../settings/config-change.ts';
import type { Settings } from '../settings/settings.ts';
import { type Profile, SANDBOX_PROFILE, SETTINGS, type SettingName } from '../settings/table.ts';
import { checkProfileName, checkTogether } from '../settings/values.ts';
import { SETTING_COLUMNS, settingRecords } from '../settings/view.ts';

/** The profile named on the command line may not exist yet. */
const NEEDS = { isProfileOptional: true };
const NAME = 'name of the profile';

export function register(command: Command, bind: Bind): void {
  declareAdd(command, bind);
  const use = command
    .command('use')
    .description('set the default profile')
    .argument('<name>', NAME)
    .action((name: string) => bind((context) => chooseForAll(context, name), NEEDS));
  addExamples(use, ['profile use live', 'profile use sandbox']);
  const list = command
    .command('list', { isDefault: true })
    .description('list the profiles (the default)')
    .action(() => bind(listProfiles, NEEDS));
  addExamples(list, ['profile list', 'profile list --json']);
  const show = command
    .command('show')
    .description('show the settings of a profile')
    .argument('[name]', 'name of the profile (default: the one in use)')
    .action((name: string | undefined) => bind((context) => showProfile(context, name), NEEDS));
  addExamples(show, ['profile show', 'profile show live']);
  const remove = command
    .command('remove')
    .description('remove a profile; its wallet is kept')
    .argument('<name>', NAME)
    .action((name: string) => bind((context) => removeProfile(context, name), NEEDS));
  addExamples(remove, ['profile remove live']);
}

function declareAdd(command: Command, bind: Bind): void {
  const add = command
    .command('add')
    .description('save a host and a wallet, given by the global options, under a name')
    .argument('<name>', 'letters, digits, - and _')
    .option('--signer-address <address>', 'address that the signer command signs for')
    .option('--partner-secret-file <file>', 'file with the secret of your partner id')
    .option('--country <code>', 'two-letter code of your country')
    .action((name: string) => {
      const said = add.optsWithGlobals<Profile>();
      return bind((context) => addProfile(context, name, said), NEEDS);
    });
  addExamples(add, [
    'profile add live --checkout-url https://host.example --rpc-url https://rpc.example',
    'profile add test --checkout-url http://127.0.0.1:4020 --country de',
  ]);
}

/** Adds a profile. Refuses a live host with the sandbox's wallet before writing anything. */
async function addProfile(context: BuyerContext, name: string, said: Profile): Promise<View> {
  // Names that differ only in case would share a wallet file on Windows and macOS.
  const folded = checkProfileName(name).toLowerCase();
  if (folded === SANDBOX_PROFILE) {
    throw builtIn(t`Choose another name.`);
  }
  const profile = await checkedProfile(context, said);
  const after = await changeConfig(context, name, (config) => {
    const taken = [...config.profiles.keys()].find((one) => one.toLowerCase() === folded);
    if (taken === undefined) return withProfile(config, name, profile);
    throw new ScripError('INPUT_INVALID', t`A profile ${taken} already exists`, {
      hint: commandText`Change it: scrip config set <key> <value> --profile ${taken}`,
    });
  });
  return {
    kind: 'record',
    record: await profileRecord(after, context),
    lines: await profileLines(after, context),
    note: commandText`Use it with --profile ${name}, or for every command: scrip profile use ${name}`,
  };
}

function builtIn(hint: Message): ScripError {
  const message = t`The profile ${SANDBOX_PROFILE} is built in and cannot be changed this way`;
  return new ScripError('INPUT_INVALID', message, { hint });
}

async function checkedProfile(context: BuyerContext, said: Profile): Promise<Profile> {
  const values: Partial<Record<SettingName, string>> = {};
  for (const row of SETTINGS) {
    const value = said[row.name];
    const label = row.flag ?? `--${row.key.replaceAll('_', '-')}`;
    if (value !== undefined) values[row.name] = await savedText(context, row, value, label);
  }
  checkTogether(values);
  return values;
}

const COLUMNS: readonly Column<ProfileRecord>[] = [
  { header: t`PROFILE`, cell: ({ name }) => name, isWhole: true },
  { header: t`IN USE`, cell: ({ is_current }) => (is_current ? t`yes` : '') },
  { header: t`MONEY`, cell: ({ money }) => moneyText(money) },
  { header: t`HOST`, cell: ({ checkout_url }) => checkout_url },
  { header: t`WALLET`, cell: ({ keypair, signer }) => keypair ?? signer ?? '', dropOrder: 1 },
];

async function listProfiles(context: BuyerContext): Promise<View> {
  const config = await readConfig(context);
  return listView({
    records: await Promise.all(
      namesOf(config).map((name) => profileRecord(profileSettings(context, config, name), context)),
    ),
    columns: COLUMNS,
  });
}

async function showProfile(context: BuyerContext, name: string | undefined): Promise<View> {
  const config = await readConfig(context);
  const wanted = name ?? context.settings.profile;
  checkThere(context, config, wanted);
  const settings = profileSettings(context, config, wanted);
  return listView({
    records: settingRecords(settings).map((record) =>
      record.key === 'profile' ? { ...record, source: 'file' as const } : record,
    ),
    columns: SETTING_COLUMNS,
    note: t`Money: ${await moneyOf(context, settings)}.`,
  });
}

async function removeProfile(context: BuyerContext, name: string): Promise<RecordView> {
  const config = await readConfig(context);
  if (name === SANDBOX_PROFILE) {
    throw builtIn(t`Remove its settings one at a time: scrip config unset <key>`);
  }
  checkThere(context, config, name);
  const { keypairPath, signer } = profileSettings(context, config, name);
  const isChosen = config.profile === name;
  await changeConfig(context, SANDBOX_PROFILE, (before) => {
    const { profiles } = withProfile(before, name, undefined);
    return isChosen ? { profiles } : { ...before, profiles };
  });
  const wallet = signer?.command[0] ?? keypairPath;
  return {
    kind: 'record',
    record: { name, removed: true, wallet_kept: wallet, was_in_use: isChosen },
    lines: [
      [t`Removed`, name],
      [t`Wallet`, t`${wallet} (unchanged)`],
    ],
    ...(isChosen ? { note: t`Commands without --profile use the sandbox again.` } : {}),
  };
}

/** The sandbox's profile exists without a file. */
function namesOf({ profiles }: Config): readonly string[] {
  return [...new Set([SANDBOX_PROFILE, ...profiles.keys()])];
}

function checkThere({ settings }: With<'settings'>, config: Config, name: string): void {
  if (!namesOf(config).includes(name)) throw unknownProfile(name, config, settings.configPath);
}

async function profileRecord(settings: Settings, context: BuyerContext): Promise<ProfileRecord> {
  const { profile, checkoutUrl, rpcUrl, keypairPath, signer } = settings;
  return {
    name: profile,
    is_current: profile === context.settings.profile,
    money: await moneyOf(context, settings),
    is_embedded: settings.isEmbedded,
    checkout_url: checkoutUrl,
    api_url: settings.apiUrl,
    rpc_url: rpcUrl,
    keypair: signer === undefined ? keypairPath : null,
    signer: signer === undefined ? null : JSON.stringify(signer.command),
    partner_id: settings.partnerId,
    country: settings.countryCode ?? null,
  };
}

async function profileLines(
  settings: Settings,
  context: With<'parts' | 'keys'>,
): Promise<RecordView['lines']> {
  return [
    [t`Profile`, settings.profile],
    [t`Host`, hostOf(settings)],
    [t`RPC`, settings.rpcUrl],
    [t`Money`, moneyText(await moneyOf(context, settings))],
    [t`Wallet`, settings.signer?.command[0] ?? settings.keypairPath],
  ];
}
