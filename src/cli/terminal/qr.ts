/** Draws QR codes with half-block characters: two rows of modules per line. */

/** Light on dark, as on most terminals: scanners read both, and find the code in a narrow frame. */
export async function qrPicture(text: string): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  return `${renderUnicodeCompact(text, { border: 1 })}\n`;
}
