import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { App } from '../app.ts';
import { type Finding, fine, problem } from './finding.ts';

/** Examines this process's SQLite, its clock, and the disk of the embedded store. */
export function sqliteFindings({ config: { databaseUrl }, now }: Pick<App, 'config' | 'now'>): Finding[] {
  const findings = [sqliteVersionFinding(process.versions.sqlite ?? '0'), ...clockFindings(now)];
  return databaseUrl === 'sqlite::memory:' ? findings : [...findings, diskFinding(databaseUrl)];
}

const MOST_SKEW_MS = 5_000;

/**
 * Finds a machine whose clock was set since this process started, or that stood still: no server corrects this clock.
 */
function clockFindings(now: App['now']): Finding[] {
  const behind = now.behind?.() ?? 0;
  if (Math.abs(behind) <= MOST_SKEW_MS) return [];
  const seconds = Math.round(Math.abs(behind) / 1000);
  const says = {
    en: `the service's clock is ${seconds} s ${behind > 0 ? 'behind' : 'ahead of'} this machine's, which was set since its start, or stood still`,
    es: `el reloj del servicio está ${seconds} s ${behind > 0 ? 'atrasado' : 'adelantado'} respecto del de esta máquina, que cambió de hora después de que partió, o estuvo detenida`,
  };
  return [problem('database', says, CLOCK_FIX)];
}

const CLOCK_FIX = {
  en: 'Restart the service: with SQLite it reads the clock of the machine at its start. Codes of authenticator apps and days of records are wrong until then.',
  es: 'Reinicia el servicio: con SQLite lee el reloj de la máquina al partir. Hasta entonces fallan los códigos de las apps y los días de los registros.',
};

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
  const says = { en: `${free} GiB free in ${folder}`, es: `${free.replace('.', ',')} GiB libres en ${folder}` };
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
