/** Every text that people are told has its Spanish, and nothing else has. */
import { describe, expect, it } from 'vitest';
import { COMPOSED } from '../../../src/cli/messages/es/composed.ts';
import { ES } from '../../../src/cli/messages/es.ts';
import { translator } from '../../../src/cli/messages/translate.ts';
import { TOLD_HEADERS, TOLD_LABELS } from '../../../src/cli/output/told.ts';
import { CODES } from '../../../src/domain/errors.ts';
import { toldTexts } from '../../support/told-texts.ts';

const TEXTS = toldTexts();

function placesOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{[~,]?(\d+)\}/g)].map(([, index = '']) => index))].sort();
}

describe('the Spanish catalogue', () => {
  it('has every text of the source that people are told', () => {
    const missing = TEXTS.filter(({ text }) => !Object.hasOwn(ES, text));
    expect(missing, 'texts to be translated: docs/languages.md').toEqual([]);
  });

  it('has no text that nobody is told', () => {
    const known = new Set([...TEXTS.map(({ text }) => text), ...Object.keys(COMPOSED)]);
    expect(Object.keys(ES).filter((text) => !known.has(text))).toEqual([]);
  });

  it('has the values of each text on both sides', () => {
    const uneven = Object.entries(ES).filter(
      ([english, told]) => placesOf(english).join() !== placesOf(told).join(),
    );
    expect(uneven).toEqual([]);
  });

  it('begins and ends texts that are put together as the English ones do', () => {
    const edges = (text: string) => [/^\s*/.exec(text)?.[0], /\s*$/.exec(text)?.[0]];
    const uneven = Object.entries(ES).filter(
      ([english, told]) => edges(english).join('|') !== edges(told).join('|'),
    );
    expect(uneven).toEqual([]);
  });

  it('keeps texts of several lines within 80 columns', () => {
    const lines = Object.values(ES)
      .filter((told) => told.includes('\n'))
      .flatMap((told) => told.split('\n'));
    expect(lines.filter((line) => line.length > 80 && !line.startsWith('  $ '))).toEqual([]);
  });

  it('keeps commands, flags and variables as they are typed', () => {
    const typed = (text: string) =>
      [...text.matchAll(/--[a-z][\w-]+|SCRIP_\w+|<[a-z_ ]+>/g)].map(([found]) => found).toSorted();
    const changed = Object.entries(ES).filter(
      ([english, told]) => typed(english).join(' ') !== typed(told).join(' '),
    );
    expect(changed).toEqual([]);
  });

  it('marks values as its own that a command shows', () => {
    const known = new Set([...TEXTS.map(({ text }) => text), ...Object.keys(COMPOSED)]);
    const stale = [...TOLD_LABELS, ...TOLD_HEADERS].filter((label) => !known.has(label));
    expect(stale).toEqual([]);
  });
});

describe('in Spanish', () => {
  it('every hint of the table of codes is told', async () => {
    const tell = await translator('es');
    const english = Object.values(CODES)
      .map(({ hint }) => hint)
      .filter((hint) => tell(hint) === hint);
    expect(english).toEqual([]);
  });

  it.each([
    [
      'the price is 25.25 USDC, more than the 20 allowed',
      'el precio es 25.25 USDC, más de los 20 permitidos',
    ],
    [
      "option '--kind <kind>' argument 'x' is invalid. Allowed choices are giftcard, esim.",
      'el valor «x» de la opción «--kind <kind>» no es válido. Las opciones permitidas son giftcard, esim.',
    ],
    ['The key file /k.json is a link', 'El archivo de clave /k.json es un enlace'],
    ['the e-mail address "a b" has a space in it', 'el correo «a b» tiene un espacio'],
    [
      '1 of 3 lines bought in 1 order for 25 USDC. 1 of them was bought before; to buy the same again, use an --idempotency-key of its own.',
      'Compradas 1 de 3 líneas en 1 pedido por 25 USDC. 1 de ellas ya estaba comprada; para comprar lo mismo otra vez, use una --idempotency-key propia.',
    ],
    ['That was not it. Passphrase of /k.json: ', 'No era esa. Frase de contraseña de /k.json: '],
    ["unknown command 'brnds'", 'la orden «brnds» no existe'],
    [
      'Of earlier purchases that were unfinished: 2 finished now, 1 still open; run scrip orders resume',
      'De las compras anteriores que estaban sin terminar: 2 terminadas ahora, 1 aún abiertas; ejecute scrip orders resume',
    ],
    [
      'shop.example answered 400: Payment in progress on card.',
      'shop.example respondió 400: Payment in progress on card.',
    ],
    [
      'off a terminal an order needs --yes and --max-amount: nobody can be asked',
      'fuera de un terminal, un pedido necesita --yes y --max-amount: no se puede preguntar a nadie',
    ],
    ['Add --yes and --max-amount.', 'Añada --yes y --max-amount.'],
    [
      'the embedded sandbox answered 404: No order has this id.',
      'el sandbox integrado respondió 404: No order has this id.',
    ],
    [
      'the policy: perOrder is not an amount such as "50": "x"',
      'la política: perOrder no es un importe como "50": «x»',
    ],
    ['there are no messages in the language "xx"', 'no hay mensajes en el idioma «xx»'],
    ['Black and Decker', 'Black and Decker'],
    ['Amazon.com', 'Amazon.com'],
  ])('%j is %j', async (english, told) => {
    expect((await translator('es'))(english)).toBe(told);
  });
});
