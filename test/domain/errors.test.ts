/** The table of errors: what scripts match on, and what people are told. */

import { describe, expect, it } from 'vitest';
import { CODES, type Code, ScripError } from '../../src/domain/message/errors.ts';
import { EXIT_MEANINGS } from '../../src/domain/message/exit-codes.ts';
import { t } from '../../src/domain/message/message.ts';

const codes = Object.keys(CODES) as readonly Code[];

describe.each(codes)('the error %s', (code) => {
  const error = new ScripError(code, t`what happened`);

  it('ends with a documented exit status that is no success', () => {
    expect(error.exit).toBeGreaterThan(0);
    expect(String(EXIT_MEANINGS[error.exit] ?? '')).toMatch(/\w/);
  });

  it('says what to do, in a sentence', () => {
    expect(String(error.hint)).toMatch(/^[A-Z].{8,}/);
  });
});

describe('exit statuses', () => {
  it.each([
    [2, ['none']],
    [5, ['none']],
    [6, ['none']],
    [7, ['none']],
    [9, ['possible']],
    [130, ['possible']],
  ])('%i always means of money: %j', (exit, risks) => {
    const found = codes.filter((code) => CODES[code].exit === exit);
    expect(found.length).toBeGreaterThan(0);
    for (const code of found) expect(risks, code).toContain(CODES[code].fundsAtRisk);
  });

  it('11 means that a person is needed, and never that nothing was at risk', () => {
    for (const code of codes.filter((one) => CODES[one].exit === 11)) {
      expect(CODES[code].fundsAtRisk, code).not.toBe('none');
    }
  });

  it('what may have been paid is never told to be paid again', () => {
    for (const code of codes.filter((one) => CODES[one].fundsAtRisk === 'possible')) {
      expect(String(CODES[code].hint), code).not.toMatch(/\bpay (it )?again\b(?<!not pay again)/i);
    }
  });
});
