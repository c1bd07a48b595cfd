import { type Clock, jsonEqual } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import { specOf } from '../objects/read.ts';
import type { ExtensionHost } from '../registry/server-extension.ts';
import { localError } from '../api-server-error.ts';
import { type Delegate, delegateOf, GROUP, RESOURCE } from './delegate.ts';
import { type Availability, LOCAL, withAvailability } from './availability.ts';

/** Milliseconds between checks, as the real server has them; after a failure the first of these, then twice as long each time. */
const AFTER_FAILURE = 5000;
const LONGEST_WAIT = 30_000;
const CHECK_WITHIN = 5000;

export type AvailabilityOptions = {
  readonly host: ExtensionHost;
  readonly clock: Clock;
  /** Never rejects. */
  readonly check: (delegate: Delegate, signal: AbortSignal) => Promise<Availability>;
};

/** One APIService that is being watched: how to end what is under way for it. */
type Watched = { readonly stop: () => void };

/** Keeps the condition `Available` of APIServices true to what is. Returns how to stop and how to begin again. */
export function keepAvailable(options: AvailabilityOptions): { stop(): void; start(): void } {
  const { host } = options;
  const watched = new Map<string, Watched>();
  const names = (): string[] => host.list(GROUP, RESOURCE).map(({ metadata }) => metadata.name);
  const checkAll = (): void => {
    for (const name of names()) recheck(options, watched, name, 0);
  };
  host.observe(GROUP, RESOURCE, ({ type, object, previous }) => {
    const name = object.metadata.name;
    const same = previous !== undefined && jsonEqual(specOf(previous), specOf(object));
    if (!same || type === 'DELETED') recheck(options, watched, name, 0);
  });
  // A Service that is created, changed or deleted may make a delegate available or not.
  for (const resource of ['services', 'endpoints']) {
    host.observe('', resource, ({ object: { metadata } }) => {
      for (const object of host.list(GROUP, RESOURCE)) {
        const service = delegateOf(object)?.service;
        if (service?.name === metadata.name && service?.namespace === metadata.namespace)
          recheck(options, watched, object.metadata.name, 0);
      }
    });
  }
  return {
    start: checkAll,
    stop() {
      for (const { stop } of watched.values()) stop();
      watched.clear();
    },
  };
}

function recheck(
  options: AvailabilityOptions,
  watched: Map<string, Watched>,
  name: string,
  failures: number,
): void {
  watched.get(name)?.stop();
  watched.delete(name);
  const { host, clock } = options;
  const object = host.get({ group: GROUP, resource: RESOURCE, namespace: '', name });
  if (object === undefined) return;
  const delegate = delegateOf(object);
  if (delegate === undefined) {
    record(options, name, LOCAL);
    return;
  }
  const over = new AbortController();
  const cancel = clock.after(
    CHECK_WITHIN,
    () => over.abort(localError('TimedOut', 'context deadline exceeded')),
    {
      background: true,
    },
  );
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    cancel();
    over.abort();
  };
  watched.set(name, { stop });
  const checked = async (): Promise<void> => {
    const found = await options.check(delegate, over.signal);
    cancel();
    if (!stopped) settle(options, watched, name, { found, failures });
  };
  detach(checked, stop);
}

function settle(
  options: AvailabilityOptions,
  watched: Map<string, Watched>,
  name: string,
  { found, failures }: { readonly found: Availability; readonly failures: number },
): void {
  record(options, name, found);
  const failed = found.status !== 'True';
  const wait = failed ? Math.min(AFTER_FAILURE * 2 ** failures, LONGEST_WAIT) : LONGEST_WAIT;
  const next = failed ? failures + 1 : 0;
  const stop = options.clock.after(wait, () => recheck(options, watched, name, next), { background: true });
  watched.set(name, { stop });
}

function record({ host }: AvailabilityOptions, name: string, found: Availability): void {
  host.update(
    { group: GROUP, resource: RESOURCE, namespace: '', name },
    (object) => withAvailability(object, found, host.now()),
    { subresource: 'status' },
  );
}
