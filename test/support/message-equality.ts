/** Where a text is expected, a message is compared by its English. */
import { expect } from 'vitest';
import { Message } from '../../src/domain/message/message.ts';

const isText = (value: unknown): boolean => typeof value === 'string' || value instanceof Message;

expect.addEqualityTesters([
  (one: unknown, other: unknown): boolean | undefined =>
    isText(one) && isText(other) ? String(one) === String(other) : undefined,
]);

// `expect.stringContaining` asks a value whether it is a string, and then what it includes. The files of
// one worker share the class: each of them defines it again.
Object.defineProperties(Message.prototype, {
  [Symbol.toStringTag]: { value: 'String', configurable: true },
  includes: {
    configurable: true,
    value(this: Message, part: string): boolean {
      return String(this).includes(part);
    },
  },
});
