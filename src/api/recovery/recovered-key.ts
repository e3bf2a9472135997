/** Keys of entries that a repair wrote without knowing the original key. */
import type { Intent } from '../../domain/journal.ts';

const PREFIX = 'recovered:';

/** @param name what is known instead: the folder, which is the key's hash, or the transaction */
export function recoveredKey(name: string): string {
  return `${PREFIX}${name}`;
}

export function isRecovered({ key }: Pick<Intent, 'key'>): boolean {
  return key.startsWith(PREFIX);
}
