import type { ChaosReport } from '../../chaos/run-chaos.ts';

/** Returns a report as lines for a terminal. */
export function reportLines(report: ChaosReport): string[] {
  return [
    ...report.classes.flatMap(({ class: name, verdict, title, did, why, fix }) => [
      `${verdict.padEnd(8)} ${name}: ${title}. ${did}`,
      ...(fix === null ? [] : [`         Why: ${why}`, `         Fix: ${fix}`]),
    ]),
    '',
    summaryOf(report),
    ...adviceOf(report),
  ];
}

/** Returns the report as a Markdown page. */
export function reportPage(report: ChaosReport): string {
  const { receiver, payment_service, seed, judged_by, started_at, classes } = report;
  const by = judged_by === 'orders' ? 'the state of its orders' : 'its answers alone';
  return [
    `# Chaos run: ${report.passed ? 'passed' : 'failed'}`,
    '',
    `Receiver ${receiver}, payment service ${payment_service}, seed ${seed}, ${started_at}. Judged by ${by}.`,
    '',
    summaryOf(report),
    ...adviceOf(report),
    '',
    '| class | what was sent | verdict | what the shop did |',
    '|---|---|---|---|',
    ...classes.map((one) => `| \`${one.class}\` | ${cell(one.title)} | ${one.verdict} | ${cell(one.did)} |`),
    ...classes.flatMap(({ class: name, why, fix }) =>
      fix === null ? [] : ['', `## ${name}`, '', `Why it happens: ${why}`, '', `Fix: ${fix}`],
    ),
    '',
  ].join('\n');
}

function summaryOf({ counts: { passed, failed, unclear }, seed }: ChaosReport): string {
  return `${passed} passed, ${failed} failed, ${unclear} unclear. The same again: --seed ${seed}`;
}

function adviceOf({ counts, judged_by }: ChaosReport): string[] {
  return counts.unclear === 0 || judged_by === 'orders'
    ? []
    : ['To settle what is unclear, give --order-url: a URL that returns the state of {reference}.'];
}

/** Escapes a table cell, because the shop's own states may contain any text. */
function cell(text: string): string {
  return text.replace(/[|<>`\\\n]/g, (sign) => (sign === '\n' ? ' ' : `\\${sign}`));
}
