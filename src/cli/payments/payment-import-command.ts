import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { formatMoney } from '../../lib/money.ts';
import { importPayments } from '../../movements/import-payments.ts';
import type { ImportStep } from '../../movements/imported-payment.ts';
import { planImport } from '../../movements/plan-import.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { readWithEvidence } from '../evidence-option.ts';
import { checkMethod, environmentOption } from '../options.ts';
import { listTable, print, unknownPaymentService } from '../print.ts';
import { progressLine } from '../progress-line.ts';
import { readSettlementFile } from '../settlement-file.ts';
import { type ActingOptions, acting, actOnWholeStore } from '../with-actor.ts';

type Options = ActingOptions & {
  paymentService: string[];
  environment?: Environment;
  method: string;
  yes?: boolean;
};

/** `payment import`. */
export function addImportCommand(group: Command): void {
  acting(group.command('import'))
    .description('record payments that the acquirer has and the books do not; shows the plan, and needs --yes to act')
    .argument('<file>', 'settlement file, as for `reconcile --settlement`')
    .addOption(
      new Option(
        '--payment-service <id>',
        'payment service of the file; may be repeated, and the first gets money of no known payment',
      )
        .argParser((id: string, before?: string[]) => [...(before ?? []), id])
        .makeOptionMandatory(),
    )
    .addOption(environmentOption())
    .option('--method <code>', 'payment method that collected', 'webpay')
    .option('--yes', 'carry it out; without it nothing changes')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(importFile);
}

async function importFile(file: string, options: Options): Promise<void> {
  const { evidence, content } = readWithEvidence(file);
  const settlement = await readSettlementFile(content);
  const isDone = options.yes === true;
  const line = progressLine();
  const steps = await actOnWholeStore(options, async (app, by) => {
    const scope = await findScope(app, options);
    const tell = (what: string) => (lines: number) => line.say(what, lines, lines / settlement.rows.length);
    const planned = await planImport(app, scope, settlement, tell('lines compared'));
    return isDone ? importPayments(app, scope, planned, { evidence, by }, tell('lines taken over')) : planned;
  }).finally(line.clear);
  const counts = Object.fromEntries(
    Object.keys(SAYS).map((does) => [does, steps.filter((step) => step.does === does).length]),
  );
  print(options, { done: isDone, ...counts, lines: steps.map(stepJson) }, linesOf(steps, isDone));
}

async function findScope(app: App, options: Options) {
  checkMethod(app, options.method);
  const environment = options.environment ?? app.config.mode;
  const compared: number[] = [];
  for (const id of options.paymentService) {
    const [environmentId] = await listEnvironmentIds(app, environment, id, null);
    if (environmentId === undefined) throw unknownPaymentService(id);
    compared.push(environmentId);
  }
  const [environmentId = 0] = compared;
  return { environmentId, environment, method: options.method, compared };
}

const SAYS: Record<ImportStep['does'], [would: string, did: string]> = {
  settle: ['would end its attempt', 'ended its attempt'],
  suspense: ['would go to suspense', 'is in suspense'],
  known: ['the books have it', 'the books have it'],
  imported: ['imported before', 'imported before'],
  left: ['for a person', 'for a person'],
};

function linesOf(steps: readonly ImportStep[], isDone: boolean): string[] {
  const rows = steps.map(({ row, does, transactionId, note }) => ({
    LINE: String(row.fileLine),
    DATE: row.date,
    'BUY ORDER': row.buyOrder ?? row.authorizationCode ?? '',
    AMOUNT: formatMoney(row.amount, row.currency),
    RESULT: SAYS[does][isDone ? 1 : 0],
    TRANSACTION: String(transactionId ?? '—'),
    NOTE: note,
  }));
  const moves = steps.some(({ does }) => does === 'settle' || does === 'suspense');
  return [
    ...listTable(rows, 'The file has no line.'),
    ...(moves && !isDone ? ['', 'Nothing was changed: --yes does it.'] : []),
  ];
}

function stepJson({ row, does, attemptId, transactionId, note }: ImportStep) {
  return { line: row.fileLine, result: does, attempt: attemptId, transaction: transactionId, note, settled: row };
}
