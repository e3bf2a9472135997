/** A certificate that nobody vouches for, made for one test: X.509 written out by hand (RFC 5280). */
import { generateKeyPairSync, sign } from 'node:crypto';

export interface SelfSigned {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
}

/** For a name, valid from yesterday for two days. */
export function selfSigned(name: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const day = 86_400_000;
  const validity = tlv(0x30, [utcTime(Date.now() - day), utcTime(Date.now() + day)]);
  const subject = tlv(0x30, [
    tlv(0x31, [tlv(0x30, [COMMON_NAME, tlv(0x0c, [Buffer.from(name)])])]),
  ]);
  const body = tlv(0x30, [
    tlv(0x02, [Buffer.of(1)]),
    ECDSA_SHA256,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  ]);
  const signature = tlv(0x03, [Buffer.of(0), sign('sha256', body, privateKey)]);
  const der = tlv(0x30, [body, ECDSA_SHA256, signature]).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`,
  };
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

/** id-at-commonName, and ecdsa-with-SHA256 as an algorithm. */
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ECDSA_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
