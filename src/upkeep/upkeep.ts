/** The recurring duties: a backup of the store, and verifying the books. */
export type Duty = 'backup' | 'books';

/** When a duty was last done, and whether the result was right. */
export type DoneDuty = { duty: Duty; done_at: number; ok: boolean };
