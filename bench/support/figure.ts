/** A line of the table: a ratio to a peer measured beside it, or a quantity with a limit. */
export type Line = {
  measured: string;
  /** The peer; null for a quantity without a peer. */
  against: string | null;
  aim: { atLeast: number } | { atMost: number } | null;
  unit: 'ratio' | 'MB' | 's';
  /** The median of the rounds. */
  value: number;
  rounds: readonly Round[];
};

/**
 * The measurement of one round: the service's and the peer's quantity. Their ratio counts, or the service's quantity
 * alone.
 */
export type Round = { ours: number; peer: number | null };

/**
 * Details that do not fit into a line, such as latencies. `keyCells`: how many of its first cells identify a row. A row
 * stays until one with the same key is measured.
 */
export type Details = {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  keyCells?: number;
};

export type Figure = { lines: readonly Line[]; details: readonly Details[] };

/** A figure that could not be measured here, and why. */
export class FigureSkipped extends Error {}

/** An invalid figure: for example, a peer or the service refused requests. */
export class FigureInvalid extends Error {}

export function ratioLine(
  measured: string,
  against: string,
  aim: Line['aim'],
  rounds: readonly { ours: number; peer: number }[],
): Line {
  return { measured, against, aim, unit: 'ratio', value: median(rounds.map(({ ours, peer }) => ours / peer)), rounds };
}

export function limitLine(measured: string, unit: 'MB' | 's', atMost: number, quantities: readonly number[]): Line {
  const rounds = quantities.map((ours) => ({ ours, peer: null }));
  return { measured, against: null, aim: { atMost }, unit, value: median(quantities), rounds };
}

/** Returns whether the aim is met; null without an aim. */
export function isMet({ aim, value }: Line): boolean | null {
  if (aim === null) return null;
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
}

/** Returns the median; for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}
