import type { SqlValue } from '../../src/db/database.ts';

type Statement = [sql: string, ...values: SqlValue[]];

/** A change by somebody with the password of the database, and the findings of `books verify`. */
export type Tampering<World> = { name: string; statement: (world: World) => Statement; found: RegExp };

/** The same with several changes. */
export type Tamperings<World> = { name: string; statements: (world: World) => Statement[]; found: RegExp };
