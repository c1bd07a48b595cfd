import type { UserInfo } from '@kubewright/apiserver';
import {
  type Clock,
  createClient,
  type Random,
  systemClock,
  systemRandom,
  withRetry,
  withUserAgent,
} from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import {
  createManager,
  dropManagedFields,
  type Logger,
  type Manager,
  silentLogger,
} from '@kubewright/runtime';

/** Where a part of a cluster runs: with the embedded API, any other, or in `world/`. */
export type PartEnvironment = {
  /**
   * Calls as a user of the cluster: `(user) => server.transport(user)` of an embedded server; of any other, `() => transport` of
   * a user with the rights of all these users.
   */
  readonly connect: (user: UserInfo) => Transport;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
};

/** Controllers, nodes, a scheduler, storage, or all of them. */
export type RunningPart = {
  /** Resolves when it works. */
  readonly ready: Promise<void>;
  /** Resolves when the signal has stopped it; rejects when it failed. */
  readonly ended: Promise<void>;
};

/**
 * A manager that calls as `user`, and how it may call as others, in all of which what it writes belongs to `program`; what a
 * server may repeat is repeated. Managed fields are never read, and the server keeps those of an object that is written
 * without them: they are not cached.
 */
export function partManager(
  environment: Omit<PartEnvironment, 'signal'>,
  { user, program }: { readonly user: UserInfo; readonly program: string },
): { readonly manager: Manager; readonly connect: PartEnvironment['connect'] } {
  const { clock = systemClock, random = systemRandom, log = silentLogger } = environment;
  const connect = (other: UserInfo): Transport =>
    withRetry(withUserAgent(environment.connect(other), program), { clock, random });
  const client = createClient(connect(user));
  const cacheDefaults = { transform: dropManagedFields };
  return { manager: createManager({ client, clock, random, log, cacheDefaults }), connect };
}
