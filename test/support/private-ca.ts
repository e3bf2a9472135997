/** A certificate authority that nobody trusts, made for one test: X.509 written out by hand (RFC 5280). */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface Certified {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface PrivateCa {
  /** PEM of its own certificate. */
  readonly cert: string;
  /** For host names and IPv4 addresses. */
  issue(...names: readonly string[]): Certified;
}

export function createPrivateCa(): PrivateCa {
  const { privateKey, publicKey } = pair();
  const issuer = { name: 'Company', key: privateKey };
  const ca = certificate(issuer, { name: issuer.name, publicKey, extensions: [IS_CA] });
  return {
    cert: ca,
    issue: (...names) => {
      const own = pair();
      const subject = {
        name: names[0] ?? '',
        publicKey: own.publicKey,
        extensions: [sanOf(names)],
      };
      return {
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        cert: certificate(issuer, subject),
      };
    },
  };
}

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

interface Subject {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** Valid from yesterday for two days. */
function certificate(
  issuer: { readonly name: string; readonly key: KeyObject },
  { name, publicKey, extensions }: Subject,
): string {
  const day = 86_400_000;
  const body = tlv(0x30, [
    tlv(0xa0, [tlv(0x02, [Buffer.of(2)])]),
    tlv(0x02, [Buffer.of(extensions[0] === IS_CA ? 1 : 2)]),
    ECDSA_SHA256,
    named(issuer.name),
    tlv(0x30, [utcTime(Date.now() - day), utcTime(Date.now() + day)]),
    named(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, [tlv(0x30, extensions)]),
  ]);
  const signature = tlv(0x03, [Buffer.of(0), sign('sha256', body, issuer.key)]);
  const der = tlv(0x30, [body, ECDSA_SHA256, signature]).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`;
}

function sanOf(names: readonly string[]): Buffer {
  const entries = names.map((name) =>
    isIPv4(name)
      ? tlv(0x87, [Buffer.from(name.split('.').map(Number))])
      : tlv(0x82, [Buffer.from(name)]),
  );
  // 2.5.29.17, subjectAltName
  return tlv(0x30, [Buffer.from('0603551d11', 'hex'), tlv(0x04, [tlv(0x30, entries)])]);
}

function tlv(tag: number, parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content]);
}

function utcTime(atMs: number): Buffer {
  const text = new Date(atMs).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tlv(0x17, [Buffer.from(text.slice(2))]);
}

/** 1.2.840.10045.4.3.2 */
const ECDSA_SHA256 = tlv(0x30, [Buffer.from('06082a8648ce3d040302', 'hex')]);
/** 2.5.29.19, basicConstraints: critical, a certificate authority */
const IS_CA = tlv(0x30, [
  Buffer.from('0603551d130101ff04053003', 'hex'),
  Buffer.from('0101ff', 'hex'),
]);

/** 2.5.4.3, commonName */
function named(name: string): Buffer {
  const common = tlv(0x30, [Buffer.from('0603550403', 'hex'), tlv(0x0c, [Buffer.from(name)])]);
  return tlv(0x30, [tlv(0x31, [common])]);
}
