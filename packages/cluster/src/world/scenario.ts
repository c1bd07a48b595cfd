import type { UserInfo } from '@kubewright/apiserver';
import type { Client, Clock } from '@kubewright/client';
import type { ApiRequest, Transport } from '@kubewright/kube';
import type { WorldFault } from './world-fault.ts';
import type { History } from './history.ts';
import type { Component } from './component.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What a scenario's own steps may use. No fault is injected into their calls. */
export type ScenarioContext = {
  /** Calls as a cluster admin. */
  readonly client: Client;
  /** The same without retries, and the transport of another user. */
  readonly transport: Transport;
  readonly connect: (user: UserInfo) => Transport;
  readonly clock: Clock;
  /** Decided by the world's seed, see `seedsPerScript`; while a scenario is prepared the same for all seeds. */
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
};

/** A situation that components have to handle, whatever faults are injected. */
export type Scenario = {
  readonly name: string;
  /** Group and plural name of what invariants look at. */
  readonly observed: readonly (readonly [group: string, resource: string])[];
  readonly components: readonly Component[];
  /** Before the components start. Runs once for all seeds: each begins with what was stored then. */
  prepare(context: ScenarioContext): Promise<void>;
  /** What users and other clients do meanwhile. */
  script?(context: ScenarioContext): Promise<void>;
  /** What another client writes, at the worst moment: see the fault `rival`. It may not wait. */
  rival?(context: ScenarioContext): Promise<void>;
  /** Undefined once the desired state is reached; else what is missing. */
  missing(context: ScenarioContext): Promise<string | undefined>;
  /**
   * What has to be the same in the end whatever the faults, as lines: compared with those of a world with the same script
   * and without faults. `faults` are those of the first, for both: what they leave open, neither includes.
   */
  endState?(context: ScenarioContext, faults: readonly WorldFault[]): Promise<readonly string[]>;
  /**
   * So many consecutive seeds share the context's randomness and the world without faults that `endState` is compared
   * with, which runs once for all of them. Default 1.
   */
  readonly seedsPerScript?: number;
  /** About how many calls the work takes: faults are spread over as many. Default 60. */
  readonly calls?: number;
  /**
   * Virtual milliseconds that the desired state must stay with nothing written. Default: 11 minutes, more than a watch lasts,
   * with every eighth seed from 1 on; else one minute.
   */
  readonly stableFor?: number;
  /** The faults to draw from the seed, where not all kinds apply. */
  readonly faults?: (random: SeededRandom) => readonly WorldFault[];
  /** Writes that go on for ever, as the renewals of a Lease: they do not count as writes after the desired state. */
  readonly isHeartbeat?: (request: ApiRequest) => boolean;
  /** Each returns what is wrong with a history, or undefined. Checked at the end, over all that was ever written. */
  readonly invariants: Readonly<Record<string, (history: History) => string | undefined>>;
};
