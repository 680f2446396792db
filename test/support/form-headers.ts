import type { Endpoint } from '../../src/http/endpoint.ts';

/** Returns the headers that a browser sends with a form of the console to this endpoint. */
export function formHeaders({ consumes }: Pick<Endpoint, 'consumes'>): Record<string, string> {
  const [type = 'application/x-www-form-urlencoded'] = consumes ?? [];
  return {
    'content-type': type === 'multipart/form-data' ? `${type}; boundary=b` : type,
    'sec-fetch-site': 'same-origin',
  };
}

/** The headers of a form without a file. */
export const FORM = formHeaders({});
