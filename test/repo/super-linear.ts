import { parseSync } from 'oxc-parser';
import { analyse } from 'scslre';
import type { SourceFile } from '../support/source-tree.ts';
import type { TidyRule } from './tidy-rules.ts';

/**
 * Finds regular expressions that can take more than linear time for a text, because strangers could send it: two parts
 * that can match the same characters (`\s*\s*$`), and a search that starts again at every character (`0+$`).
 */
export const hasNoSuperLinearExpression: TidyRule = (files) =>
  files
    .filter(({ path }) => /^(?:src|sdk\/src|protocol)\/.*\.[jt]s$/.test(path))
    .flatMap((file) =>
      expressionsOf(file).flatMap(({ line, source, flags }) =>
        isSuperLinear(source, flags) ? [`${file.path}:${line} /${source}/${flags}`] : [],
      ),
    );

type Expression = { line: number; source: string; flags: string };

function expressionsOf({ path, text }: SourceFile): Expression[] {
  const found: Expression[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex, start } = node as { regex?: { pattern: string; flags: string }; start?: number };
    if (regex !== undefined)
      found.push({ line: text.slice(0, start).split('\n').length, source: regex.pattern, flags: regex.flags });
    Object.values(node).forEach(visit);
  };
  visit(parseSync(path, text).program);
  return found;
}

function isSuperLinear(source: string, flags: string): boolean {
  return analyse({ source, flags }, { reportTypes: { Move: true } }).reports.length > 0;
}
