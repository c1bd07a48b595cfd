import type { Client } from '@kubewright/client';
import type { JsonObject } from '@kubewright/kube';

/** Where the parts of a scenario are played, all at the same time: without a policy, and with one that logs or enforces. */
export const ARMS = ['plain', 'log', 'enforce'] as const;
export type Arm = (typeof ARMS)[number];

/** A namespace with a policy, or without one. */
export type Place = {
  readonly arm: Arm;
  readonly namespace: string;
  /** A person, who may do everything. */
  readonly client: Client;
};

/** A part of the life of a controller's objects. */
export type Step = {
  readonly title: string;
  /** What a person, or the world, does. */
  readonly act: (place: Place) => Promise<unknown>;
  /** Whether what the controller has to do about it is done. Asked again until it is. */
  readonly until?: (place: Place) => Promise<boolean>;
};

export type Launch = {
  readonly kubeconfig: string;
  /** A folder of this run. */
  readonly folder: string;
  /** A folder with a certificate, `tls.crt` and `tls.key`, for webhooks at 127.0.0.1, and `ca.crt`. */
  readonly certificates: string;
  /** Free ports of this machine, for what the program listens at. */
  readonly ports: readonly number[];
};

/** The life of a controller: what it is given to do, from its start to a release in which somebody has planted something. */
export type Scenario = {
  /** As in `tools/assets/find-controllers.mjs`. */
  readonly name: string;
  /** What the real installation has beside it, and is left out here. */
  readonly leftOut?: string;
  readonly launch: (at: Launch) => {
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  };
  /** Definitions of kinds that its module does not have. */
  readonly definitions?: readonly JsonObject[];
  /** The resources of the policies. */
  readonly resources: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
  }[];
  /** Objects that it needs outside of the namespaces. */
  readonly prepare?: (client: Client, at: Launch) => Promise<unknown>;
  /** From the creation to failures. */
  readonly steps: readonly Step[];
  /** Played after a restart, and again after an upgrade: no spec changes, or a person's does. */
  readonly later: readonly Step[];
  /** What makes the planted release act, where its start does not. Drift may keep it from its aim. */
  readonly provoke?: Step;
};
