/** Returns the tags of an email address: the words after plus signs in its local part. */
export function tagsOf(email: string): readonly string[] {
  const name = email.slice(0, Math.max(email.lastIndexOf('@'), 0));
  return name.toLowerCase().split('+').slice(1);
}
