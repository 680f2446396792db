import type { AnchorSource } from '../proof/anchors/verify-anchors.ts';
import type { Finding } from '../proof/proof-finding.ts';
import { describeRestore, type SeenRestore } from '../proof/restores/restore.ts';
import { chileanTimes, countOf, time } from './print.ts';

/** Returns a finding as one line for a person. */
export function findingLine({ environment_id, since, says }: Finding): string {
  const isNamed = environment_id === null || says.includes(`environment ${environment_id}`);
  const place = isNamed ? '' : `environment ${environment_id}: `;
  return `${place}${says}${since === null ? '' : ` (as of ${time(since)})`}`;
}

/** Returns a line about the anchors that were compared. */
export function anchorLine({ source, anchors, first_day, last_day }: AnchorSource): string {
  if (anchors === 0) return `No anchor is in ${source}.`;
  return `${countOf(anchors, 'anchor')} in ${source}, of ${first_day} to ${last_day}: compared.`;
}

/** Returns what nothing can prove if no anchor outside the store was compared; no line if one was. */
export function unprovenLines(anchors: readonly AnchorSource[], withHead: boolean): string[] {
  if (withHead || anchors.slice(1).some(({ anchors: count }) => count > 0)) return [];
  return [
    'Nothing outside the store was compared. A person who can write the whole store could have computed every chain anew, or cut off the last changes with their anchors, and this would not show it: set ANCHOR_DIR or ANCHOR_URL, and give what is kept there with --anchor.',
  ];
}

/** Returns a line about a restore that a person accepted. */
export function restoreLine(restore: SeenRestore): string {
  const { by = '', reason = null, at = 0 } = restore.accepted ?? {};
  const told = chileanTimes(describeRestore(restore)).replace(/^t/, 'T');
  return `${told}. Accepted by ${by} at ${time(at)}${reason === null ? ', without a reason' : `: ${reason}`}.`;
}
