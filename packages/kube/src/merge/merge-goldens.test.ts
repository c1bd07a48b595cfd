import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FieldSet } from '../fields/field-set.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { parseJson } from '../json/parse-json.ts';
import type { JsonObject } from '../json/json.ts';
import { KubeError } from '../kube-error.ts';
import type { KubeObject, ManagedFieldsEntry, StatusCause } from '../object/kube-object.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { applyManagedFields } from './managed-fields/apply-managed-fields.ts';
import { ConflictError } from './managed-fields/conflict-error.ts';
import type { VersionedSchemas } from './managed-fields/versioned-schemas.ts';
import { updateManagedFields } from './managed-fields/update-managed-fields.ts';

type Step = {
  readonly op: 'apply' | 'update';
  readonly manager: string;
  readonly subresource?: string;
  readonly force?: boolean;
  /** Which of the schemas the kind has at this step; schemas change. */
  readonly schema?: string;
  readonly object: KubeObject;
  /** What the object is afterwards, times left out; or the refusal, which leaves it as it was. */
  readonly result?: KubeObject;
  readonly error?: string;
  readonly causes?: readonly StatusCause[];
};
type Story = { readonly resetFields?: JsonObject; readonly steps: readonly Step[] };
type Goldens = {
  readonly schemas: Record<string, Record<string, JsonObject>>;
  readonly stories: readonly Story[];
};

const goldens = parseJson(
  readFileSync(new URL('../../../../goldens/merge.json', import.meta.url), 'utf8'),
) as Goldens;

const nodes = new Map<string, SchemaNode>();
for (const [name, versions] of Object.entries(goldens.schemas)) {
  for (const [version, schema] of Object.entries(versions)) {
    nodes.set(`${name} ex.io/${version}`, compileSchema(schema));
  }
}

function schemasOf(name = 'base'): VersionedSchemas {
  return {
    node: (apiVersion) => nodes.get(`${name} ${apiVersion}`),
    convert: (object, apiVersion) => ({ ...object, apiVersion }),
    empty: (apiVersion) => ({ apiVersion, kind: 'Thing', metadata: {} }),
  };
}

type Outcome = { readonly object?: KubeObject; readonly error?: string; readonly causes?: readonly string[] };

function play(step: Step, live: KubeObject | undefined, resetFields: FieldSet): Outcome {
  const { op, manager, subresource = '', force = false, object } = step;
  const before = live === undefined ? undefined : { ...live, apiVersion: object.apiVersion };
  const now = new Date('2026-01-01T00:00:00Z');
  const options = {
    live: before,
    object,
    manager,
    subresource,
    now,
    schemas: schemasOf(step.schema),
    resetFields,
  };
  try {
    return {
      object: op === 'apply' ? applyManagedFields({ ...options, force }) : updateManagedFields(options),
    };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const causes = error instanceof ConflictError ? { causes: sorted(error.causes) } : {};
    return { error: lines(error.message), ...causes };
  }
}

/** Go walks maps in no order, so neither causes nor lines of a message have one. */
const sorted = (causes: readonly StatusCause[]): string[] =>
  causes.map((cause) => JSON.stringify(cause)).sort();
const lines = (message: string): string => message.split('\n').sort().join('\n');

const identity = ({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string =>
  [manager, operation, apiVersion, subresource].join('/');

/** The object, its entries by manager: their order depends on their times, and those on when the recording ran. */
function comparable({ metadata, ...body }: KubeObject): unknown {
  const { managedFields = [], uid: _, ...rest } = metadata;
  const entries = (managedFields ?? []).map(({ time: __, ...entry }) => [identity(entry), entry] as const);
  return { body, metadata: rest, entries: Object.fromEntries(entries) };
}

describe('stories as apimachinery and structured-merge-diff tell them', () => {
  test.each(goldens.stories.map((story, index) => [index, story] as const))('story %i', (_, story) => {
    const resetFields = story.resetFields === undefined ? FieldSet.EMPTY : FieldSet.parse(story.resetFields);
    let live: KubeObject | undefined;
    for (const step of deepFreeze(story.steps)) {
      const { object, ...refusal } = play(step, live, resetFields);
      if (step.error !== undefined) {
        const causes = step.causes === undefined ? {} : { causes: sorted(step.causes) };
        expect(refusal).toEqual({ error: lines(step.error), ...causes });
        continue;
      }
      expect(refusal).toEqual({});
      expect(object === undefined ? undefined : comparable(object)).toEqual(
        step.result === undefined ? undefined : comparable(step.result),
      );
      live =
        object === undefined
          ? undefined
          : deepFreeze({ ...object, metadata: { ...object.metadata, uid: 'u' } });
    }
  });
});
