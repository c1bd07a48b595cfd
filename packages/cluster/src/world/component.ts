import type { UserInfo } from '@kubewright/apiserver';
import type { Clock, Random } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import type { WebhookAnswerer } from './webhook-network.ts';

/** What a component is given to live with. It must take time, chance and calls from nowhere else. */
export type Surroundings = {
  /** Calls as a cluster admin. */
  readonly transport: Transport;
  /** Calls as somebody else, on the same network. */
  readonly connect: (user: UserInfo) => Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the world ends; a crash gives no sign. */
  readonly signal: AbortSignal;
  /** Serves what the API server sends to webhooks at `https://host/…`, until this life ends or the result is called. */
  readonly serveWebhooks: (host: string, answer: WebhookAnswerer) => () => void;
};

/** A process of the world: a manager with its controllers, a webhook, a user's script. */
export type Component = {
  readonly name: string;
  start(surroundings: Surroundings): Promise<void>;
};
