import { type Command } from 'commander';
import { type Environment } from '../../payment-services/payment-service.ts';
import { listRefusedRequests, type ReadRefused, readRefused } from '../../refused-requests/list-refused-requests.ts';
import { checkPaymentService, environmentOption, readLimit, readTime, refuseEmpty, TIMES } from '../options.ts';
import { listTable, noteCut, notFound, print, table, time } from '../print.ts';
import { terminalLanguage } from '../terminal-language.ts';
import { withApp } from '../with-app.ts';
import { unsaidErrors } from './seen-requests.ts';

/** `request list | show`. */
export function addRequestCommands(program: Command): void {
  const group = program.command('request').description('list requests refused in the last 7 days, and why');
  group
    .command('list')
    .description('list the newest that match all filters')
    .option('--code <code>', 'error code, such as SIGNATURE_INVALID')
    .option('--payment-service <id>', 'only of this payment service')
    .addOption(environmentOption('only of this environment'))
    .option('--since <time>', `only at or after ${TIMES}`)
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object')
    .action(list);
  group
    .command('show')
    .description('show a request: what was sent, without secrets, and what was wrong')
    .argument('<request_id>', 'request_id of the response body, or its X-Request-Id header')
    .option('--json', 'print one JSON object')
    .action(show);
}

type ListOptions = {
  code?: string;
  paymentService?: string;
  environment?: Environment;
  since?: string;
  limit: string;
  json?: boolean;
};

async function list(options: ListOptions): Promise<void> {
  const limit = readLimit(options.limit);
  const search = {
    environmentIds: null,
    code: options.code ?? null,
    paymentServiceId: options.paymentService ?? null,
    environment: options.environment ?? null,
    since: options.since === undefined ? null : readTime('--since', options.since).from,
  };
  refuseEmpty(options);
  const found = await withApp(async (app) => {
    await checkPaymentService(app, options.paymentService);
    return listRefusedRequests(app, search, limit);
  });
  const requests = found.requests.map((row) => readRefused(row, 'en'));
  const rows = requests.map((row) => ({
    'WHEN (CHILE)': time(row.at),
    REQUEST: row.request_id,
    MERCHANT: row.name ?? '—',
    ENVIRONMENT: row.environment ?? '—',
    ENDPOINT: `${row.method} ${row.route}`,
    STATUS: String(row.status),
    CODE: row.code,
    'AND LIKE IT': row.repeated === 0 ? '—' : String(row.repeated),
  }));
  print(options, { requests }, listTable(rows, 'No refused request is kept.'));
  noteCut(options, rows.length, limit);
}

async function show(id: string, options: { json?: boolean }): Promise<void> {
  const found = await withApp((app) => listRefusedRequests(app, { environmentIds: null, requestId: id }, 1));
  const language = options.json === true ? 'en' : terminalLanguage();
  const [request] = found.requests.map((row) => readRefused(row, language));
  if (request === undefined)
    throw notFound(
      `No refused request ${id} is kept: bin/rubrica request list. Production is kept with REFUSED_REQUESTS=all.`,
    );
  print(options, request, linesOf(request));
}

function linesOf(request: ReadRefused): string[] {
  const { at, request_id, name, environment, method, route, status, code, title, detail, errors, fields } = request;
  return [
    `${method} ${route} of ${name ?? 'no payment service that is known'}${environment === null ? '' : ` (${environment})`}`,
    `${time(at)}, request ${request_id}`,
    `${status} ${code}: ${title}`,
    `  ${detail}`,
    ...unsaidErrors(detail, errors).map((line) => `  ${line}`),
    ...(fields.length === 0 ? [] : ['', ...table(fields.map(({ name: field, value }) => [`  ${field}`, value]))]),
  ];
}
