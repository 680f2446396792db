import { type Details, type Figure, isMet, type Line, type Round } from './figure.ts';
import { fsyncCells, type Machine, machineLines } from './machine.ts';

/** A measured figure; `measuredAt` is an ISO 8601 date. */
export type Measured = Figure & { name: string; measuredAt: string; machine: Machine };

/** Formats figures for a terminal. */
export function textOf(measured: readonly Measured[]): string {
  const lines = measured.flatMap((figure) => figure.lines);
  const parts = lines.length === 0 ? [] : [columns([HEAD, ...lines.map(cellsOf)])];
  for (const { title, head, rows } of measured.flatMap((figure) => figure.details)) {
    parts.push(`${title}\n${columns([head, ...rows])}`);
  }
  const machine = measured.at(-1)?.machine;
  if (machine !== undefined) {
    const [p50, p99] = fsyncCells(machine.fsync);
    parts.push([...machineLines(machine), `fsync of 4 KiB: p50 ${p50}, p99 ${p99}`].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

/** Formats figures for docs/performance.md. */
export function markdownOf(measured: readonly Measured[]): string {
  const lines = measured.flatMap((figure) => figure.lines);
  const parts = [markdownTable(HEAD, lines.map(cellsOf))];
  for (const { title, head, rows } of measured.flatMap((figure) => figure.details)) {
    parts.push(`### ${title}`, markdownTable(head, rows));
  }
  parts.push('### Where and when');
  for (const [machine, figures] of Map.groupBy(measured, ({ machine }) => machineLines(machine).join('; '))) {
    const rows = figures.map(({ name, measuredAt, machine: { fsync } }) => [name, measuredAt, ...fsyncCells(fsync)]);
    parts.push(`${machine}:`, markdownTable(['figure', 'date', 'fsync of 4 KiB: p50', 'p99'], rows));
  }
  return parts.join('\n\n');
}

const HEAD = ['measured', 'against', 'result', 'aim', '', 'rounds'];

function cellsOf(line: Line): string[] {
  const met = isMet(line);
  return [
    line.measured,
    line.against ?? '',
    quantity(line.value, line.unit),
    aimOf(line),
    met === null ? '' : met ? 'met' : 'MISSED',
    line.rounds.map(roundText).join('  '),
  ];
}

function quantity(value: number, unit: Line['unit']): string {
  return unit === 'ratio' ? value.toFixed(2) : `${value.toFixed(unit === 's' ? 2 : 0)} ${unit}`;
}

function aimOf({ aim, unit }: Line): string {
  if (aim === null) return '';
  return 'atLeast' in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost} ${unit}`;
}

function roundText({ ours, peer }: Round): string {
  if (peer === null) return ours.toFixed(2);
  return `${Math.round(ours).toLocaleString('en')}/${Math.round(peer).toLocaleString('en')}`;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function markdownTable(head: Details['head'], rows: Details['rows']): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
