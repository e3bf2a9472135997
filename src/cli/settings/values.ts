/** Checks the text of a setting, wherever it comes from. */

import { baseAddress, checkNetwork } from '../../domain/address/base-address.ts';
import { checkEmail } from '../../domain/address/email.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { countryCode } from '../../domain/product/country.ts';
import { refuseSecretWord } from '../../domain/secret-word.ts';
import { checkLanguage } from '../i18n/localize.ts';
import { INSTANT_HINT, readInstant, type TypedInstant, wordsOfJson } from '../parsing/words.ts';
import type { Profile, SettingName } from './table.ts';

/** Names of devices are no names of files on Windows. */
const PROFILE_NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9_-]{1,40}$/i;
const ADDRESS = /^(?:[1-9A-HJ-NP-Za-km-z]{32,44}|0x[0-9a-fA-F]{40})$/;

/** Checks a partner id, which is sent as a header. @throws {ScripError} INPUT_INVALID */
export function checkPartnerId(id: string): string {
  if (/^[\x21-\x7e]{1,100}$/.test(id)) return id;
  throw new ScripError(
    'INPUT_INVALID',
    t`A partner id is 1 to 100 printable characters without spaces`,
  );
}

/** Returns the country's code in lowercase. @throws {ScripError} INPUT_INVALID */
export function checkCountry(text: string): string {
  const code = countryCode(text);
  if (code !== undefined) return code;
  throw new ScripError(
    'INPUT_INVALID',
    t`The country "${text}" in the settings is not a two-letter code`,
  );
}

/**
 * Checks a default recipient, before any product is known: an e-mail address or a phone number.
 * @throws {ScripError} EMAIL_INVALID, BENEFICIARY_INVALID
 */
export function checkRecipient(text: string): string {
  if (text.includes('@')) return checkEmail(text);
  if (/^\s*\+[0-9 ().-]+$/.test(text)) return text.trim();
  throw new ScripError(
    'BENEFICIARY_INVALID',
    t`"${text}" is neither an e-mail address nor a phone number with + and country code`,
  );
}

/** Checks a profile's name. @throws {ScripError} INPUT_INVALID */
export function checkProfileName(name: string): string {
  if (PROFILE_NAME.test(name)) return name;
  throw new ScripError('INPUT_INVALID', t`"${name}" is not a profile name`, {
    hint: t`Profile names are letters, digits, - and _, at most 40, and no device of Windows such as aux.`,
  });
}

/**
 * Parses the signer command: the path of a program, or a JSON array of the path and its arguments. No shell
 * reads it.
 * @throws {ScripError} INPUT_INVALID
 */
export function parseCommand(text: string): readonly string[] {
  const words = text.trimStart().startsWith('[') ? wordsOfJson(text) : [text];
  // A bare name would be looked up in PATH, which may include the working folder.
  if (words?.[0] !== undefined && isAbsolute(words[0])) return words;
  throw new ScripError(
    'INPUT_INVALID',
    t`The signer command is not the absolute path of a program`,
    {
      hint: t`With arguments, write a JSON array: '["/path/to/signer","--slot","1"]'`,
    },
  );
}

/** Parses --key-since. @throws {ScripError} INPUT_INVALID */
export function parseKeySince(text: string): TypedInstant {
  const instant = readInstant(text);
  if (instant !== undefined) return instant;
  throw new ScripError('INPUT_INVALID', t`--key-since "${text}" is not a date`, {
    hint: INSTANT_HINT,
  });
}

const CHECKS: Readonly<Record<SettingName, (text: string, label: string) => unknown>> = {
  checkoutUrl: baseAddress,
  apiUrl: baseAddress,
  mcpUrl: baseAddress,
  siteUrl: baseAddress,
  rpcUrl: baseAddress,
  rpcUrl2: baseAddress,
  baseRpcUrl: baseAddress,
  network: checkNetwork,
  keypair: (text, label) => {
    refuseSecretWord([text]);
    checkPath(text, label);
  },
  signerCommand: parseCommand,
  signerAddress: (text, label) => {
    if (!ADDRESS.test(text)) throw refused(t`${label} is an address neither of Solana nor of Base`);
  },
  passphraseFile: (text, label) => {
    if (text !== '-') checkPath(text, label);
  },
  keySince: parseKeySince,
  partnerId: checkPartnerId,
  partnerSecretFile: checkPath,
  caFile: checkPath,
  country: checkCountry,
  email: checkEmail,
  to: checkRecipient,
  updateNotice: (text, label) => {
    if (text !== 'on' && text !== 'off') throw refused(t`${label} is neither on nor off`);
  },
  lang: checkLanguage,
};

/**
 * Checks one value of a profile.
 * @param label the value's name in errors.
 * @throws {ScripError} INPUT_INVALID
 */
export function checkValue(name: SettingName, text: string, label: string): void {
  if (text === '') throw refused(t`${label} is empty`);
  CHECKS[name](text, label);
}

/**
 * Checks the values of one profile together.
 * @throws {ScripError} INPUT_INVALID when a key file and a signer command are both named
 */
export function checkTogether({ keypair, signerCommand }: Profile): void {
  if (keypair === undefined || signerCommand === undefined) return;
  throw new ScripError('INPUT_INVALID', t`Use either a key file or a signer command, not both`, {
    hint: t`Leave --keypair or --signer-command out.`,
  });
}

/** A path must not depend on the user's current folder. */
function checkPath(text: string, label: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (isAbsolute(text) && !/[\u0000-\u001f\u007f]/.test(text)) return;
  throw refused(t`${label} is not an absolute path`);
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(path);
}

function refused(message: Message): ScripError {
  return new ScripError('INPUT_INVALID', message);
}
