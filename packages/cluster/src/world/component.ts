import type { UserInfo } from '@kubewright/apiserver';
import type { Clock, Random } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import type { LocalKubelets } from '../nodes/kubelet/local-kubelets.ts';
import type { WebhookCallHandler } from './webhook-network.ts';

/** What a component runs in. It takes time, randomness and calls from nowhere else. */
export type ComponentEnvironment = {
  /** Calls as a cluster admin. */
  readonly transport: Transport;
  /** Calls as another user, on the same network. */
  readonly connect: (user: UserInfo) => Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the world ends; a crash is not signalled. */
  readonly signal: AbortSignal;
  /** Serves what the API server sends to webhooks at `https://host/…`, until this instance ends or the result is called. */
  readonly serveWebhooks: (host: string, handle: WebhookCallHandler) => () => void;
  /** The API server reaches the kubelets of these nodes from now on: for logs. */
  readonly serveKubelets: LocalKubelets['join'];
  /** Reports to the invariants what no object shows, as on what a decision was based. */
  readonly report: (fact: object) => void;
};

/** A process of the world: a manager with its controllers, a webhook, a user's script. */
export type Component = {
  readonly name: string;
  start(environment: ComponentEnvironment): Promise<void>;
};
