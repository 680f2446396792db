/** The most bytes of a form with a file. The command line takes any file. */
export const UPLOAD_BYTES = {
  /** Some fifty thousand sales. */
  settlement: 4 * 1024 * 1024,
  /** Some twenty thousand lines, also written in base64, with the other fields. */
  payouts: 3 * 1024 * 1024,
  /** A file of more than `MOST_ROWS` rows is larger, and its three tables stand in the page. */
  accounts: 256 * 1024,
  /** Room for a logo that is too large, so that it is refused in words. */
  look: 256 * 1024,
} as const;
