import { parentPort, workerData } from 'node:worker_threads';
import { type WorkbookWish, workbookBytes } from './workbook-bytes.ts';

parentPort?.postMessage(await workbookBytes(workerData as WorkbookWish));
