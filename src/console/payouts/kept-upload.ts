import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../../http/html.ts';
import { readUpload, type Upload } from '../../http/read-upload.ts';
import type { Language } from '../../lib/language.ts';
import { tell } from '../console-texts.ts';

/** In base64 and with the other fields a file of this size fits into `UPLOAD_BYTES.payouts`. */
export const MOST_FILE_BYTES = 2 * 1024 * 1024;

export type SentFile = { name: string; content: Buffer };

/**
 * Reads a form with a file: a chosen one, or the one that a confirmation page carries. `file` is null if nobody chose
 * one.
 */
export async function readSentFile(request: FastifyRequest): Promise<Upload> {
  const upload = await readUpload(request);
  const { content = '', file_name: name = '' } = upload.fields;
  if (upload.file !== null || content === '') return upload;
  return { ...upload, file: { name, content: Buffer.from(content, 'base64') } };
}

/** Says why the file of a form cannot be used: it is too large or empty, or nobody chose one. */
export function sayUnusable(language: Language, { file, isEmpty }: Pick<Upload, 'file' | 'isEmpty'>): string {
  if (file !== null) return tell(language, 'settle.too_large');
  return tell(language, isEmpty ? 'upload.empty_file' : 'upload.no_file');
}

/** Puts the file into the confirmation page, so that the service does not store it before the person confirms. */
export function carriedFile({ name, content }: SentFile): Html {
  return html`<input type="hidden" name="file_name" value="${name}"><input type="hidden" name="content" value="${content.toString('base64')}">`;
}
