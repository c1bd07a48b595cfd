/** By class, `namespace/name`; what was measured lives as long as the process. */
export type Loads = ReadonlyMap<string, ClassLoad>;

/** What functions of a class have to do, as far as it was measured. */
export type ClassLoad = {
  /** Of the class of this uid: another one may have its name later. */
  readonly uid: string;
  /** By key. A function without a signal has the last load that it had, or none: missing is never 0. */
  readonly functions: ReadonlyMap<string, FunctionLoad>;
};

export type FunctionLoad = Signals & {
  /** When it was read, in milliseconds since 1970, and of which generation of the class. */
  readonly at: number;
  readonly generation: number;
};

export type Signals = {
  /** Of all pods of the function, in millicores. */
  readonly cpu: number;
  /** Not of all pods: more may be used, and no less. */
  readonly isPartial?: true | undefined;
  /** Requests per second. */
  readonly rps?: number | undefined;
  /** Milliseconds that 99 of 100 requests stay below. */
  readonly p99?: number | undefined;
};
