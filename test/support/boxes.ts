import type { Json, JsonObject } from '@kubewright/kube';
import { at, textAt } from './at.ts';

/** Boxes: `v1` keeps a `size` such as `3x4`, which `v2` has as `width` and `height`. */

/** The definition of boxes, whose versions a webhook converts. */
export function boxDefinition(group: string, conversion: JsonObject): JsonObject {
  const schemaOf = (properties: JsonObject): JsonObject => ({
    openAPIV3Schema: { type: 'object', properties },
  });
  const number = { type: 'integer' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `boxes.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
      conversion,
      versions: [
        { name: 'v1', served: true, storage: true, schema: schemaOf({ size: { type: 'string' } }) },
        {
          name: 'v2',
          served: true,
          storage: false,
          schema: schemaOf({ width: number, height: number }),
          selectableFields: [{ jsonPath: '.width' }],
          additionalPrinterColumns: [{ name: 'Width', type: 'integer', jsonPath: '.width' }],
        },
      ],
    },
  };
}

/** The `ConversionResponse` to a `ConversionRequest`, without its uid. */
export function convertBoxes(request: JsonObject): JsonObject {
  const version = textAt(request, 'desiredAPIVersion');
  return responseOf(request, (object) => boxIn(version, object));
}

/** A webhook that converts boxes, and sets fields and metadata besides. */
export function converting(
  fields: JsonObject,
  metadata: JsonObject = {},
): (request: JsonObject) => JsonObject {
  return (request) => {
    const version = textAt(request, 'desiredAPIVersion');
    return responseOf(request, (object) => {
      const meta = { ...(object['metadata'] as JsonObject), ...metadata };
      return { ...boxIn(version, object), metadata: meta, ...fields };
    });
  };
}

/** A response that converts nothing. */
export function failed(result: JsonObject): JsonObject {
  return { result: { status: 'Failure', ...result } };
}

/** A response with what `change` makes of each object of the request. */
export function responseOf(request: JsonObject, change: (object: JsonObject) => Json): JsonObject {
  const objects = at(request, 'objects') as JsonObject[];
  return { result: { status: 'Success' }, convertedObjects: objects.map(change) };
}

function boxIn(apiVersion: string, object: JsonObject): JsonObject {
  if (object['apiVersion'] === apiVersion) return object;
  const { size: _, width, height, ...rest } = object;
  if (apiVersion.endsWith('/v1')) return { ...rest, apiVersion, size: `${Number(width)}x${Number(height)}` };
  const [wide = 0, high = 0] = textAt(object, 'size').split('x').map(Number);
  return { ...rest, apiVersion, width: wide, height: high };
}
