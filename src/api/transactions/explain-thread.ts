import { parentPort } from 'node:worker_threads';
import { type ExplainOptions, explain } from '../../../protocol/explain-signature.ts';
import { lowerPriority } from '../../lib/lower-priority.ts';

// A hundred wrong signatures a minute cause seconds of searching.
lowerPriority();

/** Searches for the input of a signature on this thread, so that payments do not wait. One question at a time. */
parentPort?.on('message', (question: ExplainOptions) => parentPort?.postMessage(explain(question)));
