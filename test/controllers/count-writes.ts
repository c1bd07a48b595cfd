import { isJsonObject, type Json, type JsonObject } from '@kubewright/kube';

/** A write by somebody in a namespace, from the audit log of the API server. */
export type Write = {
  /** When the server received it: RFC 3339, with microseconds. */
  readonly at: string;
  readonly user: string;
  readonly namespace: string;
  readonly verb: string;
  /** `deployments.apps`, `rollouts.argoproj.io/status`. */
  readonly resource: string;
  readonly name: string;
  readonly code: number;
  /** The server has stored nothing: the object was so already, or was being deleted. */
  readonly isNoop: boolean;
  /** What drift has said of it; undefined: it was not asked, or had nothing to say. */
  readonly verdict: 'expected' | 'drift' | undefined;
};

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Not what a controller is for: reports of what it did, and who leads. */
const NOISE: ReadonlySet<string> = new Set(['events', 'leases']);

/** The writes in an audit log. */
export function writesIn(events: readonly JsonObject[]): readonly Write[] {
  const isNoop = createNoops();
  return events.flatMap((event) => {
    const { verb, objectRef } = event;
    if (typeof verb !== 'string' || !WRITES.has(verb) || !isJsonObject(objectRef)) return [];
    const of = (key: string): string => textOf(objectRef[key]);
    if (NOISE.has(of('resource')) || of('namespace') === '') return [];
    const group = of('apiGroup') === '' ? '' : `.${of('apiGroup')}`;
    const part = of('subresource') === '' ? '' : `/${of('subresource')}`;
    return [
      {
        at: textOf(event['requestReceivedTimestamp']),
        user: userOf(event),
        namespace: of('namespace'),
        verb,
        resource: `${of('resource')}${group}${part}`,
        name: of('name'),
        code: codeOf(event),
        isNoop: isNoop(event),
        verdict: verdictOf(event['annotations']),
      },
    ];
  });
}

/** Whether a write stores nothing, of one after the other. */
function createNoops(): (event: JsonObject) => boolean {
  const [versions, deleted] = [new Set<string>(), new Set<string>()];
  return (event) => {
    const object = codeOf(event) < 300 ? event['responseObject'] : undefined;
    return event['verb'] === 'delete' ? isDeleted(object, deleted) : isKnown(object, versions);
  };
}

/** Whether an earlier write has come to this version of the object. */
function isKnown(object: Json | undefined, versions: Set<string>): boolean {
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) return false;
  const { uid, resourceVersion } = object['metadata'];
  const version = `${textOf(uid)} ${textOf(resourceVersion)}`;
  const isNoop = versions.has(version);
  versions.add(version);
  return isNoop;
}

/** Whether somebody has deleted the object before: until its kubelet has ended a pod, anybody may do so again. */
function isDeleted(object: Json | undefined, deleted: Set<string>): boolean {
  if (!isJsonObject(object)) return false;
  // Of most kinds the response is a Status.
  const { metadata, details } = object;
  const uid = [metadata, details].map((one) => textOf(isJsonObject(one) ? one['uid'] : undefined)).join('');
  const isNoop = deleted.has(uid);
  if (uid !== '') deleted.add(uid);
  return isNoop;
}

function codeOf({ responseStatus }: JsonObject): number {
  return isJsonObject(responseStatus) ? Number(responseStatus['code']) : 0;
}

function userOf({ impersonatedUser, user }: JsonObject): string {
  const who = isJsonObject(impersonatedUser) ? impersonatedUser : user;
  return isJsonObject(who) ? textOf(who['username']) : '';
}

function verdictOf(annotations: Json | undefined): Write['verdict'] {
  if (!isJsonObject(annotations)) return undefined;
  const found = Object.entries(annotations).find(([key]) => key.endsWith('.drift.kubewright.io/drift'));
  if (found === undefined) return undefined;
  return found[1] === 'true' ? 'drift' : 'expected';
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
