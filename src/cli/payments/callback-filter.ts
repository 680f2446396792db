import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import type { CallbackFilter } from '../../outbox/callback-list-queries.ts';
import { CALLBACK_STATES, type CallbackState } from '../../outbox/callback-state.ts';
import { endpointAddress } from '../../outbox/endpoints/endpoint-address.ts';
import { checkPaymentService, readTime, refuseEmpty, TIMES } from '../options.ts';
import { invalidOption } from '../print.ts';

/** The filter of callbacks as given on the command line. */
export type FilterOptions = {
  state?: CallbackState;
  paymentService?: string;
  endpoint?: string;
  transaction?: string;
  since?: string;
  until?: string;
};

/** Adds the options that select callbacks. A callback must match all given options. */
export function addFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--state <state>', 'only in this state').choices(CALLBACK_STATES))
    .option('--payment-service <id>', 'only of this payment service')
    .option('--endpoint <url>', 'only callbacks to this URL, with any query, or ENDPOINT from `callback endpoints`')
    .option('--transaction <id>', 'only of this transaction (idTrx)')
    .option('--since <time>', `only callbacks created at or after ${TIMES}`)
    .option('--until <time>', 'only callbacks created before this time, or on or before this day');
}

/** Returns whether any filter option was given. */
export function isFiltered(options: FilterOptions): boolean {
  const { state, paymentService, endpoint, transaction, since, until } = options;
  return [state, paymentService, endpoint, transaction, since, until].some((option) => option !== undefined);
}

/** Reads the filter. Throws `CommandError` for an unusable option. */
export async function readFilter(app: App, options: FilterOptions): Promise<CallbackFilter> {
  const { state, paymentService, endpoint, transaction, since, until } = options;
  refuseEmpty({ transaction });
  await checkPaymentService(app, paymentService);
  return {
    ...(state !== undefined && { state }),
    ...(paymentService !== undefined && { paymentServiceId: paymentService }),
    ...(endpoint !== undefined && readEndpoint(endpoint)),
    ...(transaction !== undefined && { transactionId: readId(transaction) }),
    ...(since !== undefined && { since: readTime('--since', since).from }),
    ...(until !== undefined && { until: readTime('--until', until).to }),
  };
}

/** Reads an id. Returns 0, which matches nothing, for anything else. */
export function readId(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** Reads an id, which is of one merchant in one environment, or an address. */
function readEndpoint(text: string): Pick<CallbackFilter, 'endpoint' | 'endpointId'> {
  if (/^\d{1,15}$/.test(text)) return { endpointId: Number(text) };
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw invalidOption(
      '--endpoint is a URL such as https://shop.example.cl/callback, or ENDPOINT from callback endpoints.',
    );
  return { endpoint: endpointAddress(text) };
}
