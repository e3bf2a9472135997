/**
 * A small `Headers` class: the part of the web standard that a service and its clients in one process use.
 */

export type HeadersFrom =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string>>
  | undefined;

/** Characters of a header name (RFC 9110, token). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Characters that do not fit in one byte. */
const WIDE = /[\u0100-\uffff]/;
const EDGES = /^[\t\n\r ]+|[\t\n\r ]+$/g;
const FORBIDDEN = ['\0', '\r', '\n'];
const COOKIE = 'set-cookie';

/** Throws `TypeError` for invalid names and values, as the standard class does. */
export class ShimHeaders {
  readonly #values = new Map<string, readonly string[]>();

  constructor(from?: HeadersFrom) {
    for (const [name, value] of pairsOf(from)) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(keyOf(name))?.join(', ') ?? null;
  }

  getSetCookie(): string[] {
    return [...(this.#values.get(COOKIE) ?? [])];
  }

  has(name: string): boolean {
    return this.#values.has(keyOf(name));
  }

  set(name: string, value: string): void {
    const key = keyOf(name);
    this.#values.set(key, [checked(key, value)]);
  }

  append(name: string, value: string): void {
    const key = keyOf(name);
    const text = checked(key, value);
    this.#values.set(key, [...(this.#values.get(key) ?? []), text]);
  }

  delete(name: string): void {
    this.#values.delete(keyOf(name));
  }

  forEach(visit: (value: string, name: string, headers: this) => void): void {
    for (const [name, value] of this) visit(value, name, this);
  }

  *entries(): Generator<[string, string]> {
    for (const key of [...this.#values.keys()].sort()) {
      const values = this.#values.get(key) ?? [];
      // Several cookies cannot be joined into one value.
      if (key === COOKIE) for (const value of values) yield [key, value];
      else yield [key, values.join(', ')];
    }
  }

  *keys(): Generator<string> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }
}

function pairsOf(from: HeadersFrom): Iterable<readonly [string, string]> {
  if (from === undefined) return [];
  return Symbol.iterator in from ? from : Object.entries(from);
}

function keyOf(name: string): string {
  if (NAME.test(name)) return name.toLowerCase();
  throw new TypeError(`"${name}" is no name of a header`);
}

/** The error leaves the value out: it may be a secret. */
function checked(key: string, value: unknown): string {
  const text = String(value);
  const trimmed = text.replace(EDGES, '');
  if (WIDE.test(text) || FORBIDDEN.some((letter) => trimmed.includes(letter))) {
    throw new TypeError(`header "${key}" cannot have this value`);
  }
  return trimmed;
}
