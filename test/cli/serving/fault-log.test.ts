import { describe, expect, it } from 'vitest';
import { createFaultLog } from '../../../src/cli/serving/fault-log.ts';
import { ScripError } from '../../../src/domain/errors.ts';
import { verbatim } from '../../../src/domain/message.ts';

function told(...errors: readonly unknown[]): string {
  const lines: string[] = [];
  const report = createFaultLog((line) => lines.push(line));
  for (const error of errors) report(error);
  return lines.join('');
}

const fault = (message: string, subject?: string): ScripError =>
  new ScripError('MERCHANT_ERROR', verbatim(message), { details: { subject } });

describe('faults of the service', () => {
  it('are told in plain words, without the name of a class', () => {
    expect(told(new TypeError('it broke'))).toBe('warning: it broke\n');
  });

  it('are told once, however often they happen', () => {
    expect(told(fault('away'), fault('away'))).toBe('warning: away\n');
  });

  it('of one delivery are one line, whatever each says', () => {
    expect(told(fault('call 1 was lost', 'd1'), fault('call 2 was lost', 'd1'))).toBe(
      'warning: call 1 was lost\n',
    );
  });

  it('of two deliveries are two lines', () => {
    expect(told(fault('one', 'd1'), fault('two', 'd2'))).toBe('warning: one\nwarning: two\n');
  });

  it('cannot move the cursor', () => {
    expect(told(fault('\u001b[2K'))).not.toContain('\u001b');
  });
});
