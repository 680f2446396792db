import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { isoTime } from '../lib/iso-time.ts';
import { type ResumedWalks, resumeWalks } from '../proof/resume-walks.ts';
import type { Verified } from '../proof/verification-mark.ts';
import { time, unusableFile } from './print.ts';
import { type ProgressLine, progressLine } from './progress-line.ts';
import { withWholeStore } from './with-app.ts';

/** Adds `--from-start`, for a command that can resume an interrupted run. */
export function resuming(command: Command): Command {
  return command.option('--from-start', 'start from the beginning, even if an interrupted run can be resumed');
}

/** Adds `--anchor`. */
export function comparingAnchors(command: Command): Command {
  return command.option(
    '--anchor <file>',
    'file or folder with anchors kept elsewhere, besides the store and ANCHOR_DIR; may be repeated',
    readAnchorFile,
  );
}

function readAnchorFile(file: string, before: string[] = []): string[] {
  if (!existsSync(file)) throw unusableFile(`There is no file ${file}.`);
  return [...before, file];
}

/** Runs a verification, shows its progress, and resumes an interrupted run. Says on stderr where it resumes. */
export async function verifyResuming<Result extends { ok: boolean }>(
  verified: Verified,
  fromStart: boolean,
  verify: (app: App, walks: ResumedWalks['open']) => Promise<Result>,
): Promise<Result & { resumed_from: string | null }> {
  const line = progressLine();
  try {
    return await withWholeStore(async (app) => {
      const walks = await resumeWalks(app, verified, { fromStart, onProgress: line.say });
      sayBegin(line, walks);
      const result = await verify(app, walks.open);
      walks.end();
      return { ...result, resumed_from: isoTime(walks.since) };
    });
  } finally {
    line.clear();
  }
}

function sayBegin(line: ProgressLine, { since, refused }: ResumedWalks): void {
  if (since !== null)
    line.note(`What was verified since ${time(since)} is not read again; --from-start reads everything.`);
  if (refused !== null) line.note(`The mark of an interrupted run is not used: ${refused}. Everything is read again.`);
}
