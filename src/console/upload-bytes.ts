/** The largest body of a form with a file. The command line accepts any size. */
export const UPLOAD_BYTES = {
  /** About fifty thousand sales. */
  settlement: 4 * 1024 * 1024,
  /** About twenty thousand lines, in base64 with the other fields. */
  payouts: 3 * 1024 * 1024,
  /** A file of more than `MOST_ROWS` rows is larger. Its three tables are part of the page. */
  accounts: 256 * 1024,
  /** Large enough for an oversized logo, so that the page can explain the refusal. */
  look: 256 * 1024,
} as const;
