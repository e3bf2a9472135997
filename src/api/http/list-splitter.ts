/**
 * The elements of a JSON list while its text still comes in. A part of the text counts as elements
 * when it is valid JSON between brackets: a comma or brace within a text can never pass for the end
 * of one, since what is cut there is no JSON.
 */
import { parseJson } from './exchange.ts';

/** What is left at the end. */
export type SplitEnd =
  | { readonly isList: true; readonly rest: readonly unknown[] }
  /** It was no list: what the whole text says, as far as nothing was handed out before. */
  | { readonly isList: false; readonly whole: unknown };

export interface ListSplitter {
  /** Takes more of the text; gives the elements that are whole now, in their order. */
  push(text: string): readonly unknown[];
  end(): SplitEnd;
}

/** How many ends of an object are tried before more text is waited for. */
const MAX_TRIES = 3;

export function createListSplitter(): ListSplitter {
  let pending = '';
  let isBegun = false;
  /** What could not be split is looked at again when it has doubled: work stays in proportion. */
  let nextLookAt = 0;

  return {
    push(text) {
      pending += text;
      if (!text.includes('}') || pending.length < nextLookAt) return [];
      const body = afterOpening(pending, isBegun);
      const found = body === undefined ? undefined : wholeElements(body);
      nextLookAt = found === undefined ? pending.length * 2 : 0;
      if (found === undefined) return [];
      pending = found.rest;
      isBegun = true;
      return found.elements;
    },
    end() {
      if (!isBegun) return endOfWhole(parseJson(pending));
      const rest = parseJson(isClosed(pending) ? `[${pending}` : lastOnes(pending));
      return Array.isArray(rest) ? { isList: true, rest } : { isList: false, whole: undefined };
    },
  };
}

function endOfWhole(whole: unknown): SplitEnd {
  return Array.isArray(whole) ? { isList: true, rest: whole } : { isList: false, whole };
}

/** Nothing but the bracket is left. */
function isClosed(text: string): boolean {
  return /^[ \t\n\r]*\]/.test(text);
}

/** The last elements as a list of their own; a text that is none where they do not begin with a comma. */
function lastOnes(text: string): string {
  const body = afterOpening(text, true);
  // A comma with nothing after it is no list.
  return body === undefined || isClosed(body) ? '' : `[${body}`;
}

/** The text after the bracket that opens the list, or after the comma between two elements. */
function afterOpening(text: string, isBegun: boolean): string | undefined {
  const opening = (isBegun ? /^[ \t\n\r]*,/ : /^[ \t\n\r]*\[/).exec(text);
  return opening === null ? undefined : text.slice(opening[0].length);
}

/** As many elements as end with an object's brace, and the text after them. */
function wholeElements(
  body: string,
): { readonly elements: readonly unknown[]; readonly rest: string } | undefined {
  let end = body.length;
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    end = body.lastIndexOf('}', end - 1);
    if (end === -1) return undefined;
    const elements = parseJson(`[${body.slice(0, end + 1)}]`);
    if (Array.isArray(elements)) return { elements, rest: body.slice(end + 1) };
  }
  return undefined;
}
