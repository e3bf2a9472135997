/**
 * Certificate authorities beside those that Node trusts: of a file that the user names, and of the system's store.
 * Loaded only when a certificate needs them.
 */

import { existsSync, readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { ScripError } from '../domain/message/errors.ts';
import { type Said, t } from '../domain/message/message.ts';

/** What connections to other machines depend on. */
export interface Network {
  /** Names proxies and files of certificate authorities. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** PEM file of more authorities to trust. */
  readonly caFile?: string | undefined;
}

/** Where Linux, BSD and macOS keep their store as a file; the first that exists is read. */
const SYSTEM_FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

interface Authorities {
  /** Where they were found. */
  readonly places: readonly Said[];
  readonly pem: readonly string[];
}

/** @throws {ScripError} INPUT_INVALID for a named file that cannot be read or holds no certificate */
export function readAuthorities({ env, caFile }: Network): Authorities {
  const named = caFile === undefined ? [] : [readNamed(caFile, 'ca_file')];
  // As for OpenSSL, it stands for the system's store.
  const { SSL_CERT_FILE: file } = env;
  const system = file ? [readNamed(file, 'SSL_CERT_FILE')] : systemStore();
  const found = [...named, ...system];
  return { places: found.map(({ place }) => place), pem: found.flatMap(({ pem }) => pem) };
}

/** Options of a connection that trusts them alone: it is made once Node's own did not do. @throws as above */
export function otherAuthorities(network: Network): { readonly secureContext?: tls.SecureContext } {
  const { pem } = readAuthorities(network);
  return pem.length === 0 ? {} : { secureContext: tls.createSecureContext({ ca: [...pem] }) };
}

/** Node 20 cannot read the key chain of macOS or the store of Windows; from 22.15 on, Node can. */
function systemStore() {
  const { getCACertificates } = tls as { getCACertificates?: (kind: 'system') => string[] };
  if (getCACertificates !== undefined) {
    return [{ place: t`the system’s store`, pem: getCACertificates('system') }];
  }
  const file = SYSTEM_FILES.find((path) => existsSync(path));
  return file === undefined ? [] : [{ place: file, pem: [readFileSync(file, 'utf8')] }];
}

function readNamed(path: string, name: string) {
  let pem = '';
  let cause: unknown;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    cause = error;
  }
  if (/-BEGIN CERTIFICATE-/.test(pem)) return { place: path, pem: [pem] };
  const what = cause === undefined ? t`holds no PEM certificate` : t`cannot be read`;
  throw new ScripError('INPUT_INVALID', t`The file of ${name}, ${path}, ${what}`, {
    cause,
    hint: t`Name a PEM file of certificate authorities, or remove the setting.`,
  });
}
