import { createHash } from 'node:crypto';
import { isJsonObject, type KubeObject, stringifyJson } from '@kubewright/kube';
import { merged } from '../../kit/merged.ts';
import { PREFIX, SYSTEM_KEYS } from '../api.ts';
import { withNotedControllers } from './noted-controllers.ts';
import { type ObjectRecord, recordOf } from './object-record.ts';
import { jsonOf } from './read-annotation.ts';

type Annotations = Readonly<Record<string, string>>;

/**
 * In a record: the annotations that a controller has copied to the object, or taken from it. They are stored as the
 * controller sends them, for it would send them for ever, and mean nothing: what people have said before is in the
 * record. By key, the hash of what is stored: whoever changes it later is heard again.
 */
const COPIES = `${PREFIX}copies`;
const ABSENT = '-';

/** An object with its annotations as they count: what is recorded about it, and what people have said. */
export function viewOf<T extends KubeObject>(object: T): T {
  const record = recordOf(object);
  if (record === undefined) return withNotedControllers(object);
  return withAnnotations(object, countingOf(object.metadata.annotations ?? {}, record));
}

/**
 * The object of a write with its annotations as they are meant. What is sent as it is stored counts as before; what is
 * recorded is in the managedFields that the server has made of those of the stored object.
 */
export function sentView(sent: KubeObject, old: KubeObject | undefined): KubeObject {
  if (old === undefined) return viewOf(sent);
  const [before, after] = [old.metadata.annotations ?? {}, sent.metadata.annotations ?? {}];
  const known = recordOf(old);
  const record = recordOf(sent) ?? (known === undefined ? undefined : {});
  if (record === undefined) return sent;
  const counted = viewOf(old).metadata.annotations ?? {};
  const meant = (key: string): string | undefined =>
    own(after, key) === own(before, key) ? own(counted, key) : own(after, key);
  const keys = new Set([before, after, counted].flatMap(Object.keys).filter(isForPeople));
  const others = select(after, (key) => !key.startsWith(PREFIX));
  const recorded = select(record, (key) => SYSTEM_KEYS.has(key));
  const said = [...keys].flatMap((key) => {
    const value = meant(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return withAnnotations(sent, merged(others, recorded, Object.fromEntries(said)));
}

/** The record with which an object that stores `stored` counts as if it had `counting`. */
export function recordFor(counting: Annotations, stored: Annotations): ObjectRecord {
  const keys = new Set([counting, stored].flatMap(Object.keys).filter(isForPeople));
  const unheard = [...keys].filter((key) => own(counting, key) !== own(stored, key));
  const copies = Object.fromEntries(unheard.toSorted().map((key) => [key, hashOf(own(stored, key))]));
  const record = select(counting, (key) => SYSTEM_KEYS.has(key) || unheard.includes(key));
  return unheard.length === 0 ? record : merged(record, { [COPIES]: stringifyJson(copies) });
}

function countingOf(stored: Annotations, record: ObjectRecord): Annotations {
  const copies = jsonOf(own(record, COPIES) ?? '{}');
  const isCopy = (key: string): boolean =>
    isJsonObject(copies) && Object.hasOwn(copies, key) && copies[key] === hashOf(own(stored, key));
  return merged(
    select(stored, (key) => !key.startsWith(PREFIX) || (isForPeople(key) && !isCopy(key))),
    select(record, (key) => SYSTEM_KEYS.has(key) || isCopy(key)),
  );
}

function isForPeople(key: string): boolean {
  return key.startsWith(PREFIX) && !SYSTEM_KEYS.has(key) && key !== COPIES;
}

function select(from: Annotations, isWanted: (key: string) => boolean): Annotations {
  return Object.fromEntries(Object.entries(from).filter(([key]) => isWanted(key)));
}

const own = (from: Annotations, key: string): string | undefined =>
  Object.hasOwn(from, key) ? from[key] : undefined;

function hashOf(value: string | undefined): string {
  return value === undefined ? ABSENT : createHash('sha256').update(value).digest('hex').slice(0, 10);
}

function withAnnotations<T extends KubeObject>(object: T, annotations: Annotations): T {
  return { ...object, metadata: merged(object.metadata, { annotations }) };
}
