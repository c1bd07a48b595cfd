import { decodedValue, type Status, stringifyJson, withDecodedValue } from '@kubewright/kube';
import { statusJson } from '../api-server-error.ts';
import { encodedAs, type StoredObject } from './stored-object.ts';
import type { View } from '../model/in-version.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/**
 * One committed write. `object` is the state after it; of a deletion the last state, under the deletion's revision.
 * `previous` is the state before, absent on the first write.
 */
export type StoreEvent = {
  readonly revision: number;
  readonly type: EventType;
  readonly object: StoredObject;
  readonly previous?: StoredObject;
  /** Wire frames, made once for all watchers; see {@link frameOf}. */
  readonly frames: Map<string, Uint8Array>;
};

const BEFORE_OBJECT: Record<EventType, Uint8Array> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const AFTER_OBJECT = Buffer.from('}\n');

/** A watch event around bytes that are encoded already. */
export function frame(type: EventType, object: Uint8Array): Uint8Array {
  const bytes = Buffer.concat([BEFORE_OBJECT[type], object, AFTER_OBJECT]);
  const value = decodedValue(object);
  return value === undefined ? bytes : withDecodedValue(bytes, Object.freeze({ type, object: value }));
}

/** The last line of a watch that failed. */
export function errorFrame(status: Status): Uint8Array {
  return Buffer.from(`{"type":"ERROR","object":${stringifyJson(statusJson(status))}}\n`);
}

/**
 * The event's line on a watch of a version. `type` may differ from the event's own: to a watcher with a selector an
 * object that begins to match is ADDED. Made once per event, version and type, and shared by all watchers.
 */
export function frameOf(event: StoreEvent, type: EventType, view: View): Uint8Array {
  const key = `${type} ${view.version}`;
  let bytes = event.frames.get(key);
  if (bytes === undefined) {
    bytes = frame(type, encodedAs(event.object, view));
    event.frames.set(key, bytes);
  }
  return bytes;
}
