import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../src/reference/openapi-document.ts';
import { ROUTES } from '../src/server/routes.ts';
import { clientTypes } from './client-types.ts';
import { PROTOCOL_DATA_FILES, protocolData } from './protocol-data.ts';

// Run by hand after a change of an endpoint; a test compares the files with what the table gives.
const document = openApiDocument(ROUTES);
write('openapi.json', `${JSON.stringify(document, null, 2)}\n`);
for (const [file, text] of Object.entries(clientTypes(document))) write(`sdk/src/${file}`, text);
for (const file of PROTOCOL_DATA_FILES) write(file, protocolData());

function write(path: string, text: string): void {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
}
