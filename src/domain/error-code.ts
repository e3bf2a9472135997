/** The system's name for what went wrong, such as ENOENT or ECONNREFUSED; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** The same behind a message: ` (ENOSPC)`, or nothing. */
export function codeInBrackets(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? '' : ` (${code})`;
}
