import { readFormFields } from '../../protocol/read-form-fields.ts';
import { Problem } from '../error-catalogue.ts';

/** Returns the text of the only field of a payer's form. Throws `Problem` MISSING_FIELD or UNKNOWN_FIELD. */
export function onlyField(body: unknown, name: string): string {
  const [field, ...others] = readFormFields((body as Buffer | undefined) ?? Buffer.alloc(0));
  if (field?.name !== name) throw new Problem('MISSING_FIELD');
  if (others.length > 0) throw new Problem('UNKNOWN_FIELD');
  return field.text;
}
