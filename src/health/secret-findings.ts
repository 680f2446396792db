import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { findSharedSecrets, type SecretSharer } from '../payment-services/find-secret-holder.ts';
import { type Finding, problem } from './finding.ts';

/** The shared Secret Tokens that are reported one by one. */
const MOST = 5;

/**
 * Finds Secret Tokens of two payment services: the people of one can sign for the other. A payment
 * service that moved away gets new Secret Tokens in the other database, so here its own count as closed.
 */
export async function secretFindings(app: App): Promise<Finding[]> {
  const { paymentServices: elsewhere } = await findElsewhere(app);
  const shared = await findSharedSecrets(app).catch((error: unknown) => {
    // Another master key: that has its own finding.
    if (error instanceof ConfigError) return [];
    throw error;
  });
  const here = shared.map((sharers) =>
    sharers.map((one) => ({ ...one, isOpen: one.isOpen && !elsewhere.has(one.paymentServiceId) })),
  );
  const open = here.filter((sharers) => sharers.some(({ isOpen }) => isOpen));
  return open.slice(0, MOST).map(sharedFinding);
}

function sharedFinding(sharers: readonly SecretSharer[]): Finding {
  const named = [...new Set(sharers.map(nameOf))].join(', ');
  const rotate = [...new Set(sharers.filter(({ isOpen }) => isOpen).map(rotateCommand))].join('; ');
  const says = {
    en: `have or had one Secret Token: ${named}. A person who has it can sign for each`,
    es: `tienen o tuvieron el mismo Secret Token: ${named}. Quien lo tiene puede firmar por todos`,
  };
  return problem('secrets', says, {
    en: `Give each a Secret Token of its own, and its shop too: ${rotate}`,
    es: `Da a cada uno su propio Secret Token, y a su tienda también: ${rotate}`,
  });
}

function nameOf({ paymentServiceId, environment }: SecretSharer): string {
  return `${paymentServiceId} (${environment})`;
}

function rotateCommand({ paymentServiceId, environment }: SecretSharer): string {
  return `bin/rubrica payment-service rotate ${paymentServiceId} --environment ${environment}`;
}
