import type { App } from '../app.ts';
import { selectFactsBegun } from '../books/fact-queries.ts';
import { formatAge } from '../lib/time-text.ts';
import { type AnchorRow, selectLastAnchor, selectOldestUnposted } from '../proof/anchors/anchor-queries.ts';
import { placeIn } from '../proof/anchors/keep-anchors.ts';
import { type Finding, fine, problem } from './finding.ts';

const DAY_MS = 86_400_000;
const RUNNING = {
  en: 'Is serve running? It seals the books daily. Without it: bin/rubrica books anchor',
  es: '¿Está corriendo serve? Sella los finales de los libros cada día; sin él: bin/rubrica books anchor',
};

/**
 * Checks whether the ends of the books were sealed within the last day, and whether the anchors reached ANCHOR_DIR and
 * ANCHOR_URL.
 */
export async function anchorFindings(app: App): Promise<Finding[]> {
  const last = await selectLastAnchor(app.db);
  if (last === null) {
    const begun = await selectFactsBegun(app.db);
    if (begun === null || app.now() - begun <= DAY_MS)
      return [fine('anchors', { en: 'the books are not sealed yet', es: 'los libros todavía no se sellan' })];
    return [problem('anchors', { en: 'the books were never sealed', es: 'los libros nunca se sellaron' }, RUNNING)];
  }
  const age = Math.max(0, app.now() - last.made_at);
  if (age > DAY_MS) {
    const says = {
      en: `the books were sealed ${formatAge(age)} ago, on ${last.day}`,
      es: `los libros se sellaron hace ${formatAge(age, 'es')}, el ${last.day}`,
    };
    return [problem('anchors', says, RUNNING)];
  }
  const { anchorDir, anchorUrl } = app.config;
  const findings: Finding[] = [];
  if (anchorDir !== null) findings.push(await folderFinding(app, anchorDir, last));
  if (anchorUrl !== null) findings.push(await postFinding(app));
  const alone = findings.length === 0;
  const says = {
    en: `the books were sealed ${formatAge(age)} ago${alone ? '; the anchors are only in the store: set ANCHOR_DIR' : ''}`,
    es: `los libros se sellaron hace ${formatAge(age, 'es')}${alone ? '; los sellos están solo en la base: define ANCHOR_DIR' : ''}`,
  };
  return [fine('anchors', says), ...findings];
}

async function folderFinding(app: App, folder: string, { number }: AnchorRow): Promise<Finding> {
  const { place, unknown } = await placeIn(app, folder);
  // Higher if an anchor was made since the store was read.
  if (unknown === null && place >= number)
    return fine('anchors', {
      en: `ANCHOR_DIR has every anchor: ${place}`,
      es: `ANCHOR_DIR tiene todos los sellos: ${place}`,
    });
  if (unknown !== null) {
    const says = {
      en: 'ANCHOR_DIR has anchors that the store lacks: the store was put back to an earlier state',
      es: 'ANCHOR_DIR tiene sellos que la base no tiene: la base volvió atrás',
    };
    return problem('anchors', says, 'bin/rubrica books verify');
  }
  const lacks = number - place;
  return problem(
    'anchors',
    { en: `ANCHOR_DIR lacks the newest anchors: ${lacks}`, es: `a ANCHOR_DIR le faltan los últimos sellos: ${lacks}` },
    {
      en: `Check that ${folder} is writable and that serve runs with this ANCHOR_DIR.`,
      es: `Revisa que se pueda escribir en ${folder}, y que serve tenga este ANCHOR_DIR.`,
    },
  );
}

async function postFinding(app: App): Promise<Finding> {
  const oldest = await selectOldestUnposted(app.db);
  const age = oldest === null ? 0 : app.now() - oldest;
  if (age <= DAY_MS) return fine('anchors', { en: 'ANCHOR_URL accepts the anchors', es: 'ANCHOR_URL los recibe' });
  return problem(
    'anchors',
    {
      en: `ANCHOR_URL has accepted no anchor for ${formatAge(age)}`,
      es: `ANCHOR_URL no recibe ninguno hace ${formatAge(age)}`,
    },
    { en: 'The log of serve has its responses.', es: 'Mira qué responde: lo dice el registro de serve.' },
  );
}
