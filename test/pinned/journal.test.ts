/**
 * What is on disk after a purchase, told without a line of src: names and fields of the records, how they
 * are sealed onto each other, and the texts that keys, marks and names are derived from. None of this may
 * change: what was written by one version is read by the next, and a mark is looked for on the chain for ever.
 */
import {
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VersionedTransaction } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { markPlay } from '../support/shop.ts';

/** Of the seed below. */
const ADDRESS = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const PRODUCT = '75735efd-8e6a-8a53-ad6f-5bbd68b1c953';
const HOST = 'embedded:sandbox';
const [CHECKOUT_KEY, PARTNER_KEY] = ['pinned', 'pinned-partner'];

/** Seeds of 32 bytes are PKCS #8 keys with this before them (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED = Buffer.alloc(32, 7);

const home: Home = makeHome();
let key: KeyObject;
beforeAll(async () => {
  key = createPrivateKey({ key: Buffer.concat([PKCS8, SEED]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const keypair = join(home.dir, 'wallet.json');
  writeFileSync(keypair, JSON.stringify([...SEED, ...spki.subarray(-32)]), { mode: 0o600 });
  markPlay(home, ADDRESS);
  const paying = ['--keypair', keypair];
  await home.json(['wallet', 'fund', '--usdc', '200', ...paying]);
  const goods = ['--country', 'us', '--brand', 'Amazon.com', '--to', 'friend@example.com'];
  const agreed = ['--email', 'you@example.com', '--yes', '--max-amount', '60', '--allow-duplicate'];
  const order = ['order', PRODUCT, ...goods, ...agreed, ...paying];
  await home.json([...order, '--idempotency-key', CHECKOUT_KEY]);
  const partner = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];
  await home.json([...order, ...partner, '--idempotency-key', PARTNER_KEY]);
  const cart = join(home.dir, 'cart.csv');
  writeFileSync(cart, `product_id,country,brand,to\n${PRODUCT},us,Amazon.com,a@example.com\n`);
  const whole = ['--email', 'you@example.com', '--yes', '--max-total', '60'];
  await home.json(['order', '--cart', cart, ...whole, ...paying]);
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const journal = (): string => join(home.dir, '.local/state/scrip/journal', ADDRESS);

interface Record {
  readonly line: string;
  readonly seal: string;
}

function record(path: string): Record {
  const [line = '', seal = '', ...rest] = readFileSync(join(journal(), path), 'utf8').split('\n');
  expect(rest, path).toEqual(['']);
  return { line, seal };
}

function inFolder(idempotencyKey: string, name: string): Record {
  return record(join(sha256(idempotencyKey), name));
}

// biome-ignore lint/suspicious/noExplicitAny: whatever was written.
const read = ({ line }: Record): any => JSON.parse(line);

const START =
  'version intentId key host network payer body capAtomic quotedAtomic createdAtMs summary{productId productName brandName countryCode faceValue currency beneficiary}';
const POLICY =
  'policy{perOrder perDay perMerchantPerDay maxOpenIntents minReserve nonInteractive{enabled perOrder} mcp{pay revealCodes}}';
const INTENT = `${START} ${POLICY} kinds`;
const PARTNER_INTENT = `${START} kinds partner{coin network decimals refundAddress name}`;
const ATTEMPT =
  'transaction messageHash signature blockhash lastValidBlockHeight baseline{sourceAccount signature slot} payer number header sessionId requirement amountAtomic asset payTo';

describe('records of the journal', () => {
  it.each([
    [
      CHECKOUT_KEY,
      ['attempt-1.rec', 'fact-1-accepted.rec', 'fact-1-goods.rec', 'fact-1-key.rec', 'intent.rec'],
    ],
    [
      PARTNER_KEY,
      [
        'attempt-1.rec',
        'fact-0-created.rec',
        'fact-0-goods.rec',
        'fact-1-accepted.rec',
        'intent.rec',
      ],
    ],
  ])('of %s lie in a folder that its hash names, for the owner alone', (idempotencyKey, names) => {
    const folder = join(journal(), sha256(idempotencyKey));
    expect(readdirSync(folder).toSorted()).toEqual(names);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it.each([
    [CHECKOUT_KEY, 'intent.rec', undefined],
    [CHECKOUT_KEY, 'attempt-1.rec', 'intent.rec'],
    [CHECKOUT_KEY, 'fact-1-accepted.rec', 'attempt-1.rec'],
    [CHECKOUT_KEY, 'fact-1-goods.rec', 'attempt-1.rec'],
    [PARTNER_KEY, 'intent.rec', undefined],
    [PARTNER_KEY, 'fact-0-created.rec', 'intent.rec'],
    [PARTNER_KEY, 'fact-0-goods.rec', 'intent.rec'],
    [PARTNER_KEY, 'attempt-1.rec', 'intent.rec'],
  ])('%s: %s is sealed onto %s', (idempotencyKey, name, parent) => {
    const before = parent === undefined ? '' : inFolder(idempotencyKey, parent).seal;
    const { line, seal } = inFolder(idempotencyKey, name);
    expect(seal).toBe(sha256(before + line));
    expect(line).toBe(JSON.stringify(JSON.parse(line)));
  });

  it.each([
    [CHECKOUT_KEY, 'intent.rec', `kind intent{${INTENT}}`],
    [CHECKOUT_KEY, 'attempt-1.rec', `kind attempt{${ATTEMPT} offer createdAtMs} intent{${INTENT}}`],
    [CHECKOUT_KEY, 'fact-1-accepted.rec', 'kind fact{fact attempt orderId transaction receipt}'],
    [CHECKOUT_KEY, 'fact-1-key.rec', 'kind fact{fact attempt jwk}'],
    [CHECKOUT_KEY, 'fact-1-goods.rec', 'kind fact{fact attempt status sealed}'],
    [PARTNER_KEY, 'intent.rec', `kind intent{${PARTNER_INTENT}}`],
    [
      PARTNER_KEY,
      'attempt-1.rec',
      `kind attempt{${ATTEMPT} createdAtMs} intent{${PARTNER_INTENT}}`,
    ],
    [PARTNER_KEY, 'fact-0-created.rec', 'kind fact{fact orderId order}'],
    [PARTNER_KEY, 'fact-0-goods.rec', 'kind fact{fact attempt status sealed}'],
  ])('%s: the fields of %s', (idempotencyKey, name, fields) => {
    expect(fieldsOf(read(inFolder(idempotencyKey, name)))).toBe(fields);
  });

  it('say what was agreed on', () => {
    expect(read(inFolder(CHECKOUT_KEY, 'intent.rec')).intent).toMatchObject({
      version: 1,
      key: CHECKOUT_KEY,
      host: HOST,
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      payer: ADDRESS,
      body: `{"email":"you@example.com","items":[{"beneficiary_account":"friend@example.com","product_id":"${PRODUCT}"}]}`,
      capAtomic: '60000000',
      quotedAtomic: '25250000',
      kinds: ['giftcard'],
    });
  });

  it('of the spend log are one chain of numbers', () => {
    const [first, second] = [record('spend/00000001.rec'), record('spend/00000002.rec')];
    expect(first.seal).toBe(sha256(first.line));
    expect(second.seal).toBe(sha256(first.seal + second.line));
    expect(fieldsOf(read(first))).toBe(
      'intentId attempt number merchant amountAtomic atMs owner{pid started space}',
    );
    expect(read(first)).toMatchObject({
      intentId: read(inFolder(CHECKOUT_KEY, 'intent.rec')).intent.intentId,
      attempt: 1,
      number: 1,
      merchant: HOST,
      amountAtomic: '25250000',
    });
  });
});

/** Names of the fields, in their order, with those of objects within. */
function fieldsOf(value: object): string {
  return Object.entries(value)
    .map(([name, field]) => {
      const isObject = typeof field === 'object' && field !== null && !Array.isArray(field);
      return isObject ? `${name}{${fieldsOf(field)}}` : name;
    })
    .join(' ');
}

describe('an order of a cart', () => {
  it('has a key and items that are derived from what is wanted', () => {
    // Product, face value, recipient, note; and how many of these came before, with it.
    const goods = JSON.stringify([PRODUCT, null, 'a@example.com', null]);
    const item = sha256(JSON.stringify([goods, 1])).slice(0, 32);
    const body = {
      email: 'you@example.com',
      items: [{ beneficiary_account: 'a@example.com', product_id: PRODUCT }],
    };
    const digest = sha256(JSON.stringify([HOST, '', [item], body])).slice(0, 32);
    const { intent } = read(inFolder(`cart-${digest}`, 'intent.rec'));
    expect(intent).toMatchObject({
      key: `cart-${digest}`,
      cart: { scope: '', items: [item], pricesAtomic: ['25250000'] },
    });
  });
});

describe('what is derived from the wallet', () => {
  /** What the wallet signs: the header of an off-chain message, version 0, printable ASCII. */
  const TEXT = 'scrip: key for the codes in my purchase journal, version 1';
  const secret = (): Buffer => {
    const header = Buffer.from([0xff, ...Buffer.from('solana offchain'), 0, 0, TEXT.length, 0]);
    return sign(null, Buffer.concat([header, Buffer.from(TEXT)]), key);
  };
  const derived = (info: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret(), ADDRESS, info, 32));
  const markOf = (text: string): Buffer =>
    createHmac('sha256', derived('scrip mark')).update(text).digest();

  it.each([
    [CHECKOUT_KEY, 'fact-1-goods.rec'],
    [PARTNER_KEY, 'fact-0-goods.rec'],
  ])('opens the codes of %s', (idempotencyKey, name) => {
    const { sealed } = read(inFolder(idempotencyKey, name)).fact;
    expect(sealed.slice(0, 3)).toBe('v1.');
    const bytes = Buffer.from(sealed.slice(3), 'base64');
    const decipher = createDecipheriv('aes-256-gcm', derived('scrip vault'), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    const opened = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    expect(JSON.stringify(JSON.parse(opened.toString()))).toMatch(/TEST-\w{4}-\w{4}-\w{4}/);
  });

  it.each([
    [CHECKOUT_KEY, 20_001],
    [PARTNER_KEY, 60_000],
  ])('marks the payment of %s', (idempotencyKey, leastUnits) => {
    const mark = markOf(`${idempotencyKey}\n1`);
    const [low, high] = [mark.readUInt16BE(0) & 0x1fff, mark.readUInt16BE(2) & 0x3fff];
    const { transaction } = read(inFolder(idempotencyKey, 'attempt-1.rec')).attempt;
    const { message } = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    const [limit, price, ...others] = message.compiledInstructions.map(({ data }) =>
      Buffer.from(data),
    );
    expect(others).toHaveLength(1);
    expect([limit?.[0], limit?.readUInt32LE(1)]).toEqual([2, leastUnits + high]);
    expect([price?.[0], price?.readBigUInt64LE(1)]).toEqual([3, BigInt(1_000 + low)]);
  });

  it('names the payment to the checkout host', () => {
    const name = `scrip_${markOf(JSON.stringify(['payment-identifier', HOST, CHECKOUT_KEY])).toString('hex')}`;
    const { header } = read(inFolder(CHECKOUT_KEY, 'attempt-1.rec')).attempt;
    const { extensions } = JSON.parse(Buffer.from(header, 'base64url').toString());
    expect(JSON.stringify(extensions['payment-identifier'])).toContain(`"${name}"`);
  });

  it('names the order to the host of the partner API', () => {
    const { name } = read(inFolder(PARTNER_KEY, 'intent.rec')).intent.partner;
    const mark = markOf(JSON.stringify(['partner-order', HOST, PARTNER_KEY]));
    expect(name).toBe(`scrip_${mark.toString('hex')}`);
    expect(name).toBe('scrip_d6b1215399c1a6f48818b46457bf65b82c9263d56d68d383c38d6efb1c49befe');
  });
});
