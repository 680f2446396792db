import { isMet, type Line } from './figure.ts';

const WIDTH = 920;
const LABELS = 530;
const ROW = 26;
const TOP = 34;
/** The longest bar: one figure far above its aim must not make the others unreadable. */
const MOST = 2;

/** Draws a bar for each figure with an aim: the share of the aim that was reached. The aim is the line at 1. */
export function plotOf(lines: readonly Line[]): string {
  const aimed = lines.filter((line) => line.aim !== null);
  const height = TOP + aimed.length * ROW + 8;
  const aimX = barEnd(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${aimX}" y="20" text-anchor="middle" fill="#444">aim</text>`,
    ...aimed.flatMap((line, at) => barOf(line, TOP + at * ROW)),
    `<line x1="${aimX}" x2="${aimX}" y1="${TOP - 8}" y2="${height - 4}" stroke="#444" stroke-dasharray="3 3"/>`,
    '</svg>\n',
  ].join('\n');
}

function barOf(line: Line, y: number): string[] {
  const reached = reachedOf(line);
  const end = barEnd(Math.min(reached, MOST));
  const color = isMet(line) === true ? '#2f7d5b' : '#b3542d';
  const label = line.against === null ? line.measured : `${line.measured} : ${line.against}`;
  return [
    `<text x="${LABELS - 8}" y="${y + 14}" text-anchor="end" font-size="10">${escape(shorten(label))}</text>`,
    `<rect x="${LABELS}" y="${y + 3}" width="${(end - LABELS).toFixed(1)}" height="${ROW - 10}" fill="${color}"/>`,
    `<text x="${end + 5}" y="${y + 15}">${line.unit === 'ratio' ? line.value.toFixed(2) : `${line.value.toFixed(2)} ${line.unit}`}</text>`,
  ];
}

/** Returns the share of the aim. For a limit, half the value is 2. */
function reachedOf({ aim, value }: Line): number {
  if (aim === null) return 0;
  return 'atLeast' in aim ? value / aim.atLeast : aim.atMost / value;
}

function barEnd(reached: number): number {
  return LABELS + (reached / MOST) * (WIDTH - LABELS - 70);
}

function shorten(text: string): string {
  return text.length > 92 ? `${text.slice(0, 90)}…` : text;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
