/** JSON of `scrip config` and `scrip profile`. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';

export const setting = lazy(() =>
  z.strictObject({
    key: z.string().describe('as in a profile, such as rpc_url'),
    value: z.string().nullable().describe('null if it has no value'),
    source: z
      .enum(['flag', 'environment', 'profile', 'file', 'default'])
      .describe('where the value comes from; `file` is the top level of the settings file'),
    flag: z.string().nullable(),
    variable: z.string().nullable(),
    profile: z.string(),
  }),
);
export type SettingRecord = Infer<typeof setting>;

export const configPath = lazy(() => z.strictObject({ path: z.string() }));

const money = lazy(() => z.enum(['play', 'real']));

export const chosenProfile = lazy(() =>
  z.strictObject({ profile: z.string(), checkout_url: z.string(), money: money() }),
);
export type ChosenProfile = Infer<typeof chosenProfile>;

export const profile = lazy(() =>
  z.strictObject({
    name: z.string(),
    is_current: z.boolean().describe('used by a command that names no profile'),
    money: money(),
    is_embedded: z.boolean(),
    checkout_url: z.string(),
    api_url: z.string(),
    rpc_url: z.string(),
    keypair: z.string().nullable(),
    signer: z.string().nullable().describe('a program that signs instead of a key file'),
    partner_id: z.string(),
    country: z.string().nullable(),
  }),
);
export type ProfileRecord = Infer<typeof profile>;

export const removedProfile = lazy(() =>
  z.strictObject({
    name: z.string(),
    removed: z.literal(true),
    wallet_kept: z.string(),
    was_in_use: z.boolean(),
  }),
);
