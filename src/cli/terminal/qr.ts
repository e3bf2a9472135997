/** A text as a QR code of half blocks: two rows of modules in one row of characters. */

/** Light on dark, as terminals are; readers take either way round, and find it in a narrow frame. */
export async function qrPicture(text: string): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  return `${renderUnicodeCompact(text, { border: 1 })}\n`;
}
