/** A picture of one colour: what a logo is until there is a drawn one. */
import type { Colour } from './colour.ts';

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colour: Colour;
}
