/** Things as they are counted in a sentence. */

export function linesCounted(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

export function ordersCounted(count: number): string {
  return count === 1 ? '1 order' : `${count} orders`;
}

export function itemsCounted(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}
