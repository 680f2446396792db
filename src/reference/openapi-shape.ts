import type { Schema, Schemas } from './openapi-schemas.ts';

/** The subset of OpenAPI 3.1 that this service uses. */
export type OpenApiDocument = {
  openapi: '3.1.0';
  info: Record<string, unknown> & { title: string; version: string; description: string };
  servers: { url: string; description?: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: Record<string, Record<string, unknown>> & { schemas: Schemas };
};

/** A path that is equivalent to another is a reference to it. */
export type PathItem = { [Method in 'get' | 'post' | 'put' | 'delete']?: Operation } | { $ref: string };

export type Operation = {
  operationId: string;
  tags: [string];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, Reply | { $ref: string }>;
  security: Record<string, string[]>[];
};

export type RequestBody = { required: boolean; content: Record<string, MediaContent> };

export type Parameter = {
  name: string;
  in: string;
  required: boolean;
  allowEmptyValue?: boolean;
  description: string;
  schema: Schema;
};

export type MediaContent = { schema: Schema; example?: unknown; examples?: Record<string, { $ref: string }> };

export type Reply = { description: string; headers: Record<string, unknown>; content?: Record<string, MediaContent> };
