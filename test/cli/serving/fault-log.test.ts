import { describe, expect, it } from 'vitest';
import { createFaultLog, type LogForm, serverLine } from '../../../src/cli/serving/fault-log.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { verbatim } from '../../../src/domain/message/message.ts';

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

describe('the log of a server', () => {
  const logged = (form: LogForm, error: unknown) => {
    const lines: string[] = [];
    createFaultLog(
      (line) => lines.push(line),
      serverLine(form, () => 0),
    )(error);
    return lines.join('');
  };

  it('has the time and a level in each line', () => {
    const at = '1970-01-01T00:00:00.000Z';
    expect(logged('text', fault('away'))).toBe(`${at} warning: away\n`);
    expect(logged('text', new TypeError('it broke'))).toBe(`${at} error: it broke\n`);
  });

  it('is one JSON object a line if it is asked for', () => {
    const line = logged('json', fault('away\nor not'));
    expect(line.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(line)).toEqual({
      ...{ at: '1970-01-01T00:00:00.000Z', level: 'warning', code: 'MERCHANT_ERROR' },
      message: 'away\nor not',
    });
  });
});
