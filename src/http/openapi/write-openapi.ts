import { writeFileSync } from 'node:fs';
import { ROUTES } from '../routes.ts';
import { openApiDocument } from './openapi-document.ts';

// Run by hand after a change of an endpoint; a test compares the file with what the table gives.
writeFileSync(
  new URL('../../../openapi.json', import.meta.url),
  `${JSON.stringify(openApiDocument(ROUTES), null, 2)}\n`,
);
