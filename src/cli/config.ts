/** The user's own profiles, from `config.json` in the configuration folder. Nothing is read from the working folder. */
import { ScripError } from '../domain/errors.ts';

/** What a profile may say; each key has the meaning of the flag of its name. */
export interface Profile {
  readonly checkoutUrl?: string;
  readonly apiUrl?: string;
  readonly mcpUrl?: string;
  readonly rpcUrl?: string;
  readonly rpcUrl2?: string;
  readonly keypair?: string;
  /** Absolute path of a program that signs, or a JSON array of it and its arguments. */
  readonly signerCommand?: string;
  /** Its address, base58; it is asked when left out. */
  readonly signerAddress?: string;
  /** File with the passphrase of the key file; `-` is standard input. */
  readonly passphraseFile?: string;
  /** Partner id of the partner API. */
  readonly partnerId?: string;
  /** Two-letter code of the country that the user is in. */
  readonly country?: string;
}

const KEYS: Readonly<Record<string, keyof Profile>> = {
  checkout_url: 'checkoutUrl',
  api_url: 'apiUrl',
  mcp_url: 'mcpUrl',
  rpc_url: 'rpcUrl',
  rpc_url_2: 'rpcUrl2',
  keypair: 'keypair',
  signer_command: 'signerCommand',
  signer_address: 'signerAddress',
  passphrase_file: 'passphraseFile',
  partner_id: 'partnerId',
  country: 'country',
};

/**
 * Reads `{"profiles": {"<name>": {"checkout_url": "…", …}}}`.
 * @throws {ScripError} INPUT_INVALID on anything else; unknown keys are errors, since a misspelt
 * address would silently be another one
 */
export function parseProfiles(text: string, source: string): ReadonlyMap<string, Profile> {
  const root = record(parseJson(text, source), source, 'the document');
  for (const key of Object.keys(root))
    if (key !== 'profiles') throw invalid(source, `unknown key "${key}"`);
  const profiles = record(root.profiles ?? {}, source, 'profiles');
  return new Map(
    Object.entries(profiles).map(([name, value]) => [
      name,
      profile(value, source, `profiles.${name}`),
    ]),
  );
}

function profile(value: unknown, source: string, path: string): Profile {
  const entries = Object.entries(record(value, source, path)).map(([key, field]) => {
    const name = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (name === undefined) throw invalid(source, `unknown key "${path}.${key}"`);
    if (typeof field !== 'string') throw invalid(source, `${path}.${key} is not text`);
    return [name, field];
  });
  return Object.fromEntries(entries);
}

function record(value: unknown, source: string, path: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid(source, `${path} is not an object`);
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ScripError('INPUT_INVALID', `${source} is not JSON`, { cause });
  }
}

function invalid(source: string, problem: string): ScripError {
  return new ScripError('INPUT_INVALID', `${source}: ${problem}`, {
    hint: `Correct the file; a profile may hold ${Object.keys(KEYS).join(', ')}.`,
  });
}
