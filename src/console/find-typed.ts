import type { Screen } from '../http/endpoint.ts';
import { consoleHandler } from './console-visit.ts';
import { addressQuery } from './kept-typing.ts';
import { fieldsOf } from './sign-in.ts';

/**
 * The lists that are searched by personal data. Their forms post to this screen, so that the data stays out of the
 * address.
 */
const LISTS = ['/payments', '/recipients', '/payouts'] as const;

/** Redirects to a list with the typed filters; personal data is encrypted in the address. */
export const postConsoleFind: Screen = {
  handle: consoleHandler(async (_app, visit) => {
    const { list, ...typed } = fieldsOf(visit.request);
    const path = LISTS.find((one) => one === list) ?? LISTS[0];
    return visit.goTo(`${path}?${addressQuery(visit, typed)}`);
  }),
};
