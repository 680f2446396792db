import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { replaceFile } from '../lib/replace-file.ts';
import type { Handed } from './epoch.ts';

/** The last state of the store that a service saw, in a file of DATA_DIR outside the store. */
export type Mark = Handed & {
  /** The place of the store: the path of its file, or host, port and name of the database. */
  database: string;
  store: string;
  beat: number;
};

/**
 * Reads the marks of this store: by its place, and on PostgreSQL also by its name, because a restored database is
 * nearly always on another server. Unreadable files are skipped.
 */
export function readMarks(config: Config, store: string | null): Mark[] {
  const place = databasePlace(config.databaseUrl);
  const names = existsSync(config.dataDir) ? readdirSync(config.dataDir) : [];
  return names
    .filter((name) => /^store-[0-9a-f]{16}\.mark$/.test(name))
    .flatMap((name) => readMark(join(config.dataDir, name)) ?? [])
    .filter((mark) => mark.database === place || (!place.startsWith('sqlite:') && mark.store === store));
}

/** Replaces the mark. Rejects if DATA_DIR is not writable. */
export async function writeMark(config: Config, mark: Omit<Mark, 'database'>): Promise<void> {
  await replaceFile(markFile(config), JSON.stringify({ ...mark, database: databasePlace(config.databaseUrl) }));
}

/** Returns the path of the mark for the store at this place. */
export function markFile(config: Config): string {
  return fileOfStore(config, 'mark');
}

/** Returns the path of a DATA_DIR file about the store at this place. */
export function fileOfStore({ dataDir, databaseUrl }: Config, ending: string): string {
  const place = hash('sha256', databasePlace(databaseUrl)).slice(0, 16);
  return join(dataDir, `store-${place}.${ending}`);
}

/** Returns the place of a database without user and password. */
function databasePlace(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) {
    const file = resolve(databaseUrl.slice('sqlite:'.length));
    if (existsSync(file)) return `sqlite:${realpathSync(file)}`;
    const folder = dirname(file);
    return `sqlite:${join(existsSync(folder) ? realpathSync(folder) : folder, basename(file))}`;
  }
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `postgres://${hostname}:${port === '' ? 5432 : port}${pathname}`;
}

function readMark(file: string): Mark | null {
  try {
    const mark = JSON.parse(readFileSync(file, 'utf8')) as Mark;
    return [mark.epoch, mark.beat, mark.transactions, mark.events, mark.callbacks, mark.at].every(Number.isSafeInteger)
      ? mark
      : null;
  } catch {
    return null;
  }
}
