import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareStore } from './prepare-store.ts';

/** An embedded store in a new folder. `using` removes the folder with everything that a harness has put there. */
export type ScratchStore = Disposable & {
  readonly folder: string;
  readonly file: string;
  readonly databaseUrl: string;
};

/** Creates a store that is ready to serve, with the payment service of the harnesses. */
export async function createScratchStore(): Promise<ScratchStore> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-fault-'));
  const file = join(folder, 'rubrica.db');
  const databaseUrl = `sqlite:${file}`;
  await prepareStore(databaseUrl);
  return { folder, file, databaseUrl, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
