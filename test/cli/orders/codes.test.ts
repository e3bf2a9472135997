import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forOutput, maskCode, maskCodes } from '../../../src/cli/orders/codes.ts';
import type { RecordView } from '../../../src/cli/output/view.ts';
import { t } from '../../../src/domain/message/message.ts';
import { capture, smallContext, smallSettings } from '../../support/small-context.ts';

const CODE = 'TEST-ABCD-EFGH-1234';
const record = {
  order_id: 'cr_1',
  deliveries: [
    {
      voucher_code: CODE,
      pin_serial: '0042',
      redeem_instructions: `Type ${CODE} at the till`,
      beneficiary_account: 'friend@example.com',
    },
  ],
};
const view: RecordView = {
  kind: 'record',
  record,
  lines: [
    [t`Code`, CODE],
    [t`How to redeem`, `Type ${CODE} at the till`],
    [t`For`, 'friend@example.com'],
  ],
};

describe('a masked code', () => {
  it.each([
    ['1234', '****'],
    ['12345678901', '****'],
    [CODE, '****1234'],
    ['https://redeem.example/card?pin=12345678', 'redeem.example/****'],
    ['https://me:secret@redeem.example/x', '****le/x'],
  ])('of %s is %s', (code, shown) => expect(maskCode(code)).toBe(shown));

  it('is masked where an instruction repeats it, and nothing else is', () => {
    expect(maskCodes(record)).toEqual({
      order_id: 'cr_1',
      deliveries: [
        {
          voucher_code: '****1234',
          pin_serial: '****',
          redeem_instructions: 'Type ****1234 at the till',
          beneficiary_account: 'friend@example.com',
        },
      ],
    });
  });

  it('is nowhere in what is shown, whatever the merchant sends around it', () => {
    const secret = fc
      .string({ minLength: 5, maxLength: 40 })
      .filter((text) => !/^[*]+$/.test(text));
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (code, before, after) => {
        const shown = maskCodes({ voucher_code: code, note: `${before}${code}${after}` });
        expect(shown.voucher_code).toBe(maskCode(code));
        expect(shown.note.split(code)).toHaveLength(
          // Only what stood around the code can spell it again by chance.
          `${before}${maskCode(code)}${after}`.split(code).length,
        );
      }),
    );
  });
});

describe('what hands goods over', () => {
  const inPipe = smallContext({ io: { stdout: capture() } });

  it('masks codes in a pipe and says how to get those of this order', () => {
    const shown = forOutput(inPipe, { ...view, screen: [view.lines] }, { isRevealed: false });
    expect(JSON.stringify(shown)).not.toContain(CODE);
    expect(shown).toMatchObject({
      note: 'Codes are masked when the output is not a terminal. To print them: --reveal, or scrip orders reveal cr_1',
    });
  });

  it.each([
    ['on a terminal', smallContext({ io: { stdout: capture({ isTerminal: true }) } }), false],
    ['in JSON', smallContext({ settings: smallSettings({ json: true }) }), false],
    ['when asked', inPipe, true],
  ])('prints them %s', (_where, context, isRevealed) => {
    expect(forOutput(context, view, { isRevealed })).toBe(view);
  });

  it('adds no word where there is nothing to mask', () => {
    const plain: RecordView = {
      kind: 'record',
      record: { order_id: 'cr_1' },
      lines: [[t`Order`, 'cr_1']],
    };
    expect(forOutput(inPipe, plain, { isRevealed: false })).toBe(plain);
  });
});
