import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { AUDIT_ACTIONS } from '../../audit/audit-action.ts';
import { type ListedAct, listAudit, moneyOf } from '../../audit/list-audit.ts';
import type { ChainEnd } from '../../lib/hash-chain.ts';
import { type AuditVerification, verifyAudit } from '../../proof/verify-audit.ts';
import { anchorLine, findingLine, restoreLine, unprovenLines } from '../finding-lines.ts';
import { readLimit, readTime, refuseEmpty, TIMES } from '../options.ts';
import { chileanTimes, countOf, invalidOption, listTable, print, time, unusableFile } from '../print.ts';
import { comparingAnchors, resuming, verifyResuming } from '../resuming.ts';
import { withApp } from '../with-app.ts';

/** `audit list | verify`. */
export function addAuditCommands(program: Command): void {
  const group = program.command('audit').description('read and verify the audit log');
  group
    .command('list')
    .description('list the newest acts, sign-ins and refusals that match all filters')
    .option('--who <name>', 'only acts by this e-mail address, user ID or `command line: USER@HOST`')
    .option('--action <action>', 'only this action, such as refund.decided, or a group, such as refund')
    .option('--subject <id>', 'only acts on this ID: a refund, a payment service, a user …')
    .option('--since <time>', `only at or after ${TIMES}`)
    .option('--before <id>', 'only acts before this ID, to continue an earlier list')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; times in UTC milliseconds')
    .action(list);
  comparingAnchors(
    resuming(group.command('verify'))
      .description('verify the hash chain of the audit log; status 1 with the rows if anything was changed')
      .option(
        '--head <head>',
        'compare with an earlier head: LINK:HASH, or a file of `audit verify --json`; reads from the start',
      ),
  )
    .option('--json', 'print one JSON object; times in UTC milliseconds')
    .action(verify);
}

type ListOptions = {
  who?: string;
  action?: string;
  subject?: string;
  since?: string;
  before?: string;
  limit: string;
  json?: boolean;
};

async function list(options: ListOptions): Promise<void> {
  refuseEmpty(options);
  const { who, action, subject, since, before } = options;
  const filter = {
    ...(who !== undefined && { who: who.includes('@') && !who.includes(' ') ? who.trim().toLowerCase() : who }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
    ...(since !== undefined && { since: readTime('--since', since).from }),
    ...(before !== undefined && { before: readPlace(before) }),
  };
  const limit = readLimit(options.limit);
  const { acts, next } = await withApp((app) => listAudit(app, filter, limit));
  print(options, { acts, next }, [
    ...listTable(acts.map(cellsOf), nothingOf(action)),
    ...(next === null ? [] : [`More: --before ${next}`]),
  ]);
}

/** A misspelt action must not read as if nobody had done it. */
function nothingOf(action: string | undefined): string {
  const known = Object.keys(AUDIT_ACTIONS).some((one) => one === action || one.startsWith(`${action}.`));
  return action === undefined || known
    ? 'There is no such act.'
    : `No act is called ${action}: docs/audit.md lists their names.`;
}

function readPlace(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidOption('--before is the ID of audit list.');
}

function cellsOf({ id, at, who, action, subject, before, after, reason }: ListedAct) {
  const what = [changeOf(before, after), reason === null ? '' : `(${reason})`].filter((part) => part !== '').join(' ');
  return {
    ID: String(id),
    'WHEN (CHILE)': time(at),
    WHO: who.kind === 'stranger' ? `refused: ${who.name}` : who.name,
    FROM: who.from ?? '—',
    ACTION: action,
    SUBJECT: `${subject.kind} ${subject.id}`.trim(),
    WHAT: what,
  };
}

function changeOf(before: unknown, after: unknown): string {
  if (before === null) return after === null ? '' : wordsOf(after);
  return after === null ? `was ${wordsOf(before)}` : `${wordsOf(before)} → ${wordsOf(after)}`;
}

function wordsOf(values: unknown): string {
  if (typeof values !== 'object' || values === null) return String(values);
  const known = values as Readonly<Record<string, unknown>>;
  return Object.entries(known)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${textOf(name, value, known['currency'])}`)
    .join(', ');
}

/** Shows times and amounts as other commands do. `--json` has the values as they were recorded. */
function textOf(name: string, value: unknown, currency: unknown): string {
  if (value === null || value === '') return '—';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '—' : shorten(value.join(', '));
  if (typeof value !== 'number')
    return shorten(chileanTimes(typeof value === 'string' ? value : JSON.stringify(value)));
  if (name.endsWith('_at')) return time(value);
  return moneyOf(name, value, currency) ?? String(value);
}

/** Shortens a value: a list of all migrations made its row longer than all others together. */
function shorten(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return `${text.slice(0, 12)}…`;
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

const LONGEST_VALUE = 200;

type VerifyOptions = { head?: string; anchor?: string[]; fromStart?: boolean; json?: boolean };

async function verify(options: VerifyOptions): Promise<void> {
  const known = options.head === undefined ? [] : [readHead(options.head)];
  const { anchor: anchorFiles = [] } = options;
  const fromStart = options.fromStart === true || known.length > 0;
  const verification = await verifyResuming('audit', fromStart, (app, walks) =>
    verifyAudit(app, { known, anchorFiles, walks }),
  );
  print(options, verification, linesOf(verification, known.length > 0));
  if (!verification.ok) process.exitCode = 1;
}

function linesOf(verification: AuditVerification, withHead: boolean): string[] {
  const { ok, rows, head, findings, found } = verification;
  const wrong = Object.values(found).reduce((total, count) => total + count, 0);
  const unnamed = wrong - findings.length;
  return [
    ...findings.map(findingLine),
    ...(unnamed > 0 ? [`and ${unnamed} more of the same kinds`] : []),
    ok
      ? `${countOf(rows, 'row')}: every hash is right${withHead ? ', and so is the end that was kept' : ''}.`
      : `${countOf(wrong, 'place is', 'places are')} not as written.`,
    `The audit log ends with ${head.link}:${head.hash}`,
    ...verification.anchors.map(anchorLine),
    ...unprovenLines(verification.anchors, withHead),
    ...verification.restores.filter(({ accepted }) => accepted !== null).map(restoreLine),
  ];
}

const HEAD = /^(\d{1,15}):([0-9a-f]{64})$/;

function readHead(given: string): ChainEnd {
  const [, link, hash] = HEAD.exec(given.trim()) ?? [];
  if (link !== undefined && hash !== undefined) return { link: Number(link), hash };
  if (!existsSync(given)) throw invalidOption('--head is LINK:HASH, or a file that audit verify --json has written.');
  try {
    const { head } = JSON.parse(readFileSync(given, 'utf8')) as { head: ChainEnd };
    if (Number.isSafeInteger(head.link) && typeof head.hash === 'string') return { link: head.link, hash: head.hash };
  } catch {
    // The error below covers it.
  }
  throw unusableFile(`${given} is not what audit verify --json printed.`);
}
