import type { Screen } from '../http/endpoint.ts';
import { consoleHandler } from './console-visit.ts';
import { addressQuery } from './kept-typing.ts';

/**
 * The lists that are searched by personal data. Their forms post to this screen, so that the data stays out of the
 * address.
 */
const LISTS = ['/payments', '/recipients', '/payouts'] as const;

/** Redirects to a list with the typed filters; personal data is encrypted in the address. */
export const postConsoleFind: Screen = {
  handle: consoleHandler(async (_app, visit) => {
    const body = (visit.request.body as Buffer | undefined)?.toString() ?? '';
    // Not the reader of signed bodies, which refuses a tab: people copy one, or a space, with an address or a RUT.
    const fields = [...new URLSearchParams(body)].map(([name, text]) => [name, text.trim()] as const);
    const { list, ...typed } = Object.fromEntries(fields);
    const path = LISTS.find((one) => one === list) ?? LISTS[0];
    return visit.goTo(`${path}?${addressQuery(visit, typed)}`);
  }),
};
