import type { Actor } from '../../src/audit/actor.ts';

/** The actor of everything that a test does. */
export const TESTER: Actor = {
  kind: 'command line',
  name: 'command line: tester@test',
  userId: null,
  origin: 'tester@test',
};
