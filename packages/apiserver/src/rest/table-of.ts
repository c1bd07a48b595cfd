import { defined, type Json, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { ResourceDefinition, TableColumn } from '../model/resource-definition.ts';
import { badRequest } from '../api-server-error.ts';

/** How much of each object goes into its row. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** What kubectl prints from; `meta.k8s.io Table`. */
export type TableRequest = {
  readonly definition: ResourceDefinition;
  readonly metaVersion: string;
  readonly include: IncludeObject;
  readonly now: Date;
};

export function tableOf(
  request: TableRequest,
  objects: readonly KubeObject[],
  metadata: JsonObject,
  headers = true,
): JsonObject {
  const { definition, metaVersion } = request;
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata,
    columnDefinitions: headers ? definition.columns.map(columnDefinition) : null,
    rows: objects.map((object) => rowOf(request, object)),
  };
}

function columnDefinition({ name, type, format = '', description = '', priority }: TableColumn): JsonObject {
  return { name, type, format, description, priority };
}

function rowOf({ definition, metaVersion, include, now }: TableRequest, object: KubeObject): JsonObject {
  const cells: Json = definition.columns.map((column) => column.value(object, now));
  if (include === 'None') return { cells };
  const shown = include === 'Object' ? (object as JsonObject) : partialMetadata(object, metaVersion);
  return { cells, object: shown };
}

/** `meta.k8s.io PartialObjectMetadata`. */
export function partialMetadata(object: KubeObject, metaVersion: string): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: object.metadata,
  };
}

/** `metadata` of a list. */
export function listMeta(page: {
  readonly revision: number;
  readonly continueToken?: string;
  readonly remaining?: number;
}): JsonObject {
  return defined({
    resourceVersion: String(page.revision),
    continue: page.continueToken,
    remainingItemCount: page.remaining,
  });
}
