import {
  type Client,
  type Clock,
  onAbort,
  type ObjectKey,
  type Random,
  type Ref,
  systemClock,
  systemRandom,
} from '@kubewright/client';
import {
  type Condition,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  type Stored,
} from '@kubewright/kube';
import { escapeFieldValue } from '@kubewright/kube/selectors';
import { clientListWatch } from '../cache/client-list-watch.ts';
import { Informer } from '../cache/informer.ts';
import { storeKey } from '../cache/object-store.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { RuntimeError } from '../runtime-error.ts';

export type WaitOptions = {
  /** Default 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
};

/**
 * Watches one object until `isSo` returns true; it gets `undefined` while the object does not exist. Rejects with `TimedOut`,
 * whose message has the resourceVersion and the conditions that it had last, never its content, and with an error that `isSo` throws. For set-up and tests: a reconciler
 * does not wait, it requeues.
 */
export async function waitForObject<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  key: ObjectKey,
  isSo: (object: Stored<NoInfer<T>> | undefined) => boolean,
  options: WaitOptions = {},
): Promise<Stored<T> | undefined> {
  const { clock = systemClock, random = systemRandom, log = silentLogger, timeoutMs = 30_000 } = options;
  const fieldSelector = `metadata.name=${escapeFieldValue(key.name)}`;
  const { namespace } = key;
  const scope = namespace === undefined ? {} : { namespace };
  const source = clientListWatch(client, ref, { ...scope, fieldSelector });
  const informer = new Informer<T>({ name: `one ${ref.kind}`, source, clock, random, log });
  const now = (): Stored<T> | undefined => informer.store.get(storeKey(namespace, key.name));
  const stop = new AbortController();
  const undo: (() => void)[] = [() => stop.abort()];
  const running = informer.start(stop.signal);
  try {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        try {
          if (informer.synced && isSo(now())) resolve();
        } catch (error) {
          reject(error);
        }
      };
      const fail = (why: string): void =>
        reject(new RuntimeError('TimedOut', `${titleOf(ref, key)}: ${why}: ${lastSeen(informer, now())}`));
      informer.addHandler(look);
      informer.waitForSync(stop.signal).then(look, reject);
      undo.push(clock.after(timeoutMs, () => fail(`not as expected after ${timeoutMs} ms`)));
      undo.push(onAbort(options.signal, () => fail('no longer waited for')));
      if (options.signal?.aborted === true) fail('no longer waited for');
    });
    return now();
  } finally {
    for (const cancel of undo) cancel();
    await running;
  }
}

function lastSeen<T extends KubeObject>(informer: Informer<T>, object: Stored<T> | undefined): string {
  if (!informer.synced) return `it was not read: ${informer.status().lastError ?? 'there was no response'}`;
  if (object === undefined) return 'it does not exist';
  const { resourceVersion, generation, deletionTimestamp } = object.metadata;
  const parts = [
    `resourceVersion ${resourceVersion}`,
    ...(generation === undefined ? [] : [`generation ${generation}`]),
    ...(deletionTimestamp === undefined ? [] : ['it is being deleted']),
    ...conditionsOf(object).map(({ type, status, reason }) => `${type}=${status} (${reason})`),
  ];
  return `it was last seen at ${parts.join(', ')}`;
}

function conditionsOf(object: KubeObject): readonly Condition[] {
  const status: unknown = object['status'];
  const conditions: unknown = isJsonObject(status as Json) ? (status as JsonObject)['conditions'] : undefined;
  return Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
}

function titleOf({ kind }: Ref, { namespace, name }: ObjectKey): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
