/** What the driver (pg 8) and the server say when something fails, as our errors. */

import pg from 'pg';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t, verbatim } from '../domain/message/message.ts';

/**
 * Whether the connection failed, the server ended it (25P03: it was idle too long), it leads to a standby,
 * which only reads, or its kept statements are of tables that have changed (0A000); anything else is the
 * server's answer.
 */
export function isLost(cause: unknown): boolean {
  return (
    !(cause instanceof pg.DatabaseError) || /^(08|57P0[123]|25006|25P03|0A000)/.test(codeOf(cause))
  );
}

export function lostError(cause: unknown, isUndone: boolean): ScripError {
  return new ScripError('STORE_UNUSABLE', t`The store failed: ${textOf(cause)}`, {
    cause,
    hint: t`Try again once PostgreSQL is back.`,
    details: { isConnectionLost: true, isUndone },
  });
}

export function isLostError(error: unknown): boolean {
  return error instanceof ScripError && error.details.isConnectionLost === true;
}

export function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/**
 * Whether the server is not up yet, going down or starting, or out of reach. The driver gives no code where
 * a server dies during the handshake, nor where connecting took too long.
 */
export function isAway(cause: unknown): boolean {
  const code = codeOf(cause);
  if (code === 'ENOENT') return isConnecting(cause);
  if (code === '') return !NEVER.test(textOf(cause));
  return /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|57P0[123])$/.test(
    code,
  );
}

/** A socket that is missing, not a file that the address names. */
function isConnecting(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect';
}

/** What the driver says without a code although waiting does not change it. */
const NEVER = /^(The server does not support SSL connections|SASL: )/;

/** What to do about an error of connecting, by its code or else its text. */
const HINTS: readonly (readonly [RegExp, (named: Message) => Message])[] = [
  [/^(28|SASL: )/, (named) => t`Correct the user and password in ${named}.`],
  [
    /^3D000/,
    (named) => t`Make the database (create database … owner …), or correct its name in ${named}.`,
  ],
  [/^ENOTFOUND/, (named) => t`Correct the host in ${named}.`],
  [
    /^ERR_INVALID_URL/,
    (named) =>
      t`Write ${named} as postgres://user:password@host:5432/database; in a password, # is %23, / is %2F and @ is %40.`,
  ],
  [
    /^The server does not support SSL/,
    (named) => t`Turn TLS on in the server, or take sslmode out of ${named}.`,
  ],
  [
    /^42501/,
    () =>
      t`Make the user the owner of its database: alter database … owner to …; then it has the rights that it needs (docs/operate/postgres.md).`,
  ],
  [/^53300/, () => t`Raise max_connections of PostgreSQL: each server holds up to 11 connections.`],
];

function hintFor(cause: unknown, named: Message): Message {
  const said = codeOf(cause) || textOf(cause);
  const known = HINTS.find(([pattern]) => pattern.test(said));
  if (known !== undefined) return known[1](named);
  return isAway(cause)
    ? t`Start PostgreSQL, or correct host and port in ${named}.`
    : t`Check PostgreSQL and ${named}.`;
}

/** Several addresses of one host fail together, without a text of their own. */
function textOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(textOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
}

/** What names the address of the database by default. */
export const ANY_PLACE = t`the address of the database`;

/** @param named what names the address of the database, for the hint: an option, a variable */
export function asScripError(cause: unknown, named = ANY_PLACE): ScripError {
  if (cause instanceof ScripError) return cause;
  const code = codeOf(cause);
  const said = textOf(cause);
  if (code === '23505') {
    return new ScripError('RECORD_EXISTS', verbatim(`there is such a record already: ${said}`), {
      cause,
    });
  }
  if (/^(22|23|42)/.test(code) && code !== '42501') {
    return new ScripError('INTERNAL', verbatim(`the store refused a statement: ${said}`), {
      cause,
    });
  }
  return new ScripError('STORE_UNUSABLE', t`The store failed: ${said}`, {
    cause,
    hint: hintFor(cause, named),
    ...(isAway(cause) ? { details: { isAway: true } } : {}),
  });
}
