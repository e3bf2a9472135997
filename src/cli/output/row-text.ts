/** The text of a list whose records come some at a time, so that they need not be kept. */
import type { Format, RowText } from './format.ts';
import { toJson } from './json.ts';

/** One record on each line, as `--ndjson` writes them: final as soon as they are there. */
function createLines(): RowText {
  return { add: (records) => records.map((record) => toJson(record)).join(''), end: () => [] };
}

/** A document that is not cut off by whatever is amiss further on: nothing of it is written before its end. */
function createDocument(): RowText {
  const parts: string[] = [];
  return {
    add(records) {
      // Without the brackets and the end of the line.
      if (records.length > 0) parts.push(toJson(records).slice(1, -2));
      return '';
    },
    end: () => [
      ...(parts.length === 0 ? ['['] : parts.map((part, at) => `${at === 0 ? '[' : ','}${part}`)),
      ']\n',
    ],
  };
}

interface RowFormat {
  /** Whether what was given is written already, and cannot be taken back. */
  readonly isFinal: boolean;
  /** An empty text. */
  create(): RowText;
}

const FORMATS = {
  ndjson: async (): Promise<RowFormat> => ({ isFinal: true, create: createLines }),
  json: async (): Promise<RowFormat> => ({ isFinal: false, create: createDocument }),
  csv: async (): Promise<RowFormat> => {
    const { createCsv } = await import('./csv.ts');
    return { isFinal: false, create: () => createCsv() };
  },
};

/** Formats that can be written so. */
export type RowFormatName = keyof typeof FORMATS;

export function isRowFormat(format: Format): format is RowFormatName {
  return Object.hasOwn(FORMATS, format);
}

export function rowFormat(name: RowFormatName): Promise<RowFormat> {
  return FORMATS[name]();
}
