/** Returns the system's error code, such as ENOENT or ECONNREFUSED; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Returns the system's error code as a suffix for a message: ` (ENOSPC)`, or an empty text. */
export function codeInBrackets(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? '' : ` (${code})`;
}
