import { setTimeout } from 'node:timers/promises';
import { dayOf } from '../../src/lib/calendar-day.ts';

/** Longer than the part of a test that must be on one day. */
const LONGEST_MS = 90_000;

/** If midnight in Chile is near, waits until it has passed: what follows by the clock of the machine is on one day. */
export async function pastMidnight(): Promise<void> {
  while (dayOf(Date.now()) !== dayOf(Date.now() + LONGEST_MS)) await setTimeout(1000);
}
