import { MIMEType } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../error-catalogue.ts';

/**
 * A form with a file, as a browser sends it. `file` is null if no file was chosen, or an empty one: then `isEmpty`.
 */
export type Upload = {
  fields: Record<string, string>;
  file: { name: string; content: Buffer } | null;
  isEmpty: boolean;
};

/** No form here has more fields. Thousands of small ones take most of a second, while nothing else runs. */
const MOST_PARTS = 100;

/** Parses a `multipart/form-data` form. Throws `Problem` for any other body, or one with more than 100 fields. */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
  const boundary = boundaryOf(request.headers['content-type'] ?? '');
  const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  // The parser gets only the boundary that was counted: it may read the rest of a type in another way.
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const form =
    boundary === '' || hasTooManyParts(boundary, body)
      ? null
      : await new Response(new Uint8Array(body), { headers }).formData().catch(() => null);
  // PostgreSQL stores no NUL.
  if (
    form === null ||
    [...form.values()].some((value) => (typeof value === 'string' ? value : value.name).includes('\0'))
  )
    throw new Problem('HTTP_MALFORMED', {
      detail: { en: 'The form cannot be read.', es: 'El formulario no se puede leer.' },
    });
  const fields: Record<string, string> = {};
  let file: Upload['file'] = null;
  let isEmpty = false;
  for (const [name, value] of form) {
    // People paste a tab with a reason or an amount of a spreadsheet.
    if (typeof value === 'string') fields[name] = value.replaceAll('\t', ' ');
    else if (value.size > 0) file = { name: value.name, content: Buffer.from(await value.arrayBuffer()) };
    // A browser sends an empty file without a name if none was chosen.
    else if (value.name !== '') isEmpty = true;
  }
  return { fields, file, isEmpty };
}

/**
 * Returns the boundary in a media type, without characters that no browser sends; empty if the type has no boundary.
 */
function boundaryOf(type: string): string {
  try {
    return (new MIMEType(type).params.get('boundary') ?? '').replace(/[^\w'-]/g, '');
  } catch {
    return '';
  }
}

function hasTooManyParts(boundary: string, body: Buffer): boolean {
  let at = -1;
  // One more boundary ends the form.
  for (let found = 0; found <= MOST_PARTS + 1; found++) {
    at = body.indexOf(`--${boundary}`, at + 1);
    if (at === -1) return false;
  }
  return true;
}
