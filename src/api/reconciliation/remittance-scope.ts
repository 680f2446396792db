import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import { findUser } from '../../auth/find-user.ts';
import { normalizeEmail, type User } from '../../auth/user.ts';
import { Problem } from '../../error-catalogue.ts';
import { Type } from '../../http/json-schema.ts';
import { isDay } from '../../lib/calendar-day.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';

/** Optional parameters. Existing clients do not send them: they chose one of two hosts instead. */
export const SCOPE_PARAMETERS = [
  {
    name: 'environment',
    in: 'query',
    description: 'Default: the environment of RUBRICA_ENV. Test payments and real payments are never mixed',
    schema: Type.String({ enum: ['development', 'production'] }),
  },
  { name: 'currency', in: 'query', description: 'Currency of all sums. Default: CLP', schema: Type.String() },
] as const;

export const SCOPE_ERRORS = ['INVALID_PARAMETER', 'INVALID_CURRENCY', 'NO_PERMISSION'] as const;

/** The environments and the currency of a report, and the user whose report it is. */
export type RemittanceScope = { environmentIds: number[]; currency: string; user: User };

type ScopeQuery = {
  /** An e-mail address or id; undefined for the caller's own report. */
  whose?: string | undefined;
  environment?: 'development' | 'production' | undefined;
  currency?: string | undefined;
};

/**
 * Reads the scope of a report. Only an operator may ask for another user's report. Throws `Problem` `NO_PERMISSION` or
 * `INVALID_CURRENCY`.
 */
export async function readScope(app: App, asking: User, query: ScopeQuery = {}): Promise<RemittanceScope> {
  const user = await readUser(app, asking, query.whose);
  const { environment = app.config.mode, currency = 'CLP' } = query;
  if (currencyExponent(currency) === undefined) throw new Problem('INVALID_CURRENCY');
  return { environmentIds: await listEnvironmentIds(app, environment, null, user.environmentIds), currency, user };
}

/**
 * Reads a day such as `2026-01-15`. Some clients send a time in UTC: its date part counts, without conversion. Returns
 * null for anything else.
 */
export function readRemittanceDay(value: string): string | null {
  const [, day = ''] = /^(.{10})(?:T[\d:.]+Z)?$/.exec(value) ?? [];
  return isDay(day) ? day : null;
}

async function readUser(app: App, asking: User, whose: string | undefined): Promise<User> {
  if (whose === undefined || whose === '' || whose === asking.id) return asking;
  if (normalizeEmail(whose) === asking.email) return asking;
  const user = asking.environmentIds === null ? await findUser(app, whose) : null;
  if (user === null) throw new Problem('NO_PERMISSION');
  return user;
}
