/** Compares a secret in constant time, so that timing does not reveal how much of it matches. */
export function isSameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  }
  return difference === 0;
}
