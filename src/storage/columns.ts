/** Column constraints shared by many tables. */
import type { ColumnDefinitionBuilder } from 'kysely';

/** Column types whose names differ between engines. */
export interface ColumnTypes {
  readonly bytes: 'blob' | 'bytea';
}

export const required = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.notNull();
export const primary = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.primaryKey().notNull();
export const unique = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.unique();
export const requiredUnique = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
  column.notNull().unique();
