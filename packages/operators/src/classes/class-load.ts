/** By class, `namespace/name`; measurements live as long as the process. */
export type Loads = ReadonlyMap<string, ClassLoad>;

/** The load of a class's functions, as far as it was measured. */
export type ClassLoad = {
  /** Uid of the class: another class may have its name later. */
  readonly uid: string;
  /** By function key. A function without a signal keeps its last load, or has none: missing is never 0. */
  readonly functions: ReadonlyMap<string, FunctionLoad>;
  /** Of the data grid's pods. */
  readonly grid?: FunctionLoad | undefined;
};

export type FunctionLoad = Signals & {
  /** When it was read, in milliseconds since 1970, and for which generation of the class. */
  readonly at: number;
  readonly generation: number;
};

export type Signals = {
  /** Sum over all pods of the function, in millicores. */
  readonly cpu: number;
  /** In millicores: nine of ten pods use less. Absent where it is only known of all together. */
  readonly podCpu?: number | undefined;
  /** The most that one pod used, in bytes. */
  readonly memory?: number | undefined;
  /** Some pods are missing: the real value may be higher, not lower. */
  readonly isPartial?: true | undefined;
  /** Requests per second. */
  readonly rps?: number | undefined;
  /** The 99th percentile of the latency, in milliseconds. */
  readonly p99?: number | undefined;
};
