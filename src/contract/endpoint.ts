import type { z } from 'zod';
import type { PlainShape } from './plain.ts';

/** A schema built on first use: a command builds only the schemas of endpoints it calls. */
export type Lazy<T> = () => T;

/** The type that a lazy schema accepts and returns. */
export type Infer<T extends Lazy<z.ZodType>> = z.infer<ReturnType<T>>;

/** The same type, read-only in all its parts. */
export type Immutable<T> = T extends readonly (infer Element)[]
  ? readonly Immutable<Element>[]
  : { readonly [Name in keyof T]: Immutable<T[Name]> };

/** Wraps `build` so that it runs once, on first use. */
export function lazy<T>(build: () => T): Lazy<T> {
  let built: { readonly value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
}

export type Method = 'GET' | 'POST';

/** What a caller may assume of a call; the tool annotations of surface C use it. */
export interface Hints {
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  readonly destructive: boolean;
}

/**
 * One endpoint of the wire. Input is one flat object: fields named in the path template go into the
 * path, the rest into the query of a GET or the JSON body of a POST.
 */
export interface Endpoint<In = unknown, Out = unknown> {
  readonly name: string;
  readonly method: Method;
  /** Path template with `{field}` placeholders, such as `/v1/orders/{order_id}`. */
  readonly path: string;
  readonly summary: string;
  readonly input: Lazy<z.ZodType<In>>;
  readonly output: Lazy<z.ZodType<Out>>;
  /** Shapes of `input` and of the rows of `output`, if both are plain and `output` is a list. */
  readonly plain?: { readonly input: PlainShape; readonly row: PlainShape };
  readonly hints: Hints;
}

/** Declares an endpoint; a GET is read-only and idempotent by default. */
export function endpoint<In, Out>(
  row: Omit<Endpoint<In, Out>, 'hints'> & { readonly hints?: Partial<Hints> },
): Endpoint<In, Out> {
  const isRead = row.method === 'GET';
  return {
    ...row,
    hints: { readOnly: isRead, idempotent: isRead, destructive: false, ...row.hints },
  };
}

/** Returns the names between braces in a path template, in order. */
export function pathFields(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}
