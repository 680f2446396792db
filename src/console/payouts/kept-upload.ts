import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../http/html.ts';
import { readUpload } from '../../http/read-upload.ts';

/** Written in base64 and with the other fields they fit into `UPLOAD_BYTES.payouts`. */
export const MOST_FILE_BYTES = 2 * 1024 * 1024;

export type SentFile = { name: string; content: Buffer };

/** A form with a file that a person chose, or that the page which asks once more carries with it. Null: nobody chose one. */
export async function readSentFile(
  request: FastifyRequest,
): Promise<{ fields: Record<string, string>; file: SentFile | null }> {
  const { fields, file } = await readUpload(request);
  if (file !== null) return { fields, file };
  const { content = '', file_name: name = '' } = fields;
  return { fields, file: content === '' ? null : { name, content: Buffer.from(content, 'base64') } };
}

/** Carries a file over to the answer, so that nothing is kept of it until the person confirms. */
export function carriedFile({ name, content }: SentFile): Html {
  return html`<input type="hidden" name="file_name" value="${name}"><input type="hidden" name="content" value="${content.toString('base64')}">`;
}
