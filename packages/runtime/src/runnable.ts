/** Runs as long as the manager. An error stops the manager. */
export type Runnable = {
  /** False: runs on standby too, as probes and webhooks must. Default true; has no effect without an election. */
  readonly needLeaderElection?: boolean;
  start(signal: AbortSignal): Promise<void>;
};
