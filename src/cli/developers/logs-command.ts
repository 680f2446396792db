import { setTimeout as sleep } from 'node:timers/promises';
import { type Command } from 'commander';
import { paint } from '../../lib/paint.ts';
import { type Environment } from '../../payment-services/payment-service.ts';
import { checkPaymentService, environmentOption, readNumber, readTime, TIMES } from '../options.ts';
import { say } from '../print.ts';
import { withApp } from '../with-app.ts';
import { addRemoteOptions, connect, despiteOutage, type RemoteOptions, untilStopped } from './remote-service.ts';
import { ownRequests, type RequestSource, remoteRequests, type SeenRequest } from './seen-requests.ts';

/** `logs tail`. */
export function addLogsCommand(program: Command): void {
  const group = program.command('logs').description('follow the requests of shops as they happen');
  addRemoteOptions(group.command('tail'))
    .description('follow created transactions and refused requests, with cause and fix, until Ctrl+C')
    .option('--payment-service <id>', 'only of this payment service')
    .addOption(environmentOption('only of this environment'))
    .option('--since <time>', `start at ${TIMES} (default: now)`)
    .option('--count <number>', 'exit after this many requests')
    .action(tail);
}

type TailOptions = RemoteOptions & {
  paymentService?: string;
  environment?: Environment;
  since?: string;
  count?: string;
};

type Tail = {
  paymentService: string | null;
  environment: Environment | null;
  since: number | null;
  most: number | null;
};

async function tail(options: TailOptions): Promise<void> {
  const asked: Tail = {
    paymentService: options.paymentService ?? null,
    environment: options.environment ?? null,
    since: options.since === undefined ? null : readTime('--since', options.since).from,
    most: options.count === undefined ? null : readNumber('--count', options.count),
  };
  const connection = await connect(options);
  const show = (source: RequestSource) => untilStopped((signal) => showRequests(source, asked, signal));
  if (connection !== null) return show(remoteRequests(connection));
  return withApp(async (app) => {
    await checkPaymentService(app, options.paymentService);
    await show(ownRequests(app));
  });
}

const LOOK_MS = 1_000;
/** Records can appear late: a refusal is written after its response, and a commit ends after its timestamp. */
const LATE_MS = 60_000;

async function showRequests(
  source: RequestSource,
  { since, most, ...whose }: Tail,
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<string, number>();
  let newest = since ?? 0;
  let shown = 0;
  const isNew = ({ key, at }: SeenRequest) => !seen.has(key) && at >= (since ?? 0);
  const look = () =>
    despiteOutage(() => source({ ...whose, since: newest === 0 ? null : newest - LATE_MS, isNew }), signal);
  const news = async () => {
    const fresh = ((await look()) ?? []).filter(isNew);
    for (const { key, at } of fresh) seen.set(key, at);
    newest = fresh.reduce((latest, { at }) => Math.max(latest, at), newest);
    for (const [key, at] of seen) if (at < newest - LATE_MS) seen.delete(key);
    return fresh.sort((one, other) => one.at - other.at);
  };
  // A remote service has its own clock. Without `--since`, skip the requests that it has now.
  if (since === null) {
    await news();
    // The newest alone were read, and later looks read all of the last minute.
    seen.clear();
    await news();
  }
  say('Showing requests as they arrive. Ctrl+C ends.');
  while (!signal.aborted && shown !== most) {
    for (const request of await news()) {
      if (shown === most) return;
      say(linesOf(request).join('\n'));
      shown += 1;
    }
    if (shown !== most) await sleep(LOOK_MS, null, { signal }).catch(() => {});
  }
}

function linesOf({ at, merchant, environment, endpoint, status, says, fixes }: SeenRequest): string[] {
  const whose = `${merchant ?? 'no merchant'}${environment === null ? '' : ` (${environment})`}`;
  const answer = paint(status < 400 ? 'green' : 'red', String(status));
  const asked = endpoint === null ? '' : `${endpoint}  →  `;
  const clock = paint('dim', new Date(at).toTimeString().slice(0, 8));
  return [`${clock}  ${whose}  ${asked}${answer}  ${says}`, ...fixes.map((fix) => `          ${fix}`)];
}
