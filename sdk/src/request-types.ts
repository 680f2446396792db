import type { Operations } from './api-operations.ts';

/** A method and a path of the API, such as `GET /trxs/{id}`. */
export type Operation = keyof Operations;
export type PartsOf<O extends Operation> = Omit<Operations[O], 'reply'>;
export type ReplyOf<O extends Operation> = Operations[O]['reply'];
export type Query<O extends Operation> = Operations[O] extends { query: infer Q } ? Q : never;
