/** The program in Spanish, as a person and as a script meet it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, isExecutable, makeHome } from '../support/cli.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';
import { answering, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const ES = { env: { SCRIP_LANG: 'es' } };
const TEXTS = fileURLToPath(new URL('../../dist/texts/es/help/', import.meta.url));
const GIFT = ['--country', 'us', '--brand', 'Amazon.com', '--to', 'friend@example.com'];
const BUYER = ['--email', 'you@example.com'];

const home = makeHome();
await fundedWallet(home);
const { product_id: productId } = amazonProducts().fixed;
const ORDER = ['order', productId, ...GIFT, ...BUYER];

const saidOn = ({ stderr }: CliResult): string => stderr;

describe('in Spanish', () => {
  it('an order is rehearsed', async () => {
    const { status, stdout } = await home.run([...ORDER, '--dry-run'], ES);
    expect(status).toBe(0);
    expect(stdout).toContain('Comerciante\tel sandbox integrado\n');
    expect(stdout).toMatch(/\nComo máximo\t[\d.]+ USDC en Solana\n/);
  });

  it('the questions are asked and answered', async () => {
    const answers = ['giftcard', 'Atrás', 'giftcard', 'US', 'Amazon.com', '25'];
    const rest = ['friend@example.com', 'USDC', 'Solana', 'you@example.com', 'sí'];
    const input = `${[...answers, ...rest].join('\n')}\n`;
    const words = ['wizard', '--plain', '--yes', '--max-amount', '30'];
    const { status, stdout, stderr } = await home.run(words, { ...ES, input });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Pedido\t/)]);
    expect(stderr).toContain('Pregunta 2 de 9: ¿En qué país se va a usar? Respuesta: código');
    expect(stderr).toContain('como máximo 30.00\n');
    expect(stderr).not.toMatch(/question|answer|\bthe\b/i);
  });

  it('what programs read is as it is in English', async () => {
    for (const words of [
      ['brands', '--country', 'us', '--json'],
      ['brands', '--country', 'us', '--csv'],
      ['catalog', '--country', 'us', '--brand', 'Amazon.com', '--via', 'partner', '--json'],
      ['config', 'get', 'country', '--json'],
      ['errors', '--ndjson'],
      ['brands', '--country', 'zz', '--json'],
    ]) {
      const english = await home.run(words);
      const spanish = await home.run(words, { env: { LC_ALL: 'es_ES.UTF-8' } });
      expect([words, spanish]).toEqual([words, english]);
    }
  });
});

describe('the language', () => {
  const refusal = ['brands', '--country', 'zz'];
  const isSpanish = async (env: Record<string, string>, flags: readonly string[] = []) =>
    saidOn(await home.run([...refusal, ...flags], { env })).includes('No hay ningún país «zz»');

  it('is the flag’s, the variable’s, the profile’s, the system’s', async () => {
    expect(await isSpanish({})).toBe(false);
    expect(await isSpanish({ LANG: 'es_ES.UTF-8' })).toBe(true);
    await home.run(['config', 'set', 'lang', 'en']);
    expect(await isSpanish({ LANG: 'es_ES.UTF-8' })).toBe(false);
    await home.run(['config', 'set', 'lang', 'es']);
    expect(await isSpanish({})).toBe(true);
    expect(saidOn(await home.run(['brnds']))).toContain('La orden «brnds» no existe');
    expect((await home.run(['--help'])).stdout).toMatch(/^scrip compra /);
    expect(await isSpanish({ SCRIP_LANG: 'en' })).toBe(false);
    expect(await isSpanish({ SCRIP_LANG: 'en' }, ['--lang', 'es'])).toBe(true);
    await home.run(['config', 'unset', 'lang']);
  });

  it('of a help is that of the program, built or not', async () => {
    const built = readFileSync(`${TEXTS}order/index`, 'utf8');
    expect(built).toMatch(/^Uso: scrip order/);
    const quick = await home.run(['order', '--help'], {
      env: { NODE_DEBUG: 'esm', LANG: 'es_AR.UTF-8' },
    });
    expect([quick.stdout, quick.stderr.includes('dist/main.js')]).toEqual([built, false]);
    expect((await home.run(['order', '--help', '--lang', 'es'])).stdout).toBe(built);
    expect((await home.run(['help', 'order', '--lang', 'en'], ES)).stdout).toMatch(/^Usage: /);
    const topic = await home.run(['help', 'money'], ES);
    expect(topic.stdout).toBe(readFileSync(`${TEXTS}money/index`, 'utf8'));
    expect(topic.stdout).toMatch(/^El dinero se mueve/);
  });

  // The executable has no chunks, and Bun tells nobody what it has loaded.
  it.skipIf(isExecutable)('is loaded only where it is spoken', async () => {
    const loaded = async (lang: string) => {
      const folder = join(home.dir, `loaded-${lang}`);
      const env = { NODE_V8_COVERAGE: folder, SCRIP_LANG: lang };
      await home.run(['errors', '--json'], { env });
      const lists = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
      return lists.some((list) => /chunks\/es-\w+\.js/.test(list));
    };
    expect([await loaded('es'), await loaded('en')]).toEqual([true, false]);
  });
});

const idOf = (index: number): string => `0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b0${index}`;
/** Names that a merchant may give: each is a text of ours, or looks like one with a value in it. */
const STRANGE = ['Gift for Mom', 'none', 'Opened', 'yes', 'play', 'lines'];

describe('what others wrote', () => {
  let shop: ServedSandbox;
  let here: readonly string[];
  beforeAll(async () => {
    const brands = STRANGE.map((name, index) => ({
      brand_name: name,
      family: `${name} and more`,
      country_code: 'us',
      category: 'retail',
      products: [{ product_id: idOf(index), product_name: name, face_value: '25' }],
    }));
    writeFileSync(join(home.dir, 'strange.json'), JSON.stringify({ brands }));
    shop = await serveSandbox(home, ['--catalog', join(home.dir, 'strange.json')]);
    here = [...shop.flags, '--api-url', shop.url];
  });
  afterAll(() => shop.stop());

  const inBoth = async (words: readonly string[], input = '') => {
    const said = async (lang: string) => {
      const { stdout, stderr } = await home.run([...words, ...here, '--lang', lang], { input });
      return `${stdout}${stderr}`;
    };
    return [await said('en'), await said('es')] as const;
  };

  it('stays in tables and in JSON', async () => {
    const [english, spanish] = await inBoth(['brands', '--country', 'us']);
    for (const name of STRANGE) expect(english).toMatch(new RegExp(`^${name}\\t${name} and`, 'm'));
    expect(spanish).toBe(english);
    const one = ['catalog', '--country', 'us', '--brand', 'none'];
    const [product, producto] = await inBoth([...one, '--via', 'partner']);
    expect([product, producto]).toEqual([expect.stringContaining('\tnone\t'), product]);
    expect((await inBoth([...one, '--json']))[1]).toBe((await inBoth([...one, '--json']))[0]);
  });

  // Every one of them is in the lists above; these run through all else.
  it.each(['Gift for Mom', 'none'])('stays in records, errors and hints: %s', async (name) => {
    const id = idOf(STRANGE.indexOf(name));
    const where = ['--country', 'us', '--brand', name];
    const people = ['--to', 'friend@example.com', ...BUYER, '--dry-run'];
    const cases: readonly (readonly [string[], RegExp, RegExp])[] = [
      [
        ['price', id, ...where],
        new RegExp(`Brand\t${name}\nFace value\t25 USD`),
        new RegExp(`Marca\t${name}\nValor nominal\t25 USD`),
      ],
      [
        ['order', id, ...where, ...people],
        new RegExp(`^Product\t${name}(?: 25 USD)?$`, 'm'),
        new RegExp(`^Producto\t${name}(?: 25 USD)?$`, 'm'),
      ],
      [
        ['price', name, ...where],
        new RegExp(`: ${name} has no product "${name}" in US\nhint: To see what is sold: scrip`),
        new RegExp(`: ${name} no tiene ningún producto «${name}» en US\nsugerencia: `),
      ],
      [
        ['catalog', '--country', 'us', '--brand', `${name}zz`],
        new RegExp(`Did you mean --brand .?${name}`),
        new RegExp(`¿Quiso decir --brand .?${name}`),
      ],
    ];
    for (const [words, english, spanish] of cases) {
      expect(await inBoth(words)).toEqual([
        expect.stringMatching(english),
        expect.stringMatching(spanish),
      ]);
    }
  });
});

describe.skipIf(noTerminalBecause !== undefined)('on a terminal', () => {
  const open = (words: readonly string[], rows = 24) =>
    openTerminal([...words, '--lang', 'es'], home, { rows });

  it('headers are told, and a yes is given in Spanish', async () => {
    const list = await answering(open(['brands', '--country', 'us', '--limit', '3']));
    expect(list.screen).toMatch(/MARCA\s+FAMILIA\s+CATEGORÍA/);
    expect(list.screen).toMatch(/Se muestran 3 de \d+; quite --limit para verlos todos\./);
    const order = await answering(open(ORDER), ['¿Comprarlo? (s/N/?)', 'Sí\r']);
    expect(order.seen[0]).toContain('Tarjeta regalo de Amazon.com · 10 USD · Estados Unidos');
    expect([order.status, order.screen]).toEqual([
      0,
      expect.stringMatching(/Pagado\s+10\.10 USDC/),
    ]);
  });

  it('another word is no answer, and a no buys nothing', async () => {
    const { status, screen } = await answering(
      open([...ORDER, '--allow-duplicate']),
      ['(s/N/?)', 'sin duda\r'],
      ['Escriba s para sí', 'n\r'],
    );
    expect([status, screen.includes('Usted no aceptó; no se cobró nada')]).toEqual([7, true]);
  });
});
