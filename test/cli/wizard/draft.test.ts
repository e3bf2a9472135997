/** Kept answers: what is written is read again, and nothing else is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftText, parseDraft } from '../../../src/cli/wizard/known-answers.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { ANSWER_KEYS } from '../../../src/domain/wizard/wizard-step.ts';

describe('kept answers', () => {
  it('are read as they were written, some or all of them', () => {
    const some = fc
      .uniqueArray(fc.constantFrom(...ANSWER_KEYS))
      .chain((keys) =>
        fc
          .array(fc.string({ maxLength: 300 }), { minLength: keys.length, maxLength: keys.length })
          .map((values) =>
            Object.fromEntries(keys.map((key, index) => [key, values[index] ?? ''])),
          ),
      );
    fc.assert(
      fc.property(some, (answers) => {
        expect(parseDraft(draftText(answers))).toEqual(answers);
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['half a document', '{"version":1,"answers":{"coun'],
    ['no object', '[]'],
    ['another version', '{"version":2,"answers":{}}'],
    ['no answers', '{"version":1}'],
    ['a field that is not known', '{"version":1,"answers":{},"key":"x"}'],
    ['an answer to nothing', '{"version":1,"answers":{"passphrase":"x"}}'],
    ['a number', '{"version":1,"answers":{"amount":25}}'],
    ['an endless answer', JSON.stringify({ version: 1, answers: { brand: 'x'.repeat(301) } })],
    ['a prototype', '{"version":1,"answers":{"__proto__":"x"}}'],
  ])('that are %s are refused', (_what, text) => {
    expect(() => parseDraft(text)).toThrow(expect.objectContaining({ code: 'DRAFT_INVALID' }));
  });

  it('whatever the file holds, only a ScripError escapes', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"version":1,"answers":${json}}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parseDraft(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ScripError);
        }
      }),
    );
  });
});
