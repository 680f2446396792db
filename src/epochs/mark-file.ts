import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { makePrivateFolder } from '../lib/make-private-folder.ts';
import type { Handed } from './epoch.ts';

/** The mark of what a service last saw of its store, kept outside of it: in a file of DATA_DIR. */
export type Mark = Handed & {
  /** Where the store was: the path of its file, or host, port and name of the database. */
  database: string;
  store: string;
  beat: number;
};

/**
 * The marks that are about this store: marks of the place where it is, and on PostgreSQL, where a restored store is nearly
 * always in another server, those of any store of its name. A file that cannot be read says nothing.
 */
export function readMarks(config: Config, store: string | null): Mark[] {
  const place = databasePlace(config.databaseUrl);
  const names = existsSync(config.dataDir) ? readdirSync(config.dataDir) : [];
  return names
    .filter((name) => /^store-[0-9a-f]{16}\.mark$/.test(name))
    .flatMap((name) => readMark(join(config.dataDir, name)) ?? [])
    .filter((mark) => mark.database === place || (!place.startsWith('sqlite:') && mark.store === store));
}

/** Puts a mark in the place of the last. Rejects where DATA_DIR cannot be written. */
export async function writeMark(config: Config, mark: Omit<Mark, 'database'>): Promise<void> {
  const file = markFile(config);
  const part = `${file}.${process.pid}.part`;
  makePrivateFolder(config.dataDir);
  await writeFile(part, JSON.stringify({ ...mark, database: databasePlace(config.databaseUrl) }), { mode: 0o600 });
  await rename(part, file);
}

/** The file that says what was last seen of the store at this place. */
export function markFile(config: Config): string {
  return fileOfStore(config, 'mark');
}

/** A file of DATA_DIR about the store at this place. */
export function fileOfStore({ dataDir, databaseUrl }: Config, ending: string): string {
  const place = createHash('sha256').update(databasePlace(databaseUrl)).digest('hex').slice(0, 16);
  return join(dataDir, `store-${place}.${ending}`);
}

/** No user, no password. */
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
