/** Colours of brands and coins without a picture: the same id always has the same colour. */

export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Within this range white text is readable and colours are muted. */
const DARKEST = 40;
const LIGHTEST = 167;

/** Derives a colour from a text (FNV-1a): for looks, not for secrets. */
export function colourOf(id: string): Colour {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193) >>> 0;
  }
  const channel = (shift: number) =>
    DARKEST + (((hash >>> shift) & 0xff) % (LIGHTEST - DARKEST + 1));
  return { red: channel(0), green: channel(8), blue: channel(16) };
}

/** Formats a colour as `#RRGGBB`, the form of `bg_color`. */
export function formatColour({ red, green, blue }: Colour): string {
  const hex = [red, green, blue].map((channel) => channel.toString(16).padStart(2, '0'));
  return `#${hex.join('')}`;
}
