import type { Command } from 'commander';
import { causeOf } from '../../outbox/endpoints/answer-cause.ts';
import { type Diagnosis, diagnoseEndpoint } from '../../outbox/endpoints/diagnose-endpoint.ts';
import type { EndpointAnswer } from '../../outbox/endpoints/endpoint-answer-queries.ts';
import type { ReceiverLines } from '../../outbox/endpoints/receiver-lines.ts';
import { type SignatureTrial, type SignatureVerdict, trySignature } from '../../outbox/endpoints/try-signature.ts';
import { receiverOf } from '../../outbox/webhooks/find-subscribers.ts';
import { endCommand, sayWebhook } from '../../outbox/webhooks/say-webhook.ts';
import { type CommandError, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { readId } from './callback-filter.ts';

/** `endpoint doctor | test`. */
export function addEndpointCommands(program: Command): void {
  const group = program
    .command('endpoint')
    .description('diagnose and test the servers of merchants that receive callbacks');
  group
    .command('doctor')
    .description(
      'diagnose why callbacks fail at an endpoint, from its last responses: cause, fix and the lines to change',
    )
    .argument('<id>', 'ENDPOINT from `callback endpoints`')
    .option('--json', 'print one JSON object')
    .action(doctor);
  acting(group.command('test'))
    .description('post a test event with a right and a wrong signature, and report whether the shop tells them apart')
    .argument('<id>', 'ENDPOINT from `callback endpoints`')
    .option('--json', 'print one JSON object')
    .action(tryOut);
}

async function doctor(text: string, options: { json?: boolean }): Promise<void> {
  const diagnosis = await withApp((app) => diagnoseEndpoint(app, readId(text), 'en', time));
  if (diagnosis === null) throw unknownEndpoint(text);
  printDiagnosis(options, diagnosis);
}

/** Prints the doctor's diagnosis of an endpoint. */
export function printDiagnosis(options: { json?: boolean }, diagnosis: Diagnosis): void {
  const { endpoint, found, others, answers, took, lines } = diagnosis;
  const webhook = receiverOf(diagnosis);
  print(options, diagnosis, [
    `endpoint     ${endpoint.id}, ${endpoint.address}`,
    `merchant     ${endpoint.name} (${endpoint.payment_service}), ${endpoint.environment}`,
    ...(webhook === null ? [] : [`for          ${sayWebhook(webhook).en}; to end it: ${endCommand(webhook)}`]),
    ...(endpoint.failing_since === null ? [] : [`fails since  ${time(endpoint.failing_since)}`]),
    ...(took === null ? [] : [`took         callback ${took.callback}, ${time(took.at)}, in ${took.duration_ms} ms`]),
    ...(found === null
      ? [answers.length === 0 ? NOTHING_SENT : 'cause        none: its last answers are in order']
      : [`cause        ${found.cause}`, `fix          ${found.fix}`]),
    ...others.map(({ cause, times }) => `also         ${times} of its last answers: ${cause}`),
    ...answers.slice(0, 5).map(answerLine),
    ...(lines === null ? [] : receiverText(lines)),
    ...(found === null ? [] : ['', 'Then send what waits:', `  bin/rubrica callback resend --endpoint ${endpoint.id}`]),
  ]);
}

const NOTHING_SENT = 'cause        none yet: nothing was sent there. Does serve run? bin/rubrica doctor';

function answerLine(answer: EndpointAnswer): string {
  const { callback, at, duration_ms, url, status, failure } = answer;
  return `answer       callback ${callback}, ${time(at)}: ${failure ?? status}, after ${duration_ms} ms${causeOf(url, answer) === null ? ', in order' : ''}`;
}

function receiverText({ php, node, python }: ReceiverLines): string[] {
  const indent = (text: string) => text.split('\n').map((line) => `    ${line}`);
  return [
    '',
    'In the receiver of the shop:',
    '  PHP',
    ...indent(php),
    '  Node',
    ...indent(node),
    '  Python',
    ...indent(python),
  ];
}

/** The meaning of each verdict, and its fix. */
const VERDICTS: Readonly<Record<Exclude<SignatureVerdict, 'redirects'>, string>> = {
  checks: 'The shop tells a right signature from a wrong one.',
  takes_anything:
    'The shop took an event with a wrong signature: anybody can mark its orders as paid. bin/rubrica endpoint doctor shows the check.',
  refuses_ours:
    'The shop refused both in the same way: it does not accept our signature, or refuses every unknown order so. It compares its check with docs/quickstart-callbacks.md and its Secret Token with the one of this environment.',
  unclear:
    'The answers do not show whether the shop checks signatures. The causes of its answers: bin/rubrica endpoint doctor',
};

async function tryOut(text: string, options: ActingOptions): Promise<void> {
  const trial = await withActor(options, (app, by) => trySignature(app, readId(text), by));
  if (trial === null) throw unknownEndpoint(text);
  print(options, trial, [
    `URL               ${trial.url}`,
    `right signature   ${trial.right}`,
    `wrong signature   ${trial.wrong}`,
    trial.verdict === 'redirects'
      ? redirectText(trial)
      : `${VERDICTS[trial.verdict]}${trial.verdict === 'unclear' ? ` ${text}` : ''}`,
  ]);
}

function redirectText({ to }: SignatureTrial): string {
  const fact = 'and callbacks do not follow redirects, so nothing arrives.';
  return to === null
    ? `The URL redirects without a new address, ${fact} The shop sends the URL of its receiver as x_url_callback.`
    : `The URL redirects to ${to}, ${fact} If the receiver of the shop is at the new URL, the shop sends ${to} as x_url_callback.`;
}

function unknownEndpoint(text: string): CommandError {
  return notFound(`There is no endpoint ${text}: bin/rubrica callback endpoints`);
}
