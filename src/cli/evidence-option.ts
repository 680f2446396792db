import { type Evidence, readEvidence } from '../lib/evidence-file.ts';
import { unusableFile } from './print.ts';

/** Reads the file that `--evidence` names, and keeps its name and digest. */
export function evidenceOf(path: string): Evidence {
  try {
    return readEvidence(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unusableFile(`${path} cannot be read (${code ?? 'unknown'}): name a file that shows it.`);
  }
}
