/** The words after plus signs in the name of an e-mail address. */
export function tagsOf(email: string): readonly string[] {
  const name = email.slice(0, Math.max(email.lastIndexOf('@'), 0));
  return name.toLowerCase().split('+').slice(1);
}
