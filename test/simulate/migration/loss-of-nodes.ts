export type LossOfNodes = {
  /** The node that the pod is moved from, the one that it is moved to, or both. */
  readonly nodes: readonly ('source' | 'target')[];
  /** In which step of which handover. */
  readonly step: string;
  readonly epoch: number;
  /**
   * `power` is lost for good: what the processes had in memory is gone, and so are the nodes. After a `reboot` the nodes are
   * back, and start their containers anew. From the `network` of the cluster they are cut off for a while, not from the broker.
   */
  readonly of: 'power' | 'reboot' | 'network';
};
