import type { Database } from './database.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

export type OpenOptions = { connections: number; pooler: boolean; onFatal: (error: unknown) => void };

/** `url` is `sqlite:FILE` or `postgres://…`. Throws for any other scheme. */
export function openDatabase(url: string, options: OpenOptions): Database {
  if (url.startsWith('sqlite:')) return openSqliteDatabase(url.slice('sqlite:'.length), options.onFatal);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgresDatabase(url, options);
  throw new Error('DATABASE_URL must start with sqlite: or postgres://');
}
