/** A character that moves the cursor of a terminal, breaks a line, or shows a text in another order. */
export const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

const EACH_MISLEADING = new RegExp(MISLEADING, 'gu');

/** Returns the text with `by` in place of each such character. */
export function replaceMisleading(text: string, by: string): string {
  return text.replace(EACH_MISLEADING, by);
}
