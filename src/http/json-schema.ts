declare const VALUE: unique symbol;
declare const OPTIONAL_MEMBER: unique symbol;

/** A JSON Schema of the 2020-12 dialect, and the TypeScript type of the values that it describes. */
export type Schema<Value = unknown> = Readonly<Record<string, unknown>> & { readonly [VALUE]: Value };

/** The type of the values that a schema describes. */
export type Static<S extends Schema> = S[typeof VALUE];

/** The schema of an object. Other schemas can reuse its members. */
export type ObjectSchema<Members extends MemberSchemas = MemberSchemas> = Schema<ObjectOf<Members>> & {
  readonly properties: Members;
};

type MemberSchemas = Readonly<Record<string, Schema>>;

type Keywords = Readonly<Record<string, unknown>>;

type OptionalSchema<S extends Schema> = S & { readonly [OPTIONAL_MEMBER]: true };

type OptionalNames<Members> = {
  [Name in keyof Members]: Members[Name] extends { readonly [OPTIONAL_MEMBER]: true } ? Name : never;
}[keyof Members];

type ObjectOf<Members extends MemberSchemas> = Flat<
  { readonly [Name in Exclude<keyof Members, OptionalNames<Members>>]: Static<Members[Name]> } & {
    readonly [Name in OptionalNames<Members>]?: Static<Members[Name]>;
  }
>;

type Flat<T> = { [Name in keyof T]: T[Name] };

type TextOf<K> = K extends { readonly enum: readonly (infer Text)[] } ? Text : string;

type AllOf<Parts extends readonly unknown[]> = Parts extends readonly [infer First extends Schema, ...infer Others]
  ? Static<First> & AllOf<Others>
  : unknown;

// Not in the JSON: the surrounding object reads it to list the required members.
const OPTIONAL = Symbol('optional');

/**
 * Builds the schemas of the API and, with `Static`, their types: a handler whose response has another type does not
 * compile. `keywords` are copied into the schema. Schemas with a `$id` become named components. A library for this took
 * 18 MB and a third of the start time (docs/dependencies.md).
 */
export const Type = {
  /** `enum` narrows the type to its texts. */
  String: <const K extends Keywords & { readonly enum?: readonly string[] }>(keywords?: K) =>
    make<TextOf<K>>({ type: 'string', ...keywords }),
  Integer: (keywords: Keywords = {}) => make<number>({ type: 'integer', ...keywords }),
  Number: (keywords: Keywords = {}) => make<number>({ type: 'number', ...keywords }),
  Boolean: (keywords: Keywords = {}) => make<boolean>({ type: 'boolean', ...keywords }),
  Null: (keywords: Keywords = {}) => make<null>({ type: 'null', ...keywords }),
  Any: (keywords: Keywords = {}) => make<unknown>({ ...keywords }),
  Literal: <const Text extends string>(text: Text, keywords: Keywords = {}) =>
    make<Text>({ type: 'string', const: text, ...keywords }),
  Array: <Item extends Schema>(items: Item, keywords: Keywords = {}) =>
    make<readonly Static<Item>[]>({ type: 'array', items, ...keywords }),
  /** A value of the schema, or null. */
  Nullable: <S extends Schema>(schema: S, keywords: Keywords = {}) =>
    make<Static<S> | null>({ anyOf: [schema, { type: 'null' }], ...keywords }),
  Union: <const Members extends readonly Schema[]>(anyOf: Members, keywords: Keywords = {}) =>
    make<Static<Members[number]>>({ anyOf, ...keywords }),
  Intersect: <const Parts extends readonly Schema[]>(allOf: Parts, keywords: Keywords = {}) =>
    make<AllOf<Parts>>({ allOf, ...keywords }),
  /** An object with arbitrary member names. */
  Record: <Values extends Schema>(values: Values, keywords: Keywords = {}) =>
    make<Readonly<Record<string, Static<Values>>>>({
      type: 'object',
      patternProperties: { '^.*$': values },
      ...keywords,
    }),
  /** An optional member. */
  Optional: <S extends Schema>(schema: S) => ({ ...schema, [OPTIONAL]: true }) as unknown as OptionalSchema<S>,
  Object: <Members extends MemberSchemas>(properties: Members, keywords: Keywords = {}) => {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] as Schema)));
    const schema = { type: 'object', ...(required.length > 0 && { required }), properties, ...keywords };
    return schema as unknown as ObjectSchema<Members>;
  },
};

/** The schema of a successful response with `data`. `$id`: its name in the API description. */
export function replyOf<Data extends Schema>($id: string, data: Data) {
  return Type.Object({ message: Type.String(), errors: Type.Null(), data }, { $id });
}

/** `VALUE` exists only for the compiler. */
function make<Value>(schema: Keywords): Schema<Value> {
  return schema as Schema<Value>;
}
