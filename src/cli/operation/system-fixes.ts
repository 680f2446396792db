/** The fixes for errors that the operating system or the database reports only with a code or a call. */
const FIXES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'set PORT to another, or to 0 for a free one; METRICS_PORT if that is the one.',
  EADDRNOTAVAIL: 'set HOST, and METRICS_HOST, to an address of this machine.',
  ECONNREFUSED: 'check that the database runs, and the host and port in DATABASE_URL.',
  ENOTFOUND: 'check the host in DATABASE_URL, HOST and METRICS_HOST: names or addresses, such as 127.0.0.1.',
  EAI_AGAIN: 'check the host in DATABASE_URL, HOST, and the name server of this machine.',
  ENOSPC: 'make room on the disk.',
  'SQLite 13': 'make room on the disk, or name a file on another one: a backup is as large as the store.',
  'SQLite 14': 'check DATABASE_URL and DATA_DIR.',
  EROFS: 'mount it writable, or set DATA_DIR and DATABASE_URL to a folder that is.',
  EACCES: 'let the user of this process read and write there; a PORT below 1024 is refused to most users.',
  mkdir: 'check DATA_DIR and DATABASE_URL.',
  open: 'check that its folder exists, and where symbolic links on the path lead.',
  stat: 'check where symbolic links on the path lead.',
  // PostgreSQL.
  '3D000': 'make it with createdb, or check the name at the end of DATABASE_URL.',
  '25006': 'let DATABASE_URL name the primary: this server takes no changes, as a standby.',
  '28000': 'check the user in DATABASE_URL, and pg_hba.conf of the server.',
  '28P01': 'check the user and the password in DATABASE_URL.',
  '42501': 'grant it to the user in DATABASE_URL, or make that user the owner of the database.',
  '53300':
    'raise max_connections of the server, or lower DATABASE_CONNECTIONS of each process; behind PgBouncer, its pool.',
  '57P03': 'wait until the server has started.',
};

/** Returns the fix for an error by its code or its call, beginning with a verb; null: none is known. */
export function systemFix({ code, syscall, errcode }: NodeJS.ErrnoException & { errcode?: number }): string | null {
  return FIXES[code ?? ''] ?? FIXES[syscall ?? ''] ?? FIXES[`SQLite ${errcode}`] ?? null;
}
