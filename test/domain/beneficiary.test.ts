import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkEmail } from '../../src/domain/address/email.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { checkBeneficiary } from '../../src/domain/product/beneficiary.ts';
import { checkAccount, parsePhone } from '../../src/domain/product/phone.ts';
import { fuzzRuns } from '../support/fuzz.ts';

describe('an e-mail address', () => {
  it.each([
    'ann@example.com',
    'ann+delayed@example.com',
    "o'neil@mail.example.co.uk",
    'a.b-c_d@x.io',
  ])('%s is taken', (email) => {
    expect(checkEmail(`  ${email} `)).toBe(email);
  });

  it.each([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ['ann', 'has no @'],
    ['ann example.com', 'contains a space'],
    ['ann@bob@example.com', 'has more than one @'],
    ['@example.com', 'has nothing before the @'],
    ['ann@', 'has no valid domain after the @'],
    ['ann@example', 'has no valid domain after the @'],
    ['ann@-example.com', 'has no valid domain after the @'],
    ['ann@example.c', 'has no valid domain after the @'],
    ['.ann@example.com', 'has a misplaced dot'],
    ['ann..b@example.com', 'has a misplaced dot'],
    ['ann.@example.com', 'has a misplaced dot'],
    ['añn@example.com', 'has invalid characters before the @'],
  ])('"%s" %s', (text, why) => {
    expect(() => checkEmail(text)).toThrow(
      expect.objectContaining({
        code: 'EMAIL_INVALID',
        message: `The e-mail address "${text.trim()}" ${why}`,
      }),
    );
  });

  it('of more than 254 characters is refused', () => {
    expect(() => checkEmail(`${'a'.repeat(250)}@example.com`)).toThrow(/262 characters long/);
  });

  it('that is taken is one that the contract takes too', () => {
    const contract = z.email().max(254);
    const words = fc.stringMatching(/^[A-Za-z0-9_'+.@ -]{0,12}$/);
    fc.assert(
      fc.property(words, words, (local, domain) => {
        const text = `${local}@${domain}.com`;
        try {
          expect(contract.safeParse(checkEmail(text)).success).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: 'EMAIL_INVALID' });
        }
      }),
      { numRuns: fuzzRuns(500) },
    );
  });
});

describe('the beneficiary of a top-up', () => {
  const refused = (text: string, country: string | undefined, why: string) =>
    expect(checkBeneficiary('mobile_topup', text, parsePhone, country)).rejects.toMatchObject({
      code: 'PHONE_INVALID',
      message: `The phone number "${text}" ${why}`,
    });

  it.each([
    ['+14155550123', '+14155550123'],
    ['+1 (415) 555-0123', '+14155550123'],
    ['+55 11 91234-5678', '+5511912345678'],
    [' +447400123456 ', '+447400123456'],
  ])('%s is taken as %s', async (text, number) => {
    expect(await checkBeneficiary('mobile_topup', text, parsePhone)).toBe(number);
    expect(await checkBeneficiary('mobile_topup', text)).toBe(number);
  });

  it.each([
    ['ann@example.com', 'is an e-mail address; a top-up needs a number'],
    ['14155550123', 'does not start with + and the country code'],
    ['0014155550123', 'does not start with + and the country code'],
    ['', 'does not start with + and the country code'],
    ['+1415555CALL', 'has characters that are not digits'],
    ['+1', 'is not a mobile number of any country'],
    ['+1415', 'is not a mobile number of any country'],
    ['+99912345678', 'is not a mobile number of any country'],
    ['+141555501234567890', 'is not a mobile number of any country'],
    // A digit too many, of a length that India has; and a number that rings at home.
    ['+9198765432100', 'is not a mobile number of any country'],
    ['+442071838750', 'is not a mobile number of any country'],
    ['+919876543210.0', 'is written as a decimal number'],
    ['+919876543210,00', 'is written as a decimal number'],
    ['+91 98765 43210.', 'is written as a decimal number'],
  ])('"%s" %s', (text, why) => refused(text, undefined, why));

  it.each([
    ['(415) 555-0123', 'us', '+14155550123'],
    ['1 415 555 0123', 'US', '+14155550123'],
    ['011 44 7400 123456', 'us', '+447400123456'],
    ['07400 123456', 'gb', '+447400123456'],
    ['06.12.34.56.78', 'fr', '+33612345678'],
    ['415.555.0123', 'us', '+14155550123'],
    ['919876543210', 'in', '+919876543210'],
    ['11 91234-5678', 'br', '+5511912345678'],
    ['+14155550123', 'gb', '+14155550123'],
  ])('%s dialled in %s is %s', async (text, country, number) => {
    expect(await checkBeneficiary('mobile_topup', text, parsePhone, country)).toBe(number);
  });

  it.each([
    ['', 'us', 'is not a mobile number of the country US'],
    ['555-0123', 'us', 'is not a mobile number of the country US'],
    ['020 7183 8750', 'us', 'is not a mobile number of the country US'],
    ['415555CALL', 'us', 'has characters that are not digits'],
    ['9876543210.0', 'in', 'is written as a decimal number'],
    ['9876543210,0', 'in', 'is written as a decimal number'],
    ['9.87654321E+09', 'in', 'is written as a decimal number'],
    ['9,87654321e9', 'in', 'is written as a decimal number'],
    // Each of these with the 0 is another person's number.
    ['812345678.0', 'id', 'is written as a decimal number'],
    ['15112345678.0', 'de', 'is written as a decimal number'],
    ['9.876.543.210.0', 'in', 'is written as a decimal number'],
    ['98765432100', 'in', 'is not a mobile number of the country IN'],
    ['98765432100', 'IN', 'is not a mobile number of the country IN'],
  ])('"%s" dialled in %s %s', async (text, country, why) => {
    await refused(text, country, why);
    expect(await parsePhone(text, country)).toBeUndefined();
  });

  it.each([
    ['14155550123', 'us', '+14155550123'],
    ['9198765432100', 'in', /is not a mobile number/],
    ['9876543210.0', 'in', /does not start with|decimal/],
    ['447400123456', 'us', /does not start with/],
  ])('of an order request, %s in %s, is of the country or refused', async (text, country, end) => {
    const checked = checkAccount('mobile_topup', text, { e164Of: country });
    if (typeof end === 'string') expect(await checked).toBe(end);
    else
      await expect(checked).rejects.toMatchObject({
        code: 'PHONE_INVALID',
        message: expect.stringMatching(end),
      });
  });

  it.each([
    ['+14155550123', 'us', true],
    ['+14165550123', 'us', false],
    ['+14165550123', 'ca', true],
    ['+17872345678', 'us', false],
    ['+447400123456', 'us', false],
    ['+447400123456', 'gb', true],
    ['+79161234567', 'kz', false],
    ['+79161234567', 'zz', false],
  ])('%s may be of %s: %s', async (text, country, isOf) => {
    expect((await parsePhone(text))?.isOf(country)).toBe(isOf);
  });

  it('is judged by its shape where nobody knows the countries', async () => {
    expect(await checkBeneficiary('mobile_topup', '+99912345678')).toBe('+99912345678');
    for (const text of ['+1415', '+0123456789', '+1234567890123456']) {
      await expect(checkBeneficiary('mobile_topup', text)).rejects.toThrow(ScripError);
    }
  });

  it('is a number or a PHONE_INVALID, whatever the text', async () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^\+[0-9 ()-]{0,20}$/));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const outcome = await checkBeneficiary('mobile_topup', text, parsePhone).catch(
          (error: unknown) => error,
        );
        if (typeof outcome === 'string') expect(outcome).toMatch(/^\+[1-9]\d{1,14}$/);
        else expect(outcome).toMatchObject({ code: 'PHONE_INVALID' });
      }),
    );
  });
});

describe('the beneficiary of anything else', () => {
  it.each(['giftcard', 'esim', 'other'] as const)(
    'of kind %s is an e-mail address',
    async (kind) => {
      expect(await checkBeneficiary(kind, ' ann@example.com')).toBe('ann@example.com');
      await expect(checkBeneficiary(kind, '+14155550123')).rejects.toMatchObject({
        code: 'EMAIL_INVALID',
        message: '"+14155550123" is a phone number; this product is sent to an e-mail address',
      });
    },
  );

  it.each(['0.5', '25', '37.50'])('is not called a phone number if it is %s', async (text) => {
    await expect(checkBeneficiary('giftcard', text)).rejects.toMatchObject({
      code: 'EMAIL_INVALID',
      message: expect.not.stringContaining('phone number'),
    });
  });
});
