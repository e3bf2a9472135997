import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkLanguage,
  inEnglish,
  localizeBy,
  localizer,
  systemLanguage,
} from '../../../src/cli/i18n/localize.ts';
import { parserMessage } from '../../../src/cli/parsing/misspelling.ts';
import { languageAhead } from '../../../src/cli/settings/settings.ts';
import { commandText, ownText } from '../../../src/domain/message/command-text.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { joined, sentence, t, verbatim } from '../../../src/domain/message/message.ts';

const localize = localizeBy({
  'not found': 'no encontrado',
  'Order {0} is {1}': 'el pedido {0} está {1}',
  'from {0} to {1}': 'hasta {1} desde {0}',
  none: 'ninguno',
  ' and ': ' y ',
  'a text with $& and {braces}': 'un texto con $& y {braces}',
});

describe('a message', () => {
  it.each([
    [t`not found`, 'no encontrado'],
    [t`Order ${7} is ${t`not found`}`, 'el pedido 7 está no encontrado'],
    [t`Order ${7n} is ${'not found'}`, 'el pedido 7 está not found'],
    [t`nobody has translated ${t`none`}`, 'nobody has translated ninguno'],
    [t`${'none'}`, 'none'],
    [verbatim('not found'), 'not found'],
    [sentence('not found'), 'no encontrado'],
    [t`a text with $& and {braces}`, 'un texto con $& y {braces}'],
    [joined(['none', t`none`, 1]), 'none, ninguno, 1'],
    [joined(['a', 'b'], t` and `), 'a y b'],
    [joined([]), ''],
    [t``, ''],
    [sentence('toString'), 'toString'],
    [commandText`Order ${'a b'} is ${ownText(t`none`)}`, "el pedido 'a b' está ninguno"],
  ])('%j is said as %j', (message, said) => {
    expect(localize(message)).toBe(said);
  });

  it('has its values whatever they look like', () => {
    expect(localize(t`from ${'{1}'} to ${'$& not found'}`)).toBe('hasta $& not found desde {1}');
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(localize(t`from ${one} to ${other}`)).toBe(`hasta ${other} desde ${one}`);
        expect(String(t`from ${one} to ${other}`)).toBe(`from ${one} to ${other}`);
      }),
    );
  });

  it('is its English in JSON and in texts', () => {
    const message = t`Order ${7} is ${t`not found`}`;
    expect(JSON.stringify({ message })).toBe('{"message":"Order 7 is not found"}');
    expect(`${message}`).toBe('Order 7 is not found');
    expect(inEnglish(message)).toBe('Order 7 is not found');
  });
});

describe('in Spanish', () => {
  it.each([
    [
      t`The price is ${'25.25'} ${'USDC'}, more than the ${'20'} allowed`,
      'El precio es 25.25 USDC, más de los 20 permitidos',
    ],
    [
      t`${t`Wrong passphrase. `}Passphrase of ${'/k.json'}`,
      'Contraseña incorrecta. Frase de contraseña de /k.json',
    ],
    [
      parserMessage(
        "option '--kind <kind>' argument 'Gift for Mom' is invalid. Allowed choices are giftcard, esim.",
      ),
      'El valor «Gift for Mom» de la opción «--kind <kind>» no es válido. Las opciones permitidas son giftcard, esim.',
    ],
    [parserMessage("unknown command 'none'"), 'La orden «none» no existe'],
    [parserMessage('what no parser says'), 'what no parser says'],
  ])('%j is %j', async (message, said) => {
    expect((await localizer('es'))(message)).toBe(said);
  });
});

describe('the language', () => {
  it.each([
    [{}, 'en'],
    [{ LANG: 'es_ES.UTF-8' }, 'es'],
    [{ LANG: 'es_ES.UTF-8', LC_MESSAGES: 'en_GB' }, 'en'],
    [{ LC_ALL: 'es', LC_MESSAGES: 'en_GB' }, 'es'],
    [{ LC_ALL: '', LANG: 'ES' }, 'es'],
    [{ LC_ALL: 'C', LANG: 'es_MX' }, 'en'],
    [{ LANG: 'est_EE' }, 'en'],
    [{ LANG: 'eo' }, 'en'],
  ])('of a system with %j is %s', (env, language) => {
    expect(systemLanguage(env)).toBe(language);
  });

  const around = {
    env: { LANG: 'es_ES', SCRIP_LANG: '' },
    home: '/home/ada',
    isInteractive: false,
    readFile: () => '{"profiles":{"sandbox":{"lang":"en"},"casa":{"lang":"es"}}}',
  };
  it.each([
    [['brands', '--lang', 'es'], 'es'],
    [['--lang=es', 'brands'], 'es'],
    [['brands', '--', '--lang', 'es'], 'en'],
    [['brands', '--profile', 'casa'], 'es'],
    [['brands', '--profile', 'casa', '--lang', 'en'], 'en'],
    [['brands', '--lang'], 'en'],
  ])('of %j is %s', (words, language) => {
    expect(languageAhead(words, around)).toBe(language);
  });

  it('of settings that cannot be read is that of the system', () => {
    expect(languageAhead([], { ...around, readFile: () => '{' })).toBe('es');
  });

  it('that there are no messages in is refused, with those that there are', () => {
    const refused = () => checkLanguage('pt');
    expect(refused).toThrow(ScripError);
    expect(refused).toThrow('There are no messages in the language "pt"');
  });
});
