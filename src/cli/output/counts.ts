/** Counted nouns in sentences. */
import { type Message, t } from '../../domain/message.ts';

export function linesCounted(count: number): Message {
  return count === 1 ? t`1 line` : t`${count} lines`;
}

export function ordersCounted(count: number): Message {
  return count === 1 ? t`1 order` : t`${count} orders`;
}

export function itemsCounted(count: number): Message {
  return count === 1 ? t`1 item` : t`${count} items`;
}
