/** Markers in everything that is private, and then a search for them in what is given away. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, HERE } from '../support/shop.ts';

const MAIL = 'canary.receiver.q7x@example.com';
const OWN_MAIL = 'canary.buyer.w3z@example.com';
const PHONE = '+14155559900';
const PARTNER_ID = 'canary-partner-4f';
const NOTE = 'canary note for grandma';
const KEY_FILE = '.local/share/scrip/wallets/sandbox.json';
const RPC = 'https://canary-token-77.rpc.example/canary-path-88/?api-key=canary99';

const home = makeHome();
/** What must not be found, by its kind. */
const secrets = new Map<string, string>();

interface Bundle {
  readonly settings: readonly { readonly key: string; readonly value: string | null }[];
  readonly doctor: { readonly ok: boolean; readonly checks: readonly { readonly check: string }[] };
  readonly journal: {
    readonly purchases: number;
    readonly error: string | null;
    readonly by_status: Readonly<Record<string, number>>;
  };
  readonly environment: readonly string[];
  readonly recent_errors: readonly { readonly code: string; readonly verb: string | null }[];
}

/** Every word of the journal's records that looks like an id, a hash or a signature. */
function journalWords(): readonly string[] {
  const dir = join(home.dir, '.local/state/scrip/journal');
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const texts = files.flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isFile() ? [readFileSync(path, 'utf8')] : [];
  });
  return [...new Set(texts.join('\n').match(/[A-Za-z0-9_+/=-]{22,}/g) ?? [])];
}

const { address } = await home.json<{ address: string }>(['wallet', 'new']);
await home.json(['wallet', 'fund', '--usdc', '100']);
const key = Uint8Array.from(JSON.parse(readFileSync(join(home.dir, KEY_FILE), 'utf8')));
const product = amazonProducts().fixed.product_id;
const paying = [...HERE, '--yes', '--max-amount', '60', '--note', NOTE];
const one = await home.json<{
  order_id: string;
  transaction: string;
  deliveries: { voucher_code?: string; pin_serial?: string }[];
}>(['order', product, ...paying, '--to', MAIL, '--email', OWN_MAIL]);
await home.run(['order', product, ...paying, '--to', PHONE, '--email', OWN_MAIL]);
await home.run(['track', 'cr_canaryorder0000000000000']);
await home.run(['brands', '--country', 'canaryland']);
for (const [kind, value] of Object.entries({
  address,
  key: encodeBase58(key),
  seed: encodeBase58(key.slice(0, 32)),
  bytes: [...key.slice(0, 12)].join(','),
  code: one.deliveries[0]?.voucher_code ?? '',
  serial: one.deliveries[0]?.pin_serial ?? '',
  order: one.order_id,
  transaction: one.transaction,
  home: home.dir,
  user: basename(home.dir),
})) {
  expect({ kind, length: value.length > 3 }).toEqual({ kind, length: true });
  secrets.set(kind, value);
}
mkdirSync(join(home.dir, '.config/scrip'), { recursive: true });
const profile = {
  checkout_url: 'https://canary-shop.example',
  rpc_url: RPC.split('?')[0],
  partner_id: PARTNER_ID,
  signer_command: '["/opt/canary-signer","--pin","canary-pin"]',
};
writeFileSync(
  join(home.dir, '.config/scrip/config.json'),
  JSON.stringify({ profiles: { live: profile } }),
);

/** Kinds of secrets that are in a text. */
function found(text: string): readonly string[] {
  const kinds = [...secrets].filter(([, value]) => text.includes(value)).map(([kind]) => kind);
  const words = journalWords().filter((word) => text.includes(word));
  return [...kinds, ...words, ...(text.match(/canary[-.\w]*|grandma|4155559900/gi) ?? [])];
}

describe('scrip doctor --bundle', () => {
  it('holds what helps, and nothing of what is private', async () => {
    const { status, stdout } = await home.run(['doctor', '--bundle']);
    expect(status).toBe(0);
    expect(journalWords().length).toBeGreaterThan(10);
    expect(found(stdout)).toEqual([]);
    const bundle: Bundle = JSON.parse(stdout);
    expect(bundle.doctor.ok).toBe(true);
    expect(bundle.doctor.checks.map(({ check }) => check)).toContain('disk');
    expect(bundle.journal).toMatchObject({ error: null, by_status: { completed: 1 } });
    expect(bundle.recent_errors.map(({ code, verb }) => [code, verb])).toEqual([
      [expect.any(String), 'order'],
      ['ORDER_UNKNOWN', 'track'],
      ['COUNTRY_UNKNOWN', 'brands'],
    ]);
    expect(bundle.settings).toContainEqual({
      key: 'keypair',
      value: '(set)',
      source: 'default',
    });
  });

  it('hides hosts, keys in addresses, commands and names of a profile', async () => {
    const env = { SCRIP_PASSPHRASE: 'canary-passphrase', SCRIP_COUNTRY: 'de', CI: 'canary' };
    const words = ['doctor', '--bundle', '--profile', 'live', '--json'];
    const { status, stdout } = await home.run(words, { env });
    expect(status).toBe(0);
    // The shop itself is named: that is what one asks about.
    expect(found(stdout.replaceAll('canary-shop.example', ''))).toEqual([]);
    const { settings, environment }: Bundle = JSON.parse(stdout);
    const shown = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
    expect(shown).toMatchObject({
      rpc_url: 'https://*.rpc.example',
      partner_id: '(set)',
      signer_command: '(set)',
      country: 'de',
    });
    expect(environment).toEqual(expect.arrayContaining(['SCRIP_COUNTRY', 'CI']));
  });

  it('is written into a new file for its owner alone', async () => {
    const words = ['doctor', '--bundle', '--output', 'bundle.json'];
    const { status, stdout } = await home.run(words);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Written to\tbundle.json\n' });
    const path = join(home.dir, 'bundle.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(found(readFileSync(path, 'utf8'))).toEqual([]);
    expect((await home.run(words)).status).toBe(13);
  });

  it('can be had when the settings cannot be read', async () => {
    const broken = makeHome();
    mkdirSync(join(broken.dir, '.config/scrip'), { recursive: true });
    writeFileSync(join(broken.dir, '.config/scrip/config.json'), '{');
    expect((await broken.run(['doctor', '--bundle', '--json'])).status).toBe(0);
  });
});
