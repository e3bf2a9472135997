/** Places that are few: when all are taken, no address keeps the others out. */

/**
 * Who gives a place up to a newcomer: the one with most of them, if it has more than the newcomer would.
 * @param holders of each place, the address
 * @returns undefined where no one has more
 */
export function giverOf(holders: Iterable<string>, newcomer: string): string | undefined {
  const counts = new Map<string, number>();
  for (const holder of holders) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  if (most <= (counts.get(newcomer) ?? 0) + 1) return undefined;
  return [...counts].find(([, count]) => count === most)?.[0];
}
