import { type Evidence, readEvidence } from '../lib/evidence-file.ts';
import { unusableFile } from './print.ts';

/** What is kept of the file that `--evidence` names. */
export function evidenceOf(path: string): Evidence {
  try {
    return readEvidence(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unusableFile(`${path} cannot be read (${code ?? 'unknown'}): name a file that shows it.`);
  }
}
