import assert from 'node:assert/strict';
import { formatPath } from '../../fields/format-path.ts';
import type { JsonObject } from '../../json/json.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../object/kube-object.ts';
import { compileSchema } from '../../schema/compile-schema.ts';
import { applyManagedFields } from '../managed-fields/apply-managed-fields.ts';
import { ConflictError } from '../managed-fields/conflict-error.ts';
import { decodeManagers } from '../managed-fields/managers.ts';
import type { VersionedSchemas } from '../managed-fields/versioned-schemas.ts';
import { updateManagedFields } from '../managed-fields/update-managed-fields.ts';

const string = { type: 'string' };
const names = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const schema = {
  type: 'object',
  properties: {
    apiVersion: string,
    kind: string,
    metadata: {
      type: 'object',
      properties: {
        name: string,
        labels: { type: 'object', additionalProperties: string },
        annotations: { type: 'object', additionalProperties: string },
      },
    },
    replicas: { type: 'integer' },
    selector: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: string },
    args: { type: 'array', items: string },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: string },
    items: {
      type: 'array',
      ...names,
      items: {
        type: 'object',
        properties: {
          name: string,
          image: string,
          command: string,
          env: {
            type: 'array',
            ...names,
            items: { type: 'object', properties: { name: string, value: string } },
          },
        },
      },
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, note: string },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const known = { type: 'object', properties: { a: string } };
const nodes: Readonly<Record<string, ReturnType<typeof compileSchema>>> = {
  'ex.io/v1': compileSchema(schema),
  'ex.io/v2': compileSchema({ ...schema }),
  // Names a part of what is below `free`.
  'ex.io/v3': compileSchema({
    ...schema,
    properties: { ...schema.properties, free: { ...schema.properties.free, properties: { known } } },
  }),
};
const schemas: VersionedSchemas = {
  node: (apiVersion) => nodes[apiVersion],
  convert: (object, apiVersion) => ({ ...object, apiVersion }),
  empty: (apiVersion) => ({ apiVersion, kind: 'Thing', metadata: {} }),
};

/** An object with several managers, for tests that read as stories; its versions are `ex.io/v1` to `v3`. */
export class Story {
  live: KubeObject | undefined;
  #minute = 0;

  #write(body: JsonObject, apiVersion: string): KubeObject {
    return { apiVersion, kind: 'Thing', metadata: { name: 'x' }, ...body };
  }

  #now(): Date {
    return new Date(Date.UTC(2026, 0, 1, 0, this.#minute++));
  }

  apply(manager: string, body: JsonObject, options: { force?: boolean; apiVersion?: string } = {}): this {
    const object = this.#write(body, options.apiVersion ?? 'ex.io/v1');
    const live = this.live === undefined ? undefined : { ...this.live, apiVersion: object.apiVersion };
    const next = applyManagedFields({
      live,
      object,
      manager,
      subresource: '',
      force: options.force ?? false,
      now: this.#now(),
      schemas,
    });
    if (next !== live) this.live = next;
    return this;
  }

  force(manager: string, body: JsonObject): this {
    return this.apply(manager, body, { force: true });
  }

  /** A PUT: the whole object, managedFields only where the body has them. */
  update(
    manager: string,
    body: JsonObject,
    options: { subresource?: string; apiVersion?: string } = {},
  ): this {
    const object = this.#write(body, options.apiVersion ?? 'ex.io/v1');
    const live = this.live === undefined ? undefined : { ...this.live, apiVersion: object.apiVersion };
    this.live = updateManagedFields({
      live,
      object,
      manager,
      subresource: options.subresource ?? '',
      now: this.#now(),
      schemas,
    });
    return this;
  }

  rewrite(managedFields: readonly ManagedFieldsEntry[]): this {
    const { apiVersion: _, kind: __, metadata: ___, ...body } = this.live ?? this.#write({}, '');
    return this.update('rewriter', {
      ...body,
      metadata: { name: 'x', managedFields },
    });
  }

  get body(): JsonObject {
    const { apiVersion: _, kind: __, metadata, ...body } = this.live ?? this.#write({}, '');
    const { name: ___, managedFields: ____, ...rest } = metadata;
    return {
      ...(Object.keys(rest).length > 0 ? { metadata: rest } : {}),
      ...body,
    };
  }

  /** The owned fields by `manager/operation[/subresource]`, as paths. */
  get claims(): Record<string, string[]> {
    const entries = [...decodeManagers(this.live?.metadata.managedFields).values()];
    return Object.fromEntries(
      entries.map(({ manager, operation, subresource, set }) => [
        `${manager}/${operation}${subresource === '' ? '' : `/${subresource}`}`,
        [...set.paths()].map(formatPath),
      ]),
    );
  }
}

export const story = (): Story => new Story();

/** The conflict that `run` ends with. */
export function conflictOf(run: () => unknown): ConflictError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConflictError) return error;
    throw error;
  }
  assert.fail('no conflict');
}
