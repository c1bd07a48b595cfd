/** A shard of the data grid. Its id is a 64-bit number, as text. */
export type Shard = { readonly collection: string; readonly partition: number; readonly shard: string };

/** What the data grid of a class says about itself. Every method rejects when it does not respond. */
export type GridProbe = {
  /** Takes the same time, whatever is stored. */
  ping(address: string, signal: AbortSignal): Promise<void>;
  /** The shards of this node that are initialised. The data grid counts all their objects for it: to be called rarely. */
  shards(address: string, signal: AbortSignal): Promise<readonly Shard[]>;
  /** The shards of all nodes that are alive, where somebody knows them, for example by liveliness tokens of Zenoh. */
  alive?(collections: readonly string[], signal: AbortSignal): Promise<readonly Shard[]>;
};
