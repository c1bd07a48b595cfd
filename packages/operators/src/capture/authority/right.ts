/** What a request does in its author's name: a verb on some objects of a resource. */
export type Right = {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'delete';
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Absent for resources of the cluster. */
  readonly namespace?: string;
  /** Empty: all of the namespace or the cluster. */
  readonly names: readonly string[];
};
