import { parentPort } from 'node:worker_threads';
import { type ExplainOptions, explain } from '../../../protocol/explain-signature.ts';
import { standBack } from '../../lib/stand-back.ts';

// A hundred wrong signatures a minute cause seconds of searching.
standBack();

/** Searches for the input of a signature on this thread, so that payments do not wait. One question at a time. */
parentPort?.on('message', (question: ExplainOptions) => parentPort?.postMessage(explain(question)));
