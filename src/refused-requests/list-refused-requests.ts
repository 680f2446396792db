import type { App } from '../app.ts';
import { pageOf } from '../db/newest-page.ts';
import { CATALOGUE, type ErrorCode, notACursor } from '../error-catalogue.ts';
import type { AnsweredError, ErrorItem } from '../error-item.ts';
import { SPANISH_ERRORS } from '../error-spanish.ts';
import type { Language } from '../lib/language.ts';
import { type ListedRefused, type RefusedFilter, selectRefused } from './refused-request-queries.ts';

export type RefusedSearch = Partial<Omit<RefusedFilter, 'after' | 'environmentIds'>> & {
  /** Null: all payment services. */
  environmentIds: ReadonlySet<number> | null;
  /** `next` of the previous page. */
  after?: string | null;
};

export type RefusedPage = { requests: ListedRefused[]; next: string | null };

/**
 * Lists refused requests, the newest first. Throws `Problem` `INVALID_PARAMETER` if `after` is not a cursor of this
 * list.
 */
export async function listRefusedRequests(app: App, search: RefusedSearch, limit: number): Promise<RefusedPage> {
  const { environmentIds, after = null, ...given } = search;
  const filter = {
    requestId: null,
    code: null,
    paymentServiceId: null,
    environment: null,
    since: null,
    ...given,
    environmentIds: environmentIds === null ? null : [...environmentIds],
    after: after === null ? null : readCursor(after),
  };
  const rows = await selectRefused(app.db, filter, limit + 1);
  const { page: requests, next } = pageOf(rows, limit, cursorOf);
  return { requests, next };
}

function cursorOf({ at, request_id }: ListedRefused): string {
  return Buffer.from(`${at}.${request_id}`).toString('base64url');
}

function readCursor(text: string): NonNullable<RefusedFilter['after']> {
  const [, at, request_id] =
    /^(\d{1,15})\.([\w-]{1,40})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (at !== undefined && request_id !== undefined) return { at: Number(at), request_id };
  throw notACursor();
}

/** A refused request with its JSON texts parsed. */
export type ReadRefused = Omit<ListedRefused, 'detail_es' | 'errors' | 'fields'> & {
  /** The title in the error catalogue. */
  title: string;
  errors: AnsweredError[];
  fields: { name: string; value: string }[];
};

/** Describes a refused request for people and programs. A text that was stored only in English stays English. */
export function readRefused(
  { detail, detail_es, errors, fields, ...row }: ListedRefused,
  language: Language,
): ReadRefused {
  const shown = Object.entries(JSON.parse(fields) as Record<string, string>);
  const titles = language === 'es' ? SPANISH_ERRORS : CATALOGUE;
  const tellIn = language === 'es' ? inSpanish : String;
  const items = JSON.parse(errors) as (AnsweredError & Partial<Pick<ErrorItem, 'es'>>)[];
  return {
    ...row,
    title: titles[row.code as ErrorCode]?.title ?? row.code,
    detail: language === 'es' ? (detail_es ?? detail) : detail,
    errors: items.map(({ es, ...item }) => (language === 'es' ? { ...item, ...es } : item)),
    fields: shown.map(([name, value]) => ({ name: tellIn(name), value: tellIn(value) })),
  };
}

/** Translates the note that replaces a name or a value that was not stored. */
function inSpanish(value: string): string {
  return value.replace(/\((\d+) characters, not kept\)/g, '($1 caracteres, no guardados)');
}
