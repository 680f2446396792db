import type { Screen } from '../http/endpoint.ts';
import { consoleHandler } from './console-visit.ts';
import { addressQuery } from './kept-typing.ts';
import { fieldsOf } from './sign-in.ts';

/** The lists that are searched by what is of a person: their forms come here, and not into an address. */
const LISTS = ['/payments', '/recipients', '/payouts'] as const;

/** Leads to a list with what was typed; of a person it is sealed in the address. */
export const postConsoleFind: Screen = {
  handle: consoleHandler(async (_app, visit) => {
    const { list, ...typed } = fieldsOf(visit.request);
    const path = LISTS.find((one) => one === list) ?? LISTS[0];
    return visit.goTo(`${path}?${addressQuery(visit, typed)}`);
  }),
};
