import type { FastifyRequest } from 'fastify';
import { Problem } from '../error-catalogue.ts';

/** A form with a file, as a browser sends it. `file` is null if no file was chosen. */
export type Upload = { fields: Record<string, string>; file: { name: string; content: Buffer } | null };

/** Parses a `multipart/form-data` form. Throws `Problem` for any other body. */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
  const type = request.headers['content-type'] ?? '';
  const body = request.body as Buffer | undefined;
  const form = await new Response(new Uint8Array(body ?? Buffer.alloc(0)), { headers: { 'content-type': type } })
    .formData()
    .catch(() => null);
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
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value;
    else if (value.size > 0) file = { name: value.name, content: Buffer.from(await value.arrayBuffer()) };
  }
  return { fields, file };
}
