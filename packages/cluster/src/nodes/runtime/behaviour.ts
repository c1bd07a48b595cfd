/** How a simulated container behaves. Times are milliseconds; what is absent does not happen. */
export type Behaviour = {
  /** How long the image's pull takes on a node that has not got it. Default 0: every node has it. */
  readonly pullMs?: number;
  /** The image cannot be pulled, and why. */
  readonly imageError?: string;
  /** The container cannot be started, and why. */
  readonly startError?: string;
  /** It ends so long after its start. Absent: it runs until it is stopped. */
  readonly exitAfterMs?: number;
  /** Default 0. */
  readonly exitCode?: number;
  /** Reason of the end: `OOMKilled`. Default `Completed` or `Error`. */
  readonly exitReason?: string;
  /** Only the first so many attempts end by themselves; the next one runs on. Default: all do. */
  readonly exits?: number;
  /** So long after its start (and the probe's initial delay) it is ready. Default 0. */
  readonly readyAfterMs?: number;
  /** It is not ready, at least for the time being. */
  readonly unready?: boolean;
  /** So long after its start the liveness probe begins to fail. */
  readonly unhealthyAfterMs?: number;
  /** How long it takes to end when it is asked to (SIGTERM). Default 0; more than the grace period: it is killed. */
  readonly stopMs?: number;
  /** Exit code when it ends because it was asked to. Default 0; where its restart policy is not `Always`, 143. */
  readonly stopCode?: number;
  /** Lines that it prints when it starts. */
  readonly logs?: readonly string[];
};

/** Behaviours by image: the first whose pattern fits counts. `*` stands for any text, `busybox*`. */
export type ImageBehaviours = Readonly<Record<string, Behaviour>>;
