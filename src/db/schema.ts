import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaError, type SqlRow } from './database.ts';

/** A migration of this program. `rolling`: the previous version keeps running beside it, because it only adds. */
export type Migration = { name: string; text: string; checksum: string; rolling: boolean };

/**
 * A migration that ran, as recorded in the store. Without a checksum it ran before checksums were stored; the next
 * migrate adds one.
 */
export type AppliedMigration = { name: string; checksum: string | null; rolling: boolean };

/** The differences between a store and this program, by names of migrations. */
export type SchemaDifference = {
  /** Missing in the store. */
  pending: string[];
  /** Missing in this program, and compatible because they only add. */
  newer: string[];
  /** Missing in this program, and incompatible. */
  strange: string[];
  /** In both, but with different texts. */
  changed: string[];
};

/** Reads the migrations of a folder, in the order in which they run. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => describeMigration(name, readFileSync(join(folder, name), 'utf8')));
}

/**
 * Describes a migration. The checksum is the SHA-256 in hexadecimal of the text with LF line ends, because checkouts
 * differ in line ends. `-- rolling: yes` in the first line says that the migration only adds.
 */
export function describeMigration(name: string, written: string): Migration {
  const text = written.replaceAll('\r\n', '\n');
  const checksum = hash('sha256', text);
  return { name, text, checksum, rolling: /^-- rolling: yes[ \t]*(?:\n|$)/.test(text) };
}

/** Reads rows of `schema_migrations`. Rows of an older store lack `checksum` and `rolling`. */
export function readApplied(rows: readonly SqlRow[]): AppliedMigration[] {
  return rows.map(({ name, checksum, rolling }) => ({
    name: String(name),
    checksum: typeof checksum === 'string' ? checksum : null,
    rolling: rolling === 1,
  }));
}

/** Compares the migrations that ran with the migrations of this program. */
export function compareSchema(known: readonly Migration[], applied: readonly AppliedMigration[]): SchemaDifference {
  const own = new Map(known.map((migration) => [migration.name, migration]));
  const ran = new Set(applied.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !own.has(name));
  return {
    pending: known.map(({ name }) => name).filter((name) => !ran.has(name)),
    newer: unknown.filter(({ rolling }) => rolling).map(({ name }) => name),
    strange: unknown.filter(({ rolling }) => !rolling).map(({ name }) => name),
    changed: applied
      .filter(({ name, checksum }) => checksum !== null && own.has(name) && own.get(name)?.checksum !== checksum)
      .map(({ name }) => name),
  };
}

/**
 * Names a few migrations one by one, and of many the first and the last: all of a store are thousands of characters.
 */
export function nameMigrations(names: readonly string[]): string {
  return names.length <= 3 ? names.join(', ') : `${names.length} migrations, ${names[0]} to ${names.at(-1)}`;
}

/** Returns why this program must not use or change the store; null if it may. */
export function refusalOf({ changed, strange }: SchemaDifference): SchemaError | null {
  if (changed.length > 0) {
    const files = changed.join(', ');
    const fix = 'Put the files of migrations/ back as they were released';
    return new SchemaError('SCHEMA_CHANGED', `The store was made by another text of ${files}. ${fix}.`);
  }
  if (strange.length > 0) {
    const fix = 'Run that version, or restore the backup that was made before it';
    const names = nameMigrations(strange);
    return new SchemaError(
      'SCHEMA_NEWER',
      `A newer version has changed the store (${names}): this one must not. ${fix}.`,
    );
  }
  return null;
}
