import { ApiError, type Client } from '@kubewright/client';
import { authenticationv1, getOwn } from '@kubewright/kube';
import type { AdmissionRequest, Cache } from '@kubewright/runtime';
import { COMPONENT } from '../api.ts';
import { CONFIGURATIONS } from '../policy/configurations.ts';
import { CONFIGURATION, homeOf, ownUsers } from '../policy/webhook-entries.ts';

/** Identifies writes of the operator itself, which nothing protects annotations from. */
export type OwnWrites = {
  /** Resolves when {@link OwnWrites.isOwn} can tell; undefined: it can. */
  ready(signal: AbortSignal): Promise<unknown> | undefined;
  isOwn(request: AdmissionRequest): boolean;
};

/** By the service accounts in the namespace where the operator is installed. */
export function ownAccounts(cache: Cache): OwnWrites {
  const informer = cache.informer(CONFIGURATIONS);
  return {
    ready: (signal) => (informer.synced ? undefined : informer.waitForSync(signal)),
    isOwn({ userInfo }) {
      const home = homeOf(cache.get(CONFIGURATIONS, { name: CONFIGURATION }));
      return ownUsers(home).includes(userInfo.username);
    },
  };
}

/**
 * By the user that `client` authenticates as. People may use the same credentials, for example those of an
 * administrator, so the field manager has to match too.
 */
export function ownUser(client: Client): OwnWrites {
  let username: string | undefined;
  const ask = async (signal: AbortSignal): Promise<void> => {
    username ??= await whoAmI(client, signal).catch(unknownUser);
  };
  return {
    ready: (signal) => (username === undefined ? ask(signal) : undefined),
    isOwn: ({ userInfo, options = {} }) =>
      username !== '' && userInfo.username === username && getOwn(options, 'fieldManager') === COMPONENT,
  };
}

/** By any of them: a manager outside of the cluster writes as whoever its kubeconfig is of. */
export function anyOwn(...all: readonly OwnWrites[]): OwnWrites {
  return {
    ready(signal) {
      const waiting = all.flatMap((one) => one.ready(signal) ?? []);
      return waiting.length === 0 ? undefined : Promise.all(waiting);
    },
    isOwn: (request) => all.some((one) => one.isOwn(request)),
  };
}

/** Until the server says who it is, a write of its own counts as anybody's, and is made again. */
function unknownUser(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) throw error;
  const isFinal = error.code === 403 || error.code === 404;
  return isFinal ? '' : undefined;
}

async function whoAmI(client: Client, signal: AbortSignal): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} } as const;
  const { status } = await client.create(authenticationv1.selfsubjectreviews, review, { signal });
  return status?.userInfo?.username ?? '';
}
