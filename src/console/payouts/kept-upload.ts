import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../http/html.ts';
import { readUpload } from '../../http/read-upload.ts';

/** In base64 and with the other fields a file of this size fits into `UPLOAD_BYTES.payouts`. */
export const MOST_FILE_BYTES = 2 * 1024 * 1024;

export type SentFile = { name: string; content: Buffer };

/**
 * Reads a form with a file: a chosen one, or the one that a confirmation page carries. `file` is null if nobody chose
 * one.
 */
export async function readSentFile(
  request: FastifyRequest,
): Promise<{ fields: Record<string, string>; file: SentFile | null }> {
  const { fields, file } = await readUpload(request);
  if (file !== null) return { fields, file };
  const { content = '', file_name: name = '' } = fields;
  return { fields, file: content === '' ? null : { name, content: Buffer.from(content, 'base64') } };
}

/** Puts the file into the confirmation page, so that the service does not store it before the person confirms. */
export function carriedFile({ name, content }: SentFile): Html {
  return html`<input type="hidden" name="file_name" value="${name}"><input type="hidden" name="content" value="${content.toString('base64')}">`;
}
