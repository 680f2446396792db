import { parentPort } from 'node:worker_threads';
import { type ExplainOptions, explain } from '../../../protocol/explain-signature.ts';

/** Looks for what a signature was made with, beside the thread that answers payments. One question at a time. */
parentPort?.on('message', (question: ExplainOptions) => parentPort?.postMessage(explain(question)));
