import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { type Finding, fine, problem } from './finding.ts';

/** Examines this process's SQLite, and the disk of the embedded store. */
export function sqliteFindings({ databaseUrl }: Pick<Config, 'databaseUrl'>): Finding[] {
  const version = sqliteVersionFinding(process.versions.sqlite ?? '0');
  return databaseUrl === 'sqlite::memory:' ? [version] : [version, diskFinding(databaseUrl)];
}

/**
 * Returns whether this SQLite is safe. Versions 3.7.0 to 3.51.2, and the withdrawn 3.52.0, can damage a store in WAL
 * mode with two connections.
 */
export function isSafeSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3) return major > 3;
  return minor > 52 || (minor === 51 && patch >= 3) || (minor === 52 && patch > 0);
}

function sqliteVersionFinding(version: string): Finding {
  if (isSafeSqlite(version)) return fine('database', `SQLite ${version}`);
  const says = {
    en: `SQLite ${version} of this Node.js can damage the store`,
    es: `SQLite ${version} de este Node.js puede dañar la base`,
  };
  return problem('database', says, {
    en: 'Use a Node.js with SQLite 3.51.3, or 3.53.0 or newer.',
    es: 'Usa otro Node.js en el PATH: SQLite debe ser 3.51.3, o 3.53.0 o más nuevo.',
  });
}

const LEAST_FREE_BYTES = 2 ** 30;

function diskFinding(databaseUrl: string): Finding {
  const folder = dirname(databaseUrl.slice('sqlite:'.length));
  const bytes = freeBytes(folder);
  if (bytes === null) {
    const says = { en: `${folder} cannot be read`, es: `no se puede leer ${folder}` };
    return problem('disk', says, { en: 'Check that the disk is mounted.', es: 'Revisa que el disco esté montado.' });
  }
  const free = (bytes / 2 ** 30).toFixed(1);
  const says = { en: `${free} GiB free in ${folder}`, es: `${free} GiB libres en ${folder}` };
  if (bytes >= LEAST_FREE_BYTES) return fine('disk', says);
  return problem('disk', says, {
    en: 'Free some space: a full disk stops all writes. A backup needs as much space again.',
    es: 'Haz espacio: cuando se llena no se acepta nada más. Un respaldo necesita otro tanto.',
  });
}

/** Null if the folder does not exist or cannot be read. */
function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
