import type { Client } from '@kubewright/client';
import type { EventRecorder } from '@kubewright/runtime';
import type { AddressPool } from './address-pool.ts';

/** A node that this process plays. */
export type LocalNode = {
  readonly name: string;
  /** Its InternalIP, and the `hostIP` of its pods. */
  readonly address: string;
  /** Acts as the node. */
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly addresses: AddressPool;
  /** True while it is lost: it does nothing and says nothing, its containers go on. */
  isDown: boolean;
};
