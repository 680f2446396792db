import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '../src/reference/openapi-document.ts';
import { ROUTES } from '../src/server/routes.ts';
import { clientTypes } from './client-types.ts';
import { DOC_PAGES, withTables } from './doc-tables.ts';
import { PROTOCOL_DATA_FILES, protocolData } from './protocol-data.ts';

// Run this by hand after a change of an endpoint, a role, a setting or an action of the audit log. A test compares the
// files with the tables of the code.
const document = openApiDocument(ROUTES);
write('openapi.json', `${JSON.stringify(document, null, 2)}\n`);
for (const [file, text] of Object.entries(clientTypes(document))) write(`sdk/src/${file}`, text);
for (const file of PROTOCOL_DATA_FILES) write(file, protocolData());
for (const page of DOC_PAGES)
  write(page, withTables(page, readFileSync(new URL(`../${page}`, import.meta.url), 'utf8')));

function write(path: string, text: string): void {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
}
