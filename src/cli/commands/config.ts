/** `scrip config`: the settings, where each comes from, and how to change them. */

import type { Command } from 'commander';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { escapeText, t, verbatim } from '../../domain/message/message.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { listView, type RecordView, type TextView, type View } from '../output/view.ts';
import type { SettingRecord } from '../schemas/machine.ts';
import { changeProfile, chooseForAll, savedText, shownPath } from '../settings/config-change.ts';
import type { Settings } from '../settings/settings.ts';
import { keysFor, type Profile, SANDBOX_PROFILE, SETTINGS, settingOf } from '../settings/table.ts';
import { SETTING_COLUMNS, settingRecords } from '../settings/view.ts';

const PROFILE_KEY = 'profile';
const KEYS: readonly string[] = [PROFILE_KEY, ...SETTINGS.map(({ key }) => key)];

export function register(command: Command, bind: Bind): void {
  declareReading(command, bind);
  declareChanging(command, bind);
}

function declareReading(command: Command, bind: Bind): void {
  const get = command
    .command('get')
    .description('print the effective value of one setting')
    .argument('<key>', 'setting, as `scrip config list` names it')
    .action((key: string) => bind(async ({ settings }) => valueView(recordOf(settings, key))));
  addExamples(get, ['config get keypair', 'config get rpc_url --profile live']);
  const list = command
    .command('list', { isDefault: true })
    .description('list every setting with where it comes from (the default)')
    .action(() =>
      bind(async ({ settings }) =>
        listView({ records: settingRecords(settings), columns: SETTING_COLUMNS }),
      ),
    );
  addExamples(list, ['config list', 'config list --profile live --json']);
  const path = command
    .command('path')
    .description('print where the file of the settings is')
    .action(() =>
      bind(async ({ settings }) => pathView(settings.configPath), { isProfileOptional: true }),
    );
  addExamples(path, ['config path']);
}

function declareChanging(command: Command, bind: Bind): void {
  const set = command
    .command('set')
    .description('save a setting in the profile; the key `profile` sets the default profile')
    .argument('<key>', 'setting, as `scrip config list` names it')
    .argument('<value>', 'its value')
    .action((key: string, value: string) => bind((context) => setValue(context, key, value)));
  addExamples(set, [
    'config set country de',
    'config set rpc_url https://rpc.example --profile live',
    'config set profile live',
  ]);
  const unset = command
    .command('unset')
    .description('remove a setting from the profile')
    .argument('<key>', 'setting, as `scrip config list` names it')
    .action((key: string) => bind((context) => unsetValue(context, key)));
  addExamples(unset, ['config unset country', 'config unset rpc_url --profile live']);
}

async function setValue(context: BuyerContext, key: string, value: string): Promise<View> {
  checkKey(key);
  if (key === PROFILE_KEY) return chooseForAll(context, value);
  const { profile } = context.settings;
  const setting = settingOf(key);
  if (setting === undefined || !keysFor(profile).includes(key)) throw notForSandbox(key);
  return changed(context, key, { [setting.name]: await savedText(context, setting, value, key) });
}

async function unsetValue(context: BuyerContext, key: string): Promise<View> {
  checkKey(key);
  if (key === PROFILE_KEY) return chooseForAll(context, SANDBOX_PROFILE);
  const setting = settingOf(key);
  return changed(context, key, setting === undefined ? {} : { [setting.name]: undefined });
}

async function changed(context: BuyerContext, key: string, change: Profile): Promise<RecordView> {
  const { profile } = context.settings;
  const after = await changeProfile(context, change);
  const record = recordOf(after, key);
  const path = shownPath(context.settings);
  const isRemoved = Object.values(change).every((value) => value === undefined);
  const here = recordOf(context.settings, key);
  const isOverruled = here.source === 'flag' || here.source === 'environment';
  return {
    kind: 'record',
    record,
    lines: [
      [t`Profile`, profile],
      [verbatim(key), isRemoved ? t`not set` : (record.value ?? '')],
    ],
    screen: [
      [
        isRemoved
          ? [t`Removed`, `${key} (${path})`]
          : [t`Saved`, `${key} = ${record.value} (${path})`],
      ],
    ],
    ...(isOverruled
      ? { note: t`${(here.source === 'flag' ? here.flag : here.variable) ?? ''} is set and wins.` }
      : {}),
  };
}

function recordOf(settings: Settings, key: string): SettingRecord {
  const record = settingRecords(settings).find((candidate) => candidate.key === key);
  if (record !== undefined) return record;
  throw unknownKey(key);
}

function checkKey(key: string): void {
  if (!KEYS.includes(key)) throw unknownKey(key);
}

function unknownKey(key: string): ScripError {
  return new ScripError('INPUT_INVALID', t`There is no setting "${key}"`, {
    hint: commandText`Available: ${wordList(KEYS)}.`,
    details: { key, keys: KEYS },
  });
}

function notForSandbox(key: string): ScripError {
  return new ScripError(
    'INPUT_INVALID',
    t`The profile ${SANDBOX_PROFILE} cannot have ${key}: it uses test money on this machine`,
    { hint: t`Create a profile for it: scrip profile add <name> --checkout-url <url>` },
  );
}

function valueView(record: SettingRecord): TextView {
  return { kind: 'text', text: `${escapeText(record.value ?? '')}\n`, record };
}

function pathView(path: string): TextView {
  return { kind: 'text', text: `${escapeText(path)}\n`, record: { path } };
}
