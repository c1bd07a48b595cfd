import { getOwn, isJsonObject, type KubeObject, parseJson, decodedValue, shapeOf } from '@kubewright/kube';
import { storedObject } from '../rest/stored-object.ts';
import { localError } from '../errors/api-error.ts';
import { readStatus } from '../errors/read-status.ts';
import type { ResourceRef } from '../rest/resource-ref.ts';
import type { WatchEvent } from './watch-event.ts';

/** One line of a watch stream as an event. Throws `InvalidResponse` for anything that no API server sends. */
export function parseWatchEvent<T extends KubeObject>(ref: ResourceRef<T>, line: Uint8Array): WatchEvent<T> {
  const event = decode(line);
  const type = isJsonObject(event) ? getOwn(event, 'type') : undefined;
  const object = isJsonObject(event) ? getOwn(event, 'object') : undefined;
  if (!isJsonObject(object)) throw localError('InvalidResponse', 'a watch event without an object');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: storedObject(ref, object) };
    case 'BOOKMARK':
      if (!isJsonObject(getOwn(object, 'metadata'))) {
        throw localError('InvalidResponse', 'a bookmark without metadata');
      }
      return { type, object: object as KubeObject };
    case 'ERROR':
      return { type, status: readStatus(object) };
    default:
      throw localError('InvalidResponse', `a watch event of unknown type: ${shapeOf(type)}`);
  }
}

function decode(line: Uint8Array): ReturnType<typeof parseJson> {
  try {
    return decodedValue(line) ?? parseJson(line);
  } catch (error) {
    throw localError('InvalidResponse', 'a watch event that is not JSON', error);
  }
}
