/** One line of the table: a ratio to a peer measured beside it, or a quantity with a limit. */
export type Line = {
  measured: string;
  /** The peer; null for a quantity that stands by itself. */
  against: string | null;
  aim: { atLeast: number } | { atMost: number } | null;
  unit: 'ratio' | 'MB' | 's';
  /** The median of the rounds. */
  value: number;
  rounds: readonly Round[];
};

/** The measurement of one round: ours and the peer's quantity; its ratio, or ours alone, counts. */
export type Round = { ours: number; peer: number | null };

/**
 * Whatever does not fit into a line, such as latencies or where the time goes. `keyCells`: so many of its first
 * cells name a row. A row stays until a row of the same name is measured.
 */
export type Details = {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  keyCells?: number;
};

export type Figure = { lines: readonly Line[]; details: readonly Details[] };

/** A figure that could not be taken here, and why. */
export class FigureSkipped extends Error {}

/** A figure that means nothing: a peer or the service refused requests, say. */
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

/** Null where nothing was aimed at. */
export function isMet({ aim, value }: Line): boolean | null {
  if (aim === null) return null;
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
}

/** Of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}
