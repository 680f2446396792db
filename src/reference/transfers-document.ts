import type { OpenApiDocument, PathItem } from './openapi-shape.ts';
import { TRANSFERS_INFO } from './openapi-texts.ts';

const PARTS = ['Bank account validation', 'Recipients', 'Payouts', 'Bank files', 'Access'];

/** Returns the electronic transfers part of the API description, under its own name and version. */
export function transfersDocument(whole: OpenApiDocument): OpenApiDocument {
  const paths = Object.fromEntries(Object.entries(whole.paths).filter(([, item]) => isPart(item)));
  const document: OpenApiDocument = {
    ...whole,
    info: { ...whole.info, ...TRANSFERS_INFO },
    tags: whole.tags.filter(({ name }) => PARTS.includes(name)),
    paths,
  };
  return { ...document, components: componentsUsed(document, { paths, security: SECURITY }) };
}

/** Operations name these schemes without a reference. */
const SECURITY = ['accessToken', 'apiToken'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` }));

function isPart(item: PathItem): boolean {
  if ('$ref' in item) return false;
  const operations = [item.get, item.post, item.put, item.delete];
  return operations.some((operation) => operation !== undefined && PARTS.includes(operation.tags[0]));
}

/** Returns the components that `roots` reference, directly or through other components. */
function componentsUsed({ components }: OpenApiDocument, roots: object): OpenApiDocument['components'] {
  const used: OpenApiDocument['components'] = { schemas: {} };
  const visit = (value: object): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)) {
      const component = components[kind]?.[name];
      if (typeof component !== 'object' || component === null || used[kind]?.[name] !== undefined) continue;
      used[kind] = { ...used[kind], [name]: component };
      visit(component);
    }
  };
  visit(roots);
  return used;
}
