/** The duties that come again and again: a backup of the store, and holding the books against each other. */
export type Duty = 'backup' | 'books';

/** When a duty was done last, and whether everything was right then. */
export type DoneDuty = { duty: Duty; done_at: number; ok: boolean };
