import type { UserInfo } from '@kubewright/apiserver';
import type { Client, Clock } from '@kubewright/client';
import type { ApiRequest, Transport } from '@kubewright/kube';
import type { WorldFault } from './fault.ts';
import type { History } from './history.ts';
import type { Component } from './component.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What a scenario's own steps may use. Their calls are not disturbed. */
export type Director = {
  /** Calls as a cluster admin. */
  readonly client: Client;
  /** The same without retries, and the way of somebody else. */
  readonly transport: Transport;
  readonly connect: (user: UserInfo) => Transport;
  readonly clock: Clock;
  /** Decided by the world's seed, see `seedsPerScript`; while a scenario is prepared the same for all seeds. */
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
};

/** A situation that components are to master, whatever goes wrong. */
export type Scenario = {
  readonly name: string;
  /** Group and plural name of what invariants look at. */
  readonly observed: readonly (readonly [group: string, resource: string])[];
  readonly components: readonly Component[];
  /** Before the components start. Played once for all seeds: each begins with what was stored then. */
  prepare(director: Director): Promise<void>;
  /** What people and others do meanwhile. */
  script?(director: Director): Promise<void>;
  /** What somebody else writes, at the worst moment: see the fault `rival`. It may not wait. */
  rival?(director: Director): Promise<void>;
  /** Undefined once the desired state is reached; else what is missing. */
  missing(director: Director): Promise<string | undefined>;
  /**
   * What has to be the same in the end whatever goes wrong, as lines: compared with those of a world with the same script
   * in which nothing does. `faults` are those of the first, for both: what they leave open, neither tells.
   */
  endState?(director: Director, faults: readonly WorldFault[]): Promise<readonly string[]>;
  /**
   * So many seeds in a row share what the director draws, and the world without faults that `endState` is compared with,
   * which is played once for all of them. Default 1.
   */
  readonly seedsPerScript?: number;
  /** Calls that the work takes, about: faults are strewn over as many. Default 60. */
  readonly calls?: number;
  /** Virtual milliseconds that the desired state must stay with nothing written. Default 11 minutes: more than a watch lasts. */
  readonly stableFor?: number;
  /** What may go wrong here, where it is not everything: drawn from the seed. */
  readonly faults?: (random: SeededRandom) => readonly WorldFault[];
  /** Writes that go on for ever, as the renewals of a Lease: they do not count against stillness. */
  readonly isHeartbeat?: (request: ApiRequest) => boolean;
  /** Each returns what is wrong with a history, or undefined. Asked at the end, of all that was ever written. */
  readonly invariants: Readonly<Record<string, (history: History) => string | undefined>>;
};
