import type { App } from '../app.ts';
import { currentDirectory } from '../bank-validation/directory/current-directory.ts';
import { type Finding, fine, problem } from './finding.ts';

const DAY_MS = 86_400_000;

/** Reports the age of the bank list by its own date. A list dated with a year or month counts from its first day. */
export async function bankListFinding(app: App): Promise<Finding> {
  const { asOf, version } = await currentDirectory(app);
  const days = Math.max(0, Math.floor((app.now() - Date.parse(asOf)) / DAY_MS));
  const says = { en: `${version}, up to ${days} days old`, es: `${version}, tiene hasta ${days} días` };
  if (days <= app.config.bankDirectoryMaxAgeDays) return fine('bank-list', says);
  return problem('bank-list', says, {
    en: "Download the regulator's list of institutions, and take it over: bin/rubrica banks import FILE",
    es: 'Descarga la lista de instituciones del regulador e impórtala: bin/rubrica banks import FILE',
  });
}
