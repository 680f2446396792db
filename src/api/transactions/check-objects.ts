import type { UnsignedField } from '../../../protocol/field-names.ts';
import type { ErrorItem } from '../../error-catalogue.ts';

/**
 * Finds the unsigned objects of a request that have another form: `x_products` is a list of objects, the others are objects. Their
 * members are the shop's own. PHP writes an empty object as an empty list, so an empty one of either kind is taken.
 */
export function checkObjects(objects: Partial<Record<UnsignedField, string>>): ErrorItem[] {
  return Object.entries(objects).flatMap(([name, json]) => {
    const value = JSON.parse(json) as object;
    const isRight = name === 'x_products' ? isList(value) : isObject(value);
    return isRight || Object.keys(value).length === 0 ? [] : [wrongForm(name)];
  });
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isObject);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrongForm(name: string): ErrorItem {
  const [due, es] =
    name === 'x_products' ? ['a list of objects', 'una lista de objetos'] : ['one object', 'un solo objeto'];
  return {
    pointer: `/${name}`,
    code: 'INVALID_TYPE',
    message: `${name} has the wrong JSON type.`,
    fix: `Send ${due}, or leave the field out.`,
    es: { message: `${name} tiene el tipo JSON equivocado.`, fix: `Envía ${es}, u omite el campo.` },
  };
}
