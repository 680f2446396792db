import { type Command, Option } from 'commander';
import { makeStatement, readStatementLines } from '../../books/merchant-statement.ts';
import { boundsOfDay, isDay } from '../../lib/calendar-day.ts';
import { formatMoney, formatPlain } from '../../lib/money.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { checkCurrency, environmentOption } from '../options.ts';
import { invalidOption, print, table, time, unknownPaymentService } from '../print.ts';
import { withWholeStore } from '../with-app.ts';

type Options = {
  environment?: Environment;
  from: string;
  to: string;
  currency: string;
  csv?: boolean;
  json?: boolean;
};

/** `books statement`. */
export function addStatementCommand(group: Command): void {
  group
    .command('statement')
    .description('show what a merchant was owed before and after a period, and why; --csv prints every line')
    .argument('<payment-service>', 'payment service')
    .addOption(environmentOption())
    .requiredOption('--from <day>', 'first day (Chilean time), such as 2026-01-01')
    .requiredOption('--to <day>', 'last day')
    .option('--currency <code>', 'currency', 'CLP')
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(showStatement);
}

async function showStatement(id: string, options: Options): Promise<void> {
  const { from, to, currency } = options;
  if (!isDay(from) || !isDay(to) || from > to)
    throw invalidOption('--from and --to are days such as 2026-01-15, the first not after the last.');
  checkCurrency(currency);
  await withWholeStore(async (app) => {
    const [environmentId] = await listEnvironmentIds(app, options.environment ?? app.config.mode, id, null);
    if (environmentId === undefined) throw unknownPaymentService(id);
    const scope = { environmentId, currency, from: boundsOfDay(from).from, to: boundsOfDay(to).to };
    if (options.csv === true) {
      const { writeCsv } = await import('../../lib/tables/write-csv.ts');
      const write = (row: string[]) => process.stdout.write(writeCsv([row], { separator: ',', lineEnd: '\n' }));
      write(['WHEN (CHILE)', 'KIND', 'AMOUNT', 'CURRENCY', 'TRANSACTION', 'REFUND', 'REFERENCE']);
      for await (const line of readStatementLines(app, scope)) {
        const { created_at, kind, amount, transaction_id, refund_id, reference } = line;
        const ids = [String(transaction_id ?? ''), refund_id ?? '', reference ?? ''];
        write([time(created_at), kind, formatPlain(amount, currency), currency, ...ids]);
      }
      return;
    }
    const statement = await makeStatement(app, scope);
    const rows = statement.kinds.map(({ kind, entries, amount }) => [
      kind,
      String(entries),
      formatMoney(amount, currency),
    ]);
    print(options, { payment_service: id, from, to, currency, ...statement }, [
      ...table([
        ['', 'ENTRIES', 'AMOUNT'],
        [`owed before ${from}`, '', formatMoney(statement.opening, currency)],
        ...rows,
        [`owed after ${to}`, '', formatMoney(statement.closing, currency)],
      ]),
    ]);
  });
}
