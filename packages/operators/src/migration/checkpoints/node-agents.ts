/** A checkpoint of one container, and where it is to be restored. */
export type CheckpointOrder = {
  /** Names it on the node; a repeated order with the same id makes no second checkpoint. */
  readonly id: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The node that runs the container. */
  readonly node: string;
  /** The node that is to restore it. */
  readonly targetNode: string;
  /** The image to make of it. */
  readonly image: string;
  /** `Registry`: pushed to a registry; `Direct`: sent to the agent of the target node. */
  readonly transfer: Transfer;
};

export type Transfer = 'Registry' | 'Direct';

export type CheckpointState =
  | { readonly phase: 'Running'; readonly message: string }
  | {
      readonly phase: 'Ready';
      /** By digest where a registry has it. */
      readonly image: string;
      /** Of the archive. */
      readonly sha256: string;
      readonly bytes: number;
    }
  | { readonly phase: 'Failed'; readonly reason: string; readonly message: string };

/** What of a node decides whether a process can be restored on it. */
export type NodeFacts = {
  /** Why its runtime restores no container, and what to do; absent: it does. */
  readonly restoreDisabled?: string;
  /** Why only containers that run as root can be checkpointed here; absent: any can. */
  readonly rootOnly?: string;
  /** Why it has not, and does not get, the image that was named; absent: it has it. */
  readonly imageMissing?: string;
  readonly arch: string;
  /** `v1` or `v2`. */
  readonly cgroup: string;
  readonly kernel: string;
  readonly criu: string;
};

/** Where a checkpoint and its image are. */
export type CheckpointRef = Pick<CheckpointOrder, 'id' | 'node' | 'targetNode' | 'image' | 'transfer'>;

/**
 * The agents of nodes: they checkpoint containers and move the archives. All calls are idempotent, and reject with
 * `OperatorError`: `Unavailable` may be repeated, `Forbidden` and `Failed` may not.
 */
export type NodeAgents = {
  /** Undefined: the node has no agent. With `image`, by digest: the node has to have it, and pulls it if it does not. */
  facts(node: string, image?: string): Promise<NodeFacts | undefined>;
  /** Begins a checkpoint. Resolves at once; {@link NodeAgents.get} shows the progress. */
  begin(order: CheckpointOrder): Promise<void>;
  /** Undefined: it was not begun, or the agent has forgotten it. */
  get(ref: CheckpointRef): Promise<CheckpointState | undefined>;
  /** Deletes the archive and the image. Does nothing if there are none. */
  remove(ref: CheckpointRef): Promise<void>;
};
